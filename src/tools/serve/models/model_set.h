#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detection/language_detector.h"
#include "serve/models/served_model.h"
#include "serve/request_queue.h"

namespace translate::tools {

/// Whether a server translates through a third language where it has no model for a pair of languages.
enum class Pivoting { kOff, kOn };

/// How one text gets from one language to another: by one model, or by two with a language between.
class Route {
 public:
  /// A model and its language tag for the target.
  struct Step {
    std::shared_ptr<ServedModel> model;
    std::string tag;

    bool operator==(const Step&) const = default;
  };

  explicit Route(std::vector<Step> steps) : steps_(std::move(steps)) {}

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  /// The most alternatives: those of the last model.
  [[nodiscard]] int max_alternatives() const { return steps_.back().model->facts().max_alternatives; }

  /// Waits for the translations of `lines` (see RequestQueue::translate), which get the terms of `wanted`. A step reads
  /// the best translations of the step before; a score is the sum over the steps, the log-probability of the
  /// translation and of the one between. Alignments lead from the words of `lines` to those of the translations.
  [[nodiscard]] std::vector<Candidates> translate(std::vector<SourceLine> lines, const WantedDetails& wanted,
                                                  RequestQueue::Clock::time_point deadline) const;

  bool operator==(const Route&) const = default;

 private:
  std::vector<Step> steps_;  ///< one or two
};

/// The models of a server at a time, with the languages between which they translate. Does not change: a server that
/// replaces a model makes another set. Codes of one language ("fr", "FR" and "fra") count as one, and a client may name
/// a language in each way that find_language_code knows.
class ModelSet {
 public:
  using Models = std::vector<std::shared_ptr<ServedModel>>;

  /// A language, and those that it can be translated to, in the order of the models.
  struct Language {
    std::string code;
    std::vector<std::string> targets;
  };

  /// Throws ConfigError, which names both, if two of `models` (at least one) have the same direction.
  ModelSet(Models models, Pivoting pivoting);

  [[nodiscard]] const Models& models() const { return models_; }
  /// The directions of all models, without pivoting.
  [[nodiscard]] const std::vector<Direction>& directions() const { return directions_; }
  /// The languages: those that can be translated, then the others.
  [[nodiscard]] const std::vector<Language>& languages() const { return languages_; }
  /// The most alternatives that a request can get from any model.
  [[nodiscard]] int max_alternatives() const;

  /// Returns the code of this set for a language that a client names, or nothing if there is no such language.
  [[nodiscard]] std::optional<std::string> code_of(std::string_view language) const;
  /// Returns the way from one language to another: that of the model which has the direction, otherwise through English
  /// or else the first language that leads there; nothing if none does.
  [[nodiscard]] std::optional<Route> find(std::string_view source, std::string_view target) const;
  /// The codes of the languages that can be translated to `target`.
  [[nodiscard]] std::vector<std::string> sources_of(std::string_view target) const;

  /// Detects languages, with a preference for those of this set.
  [[nodiscard]] const LanguageDetector& detector() const { return detector_; }

 private:
  void add(const std::shared_ptr<ServedModel>& model);
  [[nodiscard]] std::size_t place_of(const std::string& language);
  [[nodiscard]] std::optional<Route> find(std::size_t source, std::size_t target) const;
  [[nodiscard]] std::vector<std::size_t> places_between() const;
  [[nodiscard]] std::vector<Language> list_languages() const;

  Models models_;
  Pivoting pivoting_;
  LanguageDetector detector_;
  std::vector<Direction> directions_;
  std::vector<std::string> codes_;  ///< of all languages; below, a language is known by its place here
  std::map<std::pair<std::size_t, std::size_t>, Route::Step> direct_;  ///< by source and target
  std::vector<std::size_t> between_;                                   ///< languages to pivot through: English first
  std::vector<Language> languages_;
};

}  // namespace translate::tools
