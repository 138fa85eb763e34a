#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "translate/apps/attention_page.h"
#include "translate/apps/explanation.h"
#include "translate/apps/line_stream.h"
#include "translate/apps/translation_text.h"
#include "translate/decoding/loaded_model.h"
#include "translate/decoding/observed_pass.h"
#include "translate/decoding/translator.h"

namespace translate {

/// What translate-infer makes of its translations.
struct OutputOptions {
  std::string input;    ///< the file that was translated (empty: none)
  std::string path;     ///< where they go (empty: stdout)
  bool json = false;    ///< one JSON object a line
  bool n_best = false;  ///< all of Translation::nbest
  bool alignments = false;
  bool word_scores = false;
  bool score = false;    ///< the score in place of the translation, which was given
  bool explain = false;  ///< how each came about, in place of the translation alone
  ExplanationOptions explanation;
  std::string attention;  ///< a page of attention to write besides (empty: none)
};

/// Writes translations as the options say. The model must outlive it.
class TranslationOutput {
 public:
  /// `title`: what an attention page says it is of. Throws RuntimeError where the output cannot be made, ConfigError
  /// where the model lacks the layer to explain or where files that must differ are one.
  TranslationOutput(const OutputOptions& options, const LoadedModel& loaded, const PassOptions& where,
                    const std::string& title);

  /// `fields`: an object whose fields JSON output has, too, where it has none of the same name.
  void write(const Translation& translation, const nlohmann::ordered_json& fields = nlohmann::ordered_json::object());

  /// Hands over what was written. Throws RuntimeError where that fails (disk full).
  void flush() { writer_->flush(); }

  /// Writes the attention page, if one is wanted, and warns of what could not be shown or ended too early.
  void finish();

 private:
  [[nodiscard]] nlohmann::ordered_json to_json(const Translation& translation) const;
  [[nodiscard]] std::string to_text(const Translation& translation) const;
  [[nodiscard]] CandidateFields candidate_fields() const;

  const OutputOptions& options_;
  const LoadedModel& loaded_;
  PassOptions where_;
  std::optional<LineWriter> writer_;
  std::filesystem::path page_place_;  ///< links followed
  std::optional<AttentionPage> page_;
  std::int64_t truncated_ = 0;
  std::int64_t written_ = 0;  ///< translations so far
};

}  // namespace translate
