#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detection/language_detector.h"
#include "serve/models/model_set.h"
#include "serve/request_documents.h"
#include "serve/translation_answer.h"
#include "serve/translation_request.h"

namespace translate::tools {

/// The codes of all languages of a set; the first can be translated.
[[nodiscard]] std::vector<std::string> all_codes(const ModelSet& models);

/// Returns the first detected language that is one of `codes`, under the code that find_language_code finds for it,
/// otherwise under the first code of the same language whatever its script or region; nothing if there is none.
[[nodiscard]] std::optional<DetectedLanguage> own_language(std::span<const DetectedLanguage> detected,
                                                           std::span<const std::string> codes);

/// Decides for each text of a request how it gets to the target language.
class TextRouter {
 public:
  /// The models and the request must outlive it. Throws RequestError, which names the directions of the models, if
  /// nothing leads from the source to the target.
  TextRouter(const ModelSet& models, const TranslationRequest& wanted);

  /// Returns the route of a text; `detected` is set with source language auto, to the language that most of the text is
  /// in and that can be translated, otherwise to the first that can, without certainty. Nothing is returned if the text
  /// is surely in the target language already.
  [[nodiscard]] std::optional<Route> route(std::span<const std::string> texts, DetectedLanguage& detected) const;
  /// The code of the target language, as this server has it.
  [[nodiscard]] std::string target() const { return models_.code_of(wanted_.target).value(); }

 private:
  const ModelSet& models_;
  const TranslationRequest& wanted_;
  std::optional<Route> route_;        ///< of all texts, unless the source language is detected
  std::vector<std::string> sources_;  ///< to choose from, if it is
};

/// The texts of a request as documents, whose lines are translated together if they have the same route.
class RoutedTexts {
 public:
  RoutedTexts(const TextRouter& router, std::vector<ReadText> texts);

  [[nodiscard]] const std::vector<RoutedText>& texts() const { return texts_; }
  /// The number of lines of all texts.
  [[nodiscard]] std::size_t line_count() const;

  /// Waits for the translations of all lines, in the order of the texts. At most `portion` lines wait or are under way
  /// at a time; the first ones are refused if there is no room for them, later ones wait for it. To be called once.
  /// Throws what Route::translate throws.
  [[nodiscard]] std::vector<Candidates> translate(const WantedDetails& wanted, std::size_t portion,
                                                  RequestQueue::Clock::time_point deadline);

 private:
  struct Group {
    Route route;
    std::vector<SourceLine> lines;
  };

  [[nodiscard]] std::size_t group_of(const Route& route);

  std::vector<RoutedText> texts_;
  std::vector<std::size_t> groups_of_texts_;
  std::vector<Group> groups_;
};

}  // namespace translate::tools
