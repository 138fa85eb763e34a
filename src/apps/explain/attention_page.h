#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/infer/translation_output.h"
#include "decoding/operators/observed_pass.h"
#include "decoding/translation.h"

namespace translate {

/// A page that shows, for some sentences, what each head of each layer looked at, and the positional encoding: one HTML
/// file without anything from outside (src/apps/explain/attention_page.html), its numbers inside as JSON.
class AttentionPage {
 public:
  static constexpr std::int64_t kMostSentences = 50;  ///< a page is read by a person, and by a browser

  /// `title`: what the page says it is of (a checkpoint). The model must outlive the page.
  AttentionPage(const ObservedModel& model, std::string title);

  /// Adds a translation, a part of a split line as a sentence of its own; a blank line adds nothing, nor does one that
  /// comes when the page is full.
  void add(const Translation& translation);

  /// True where a sentence was left out because the page was full.
  [[nodiscard]] bool is_overfull() const { return overfull_; }

  /// The whole page.
  [[nodiscard]] std::string html() const;

 private:
  const ObservedModel& model_;
  nlohmann::ordered_json data_;
  bool overfull_ = false;
};

/// Explains translations and draws the page of attention, as the options say.
class ModelViewer : public TranslationViewer {
 public:
  /// `title`: what an attention page says it is of. Throws ConfigError where the model lacks the layer to explain or
  /// where files that must differ are one, RuntimeError where the page cannot be written.
  ModelViewer(const OutputOptions& options, ObservedModel model, const std::string& title);

  [[nodiscard]] std::string explanation_text(const Translation& translation) const override;
  [[nodiscard]] nlohmann::ordered_json explanation_json(const Translation& translation) const override;
  void add(const Translation& translation) override;
  /// Writes the attention page, if one is wanted, and warns of what could not be shown.
  void finish() override;

 private:
  OutputOptions options_;
  ObservedModel model_;
  std::filesystem::path page_place_;  ///< links followed
  std::optional<AttentionPage> page_;
};

}  // namespace translate
