#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "translate/apps/attention_page.h"
#include "translate/apps/translation_output.h"
#include "translate/apps/translation_viewer.h"
#include "translate/apps/viewing_options.h"
#include "translate/decoding/observed_pass.h"

namespace translate {

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
