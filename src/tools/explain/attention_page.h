#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "decoding/translation.h"
#include "infer/translation_output.h"
#include "operators/observed_pass.h"

namespace translate::tools {

/// A page that shows the attention weights of each head of each layer for some sentences, and the positional encoding.
/// It is one self-contained HTML file (src/tools/explain/attention_page.html) with its numbers embedded as JSON.
class AttentionPage {
 public:
  static constexpr std::int64_t kMostSentences = 50;  ///< a page is read by a person, and by a browser

  /// `title`: the name of the model on the page (a checkpoint). The model must outlive the page.
  AttentionPage(const trainer::ObservedModel& model, std::string title);

  /// Adds a translation; each part of a split line is a sentence of its own. A blank line adds nothing, nor does a
  /// sentence if the page is full.
  void add(const Translation& translation);

  /// Returns whether a sentence was left out because the page was full.
  [[nodiscard]] bool is_overfull() const { return overfull_; }

  /// Returns the whole page.
  [[nodiscard]] std::string html() const;

 private:
  const trainer::ObservedModel& model_;
  nlohmann::ordered_json data_;
  bool overfull_ = false;
};

/// Explains translations and makes the attention page, as the options say.
class ModelViewer : public TranslationViewer {
 public:
  /// `title`: the name of the model on the attention page. Throws ConfigError if the model lacks the layer to explain
  /// or if files that must differ are the same, RuntimeError if the page cannot be written.
  ModelViewer(const OutputOptions& options, trainer::ObservedModel model, const std::string& title);

  [[nodiscard]] std::string explanation_text(const Translation& translation) const override;
  [[nodiscard]] nlohmann::ordered_json explanation_json(const Translation& translation) const override;
  [[nodiscard]] std::string batch_explanation(std::span<const Translation> translations) const override;
  void add(const Translation& translation) override;
  /// Writes the attention page, if one is wanted, and warns if sentences were left out.
  void finish() override;

 private:
  OutputOptions options_;
  trainer::ObservedModel model_;
  std::filesystem::path page_place_;  ///< the page's path with links resolved
  std::optional<AttentionPage> page_;
};

}  // namespace translate::tools
