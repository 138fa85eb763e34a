#include "serve/models/model_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ranges>
#include <span>

#include "core/error.h"
#include "languages/language_codes.h"

namespace translate::tools {

namespace {

/// Returns the lines as a model reads them: with the tag of a target before each that has text.
std::vector<SourceLine> input_lines(std::vector<SourceLine> lines, const std::string& tag,
                                    const WantedDetails& wanted) {
  for (auto& line : lines) {
    if (!tag.empty() && !line.text.empty()) {
      line.text.insert(0, tag + " ");
      for (auto& mark : line.marks) {
        mark = {.begin = mark.begin + tag.size() + 1, .end = mark.end + tag.size() + 1};
      }
    }
    line.keep = wanted.keep;
    line.glossary = wanted.glossary;
  }
  return lines;
}

std::vector<std::string> codes_of(const ModelSet::Models& models) {
  std::vector<std::string> codes;
  for (const auto& model : models) {
    for (const auto& [source, target, tag] : model->facts().directions) {
      codes.insert(codes.end(), {source, target});
    }
  }
  return codes;
}

}  // namespace

namespace {

/// Makes the alignments of a step's translations lead from the words of lines without its language tag.
void leave_out_tag(const std::string& tag, std::vector<Candidates>& translated) {
  if (tag.empty()) {
    return;
  }
  for (auto& candidates : translated) {
    for (auto& candidate : candidates) {
      std::erase_if(candidate.alignment, [](const AlignmentPoint& pair) { return pair.source == 0; });
      for (auto& pair : candidate.alignment) {
        --pair.source;
      }
    }
  }
}

/// Returns the alignment of a translation of a translation.
Alignment composed(const Alignment& first, const Alignment& second) {
  Alignment whole;
  for (const auto& to : second) {
    for (const auto& from : first) {
      if (from.target == to.source) {
        whole.push_back({.source = from.source, .target = to.target});
      }
    }
  }
  sort_alignment(whole);
  return whole;
}

}  // namespace

std::vector<Candidates> Route::translate(std::vector<SourceLine> lines, const WantedDetails& wanted,
                                         RequestQueue::Clock::time_point deadline) const {
  std::vector<ScoredText> before(lines.size());
  const auto pass = [&](const Step& step, bool alternatives) {
    auto& queue = step.model->queue(alternatives);
    auto translated = queue.translate(input_lines(std::move(lines), step.tag, wanted), deadline, wanted.when_full);
    leave_out_tag(step.tag, translated);
    return translated;
  };
  for (const auto& step : std::span(steps_).first(steps_.size() - 1)) {
    std::vector<bool> are_aligned;
    std::ranges::transform(lines, std::back_inserter(are_aligned), &SourceLine::is_aligned);
    auto translated = pass(step, /*alternatives=*/false);
    lines.clear();
    for (std::size_t i = 0; i < translated.size(); ++i) {
      before[i] = std::move(translated[i].front());
      lines.push_back({.text = std::move(before[i].text), .is_aligned = are_aligned[i]});
    }
  }
  auto translated = pass(steps_.back(), wanted.alternatives);
  for (std::size_t i = 0; steps_.size() > 1 && i < translated.size(); ++i) {
    translated[i].front().unknown_words = std::move(before[i].unknown_words);  // those of the line itself
    translated[i].front().unseen_words = std::move(before[i].unseen_words);
    for (auto& candidate : translated[i]) {
      candidate.score += before[i].score;
      candidate.confidence.reset();  // it was measured on sources that people wrote, not on translations
      candidate.alignment = composed(before[i].alignment, candidate.alignment);
    }
  }
  return translated;
}

ModelSet::ModelSet(Models models, Pivoting pivoting)
    : models_(std::move(models)), pivoting_(pivoting), detector_(codes_of(models_)) {
  for (const auto& model : models_) {
    add(model);
  }
  between_ = places_between();
  languages_ = list_languages();
}

/// Adds the directions of a model.
void ModelSet::add(const std::shared_ptr<ServedModel>& model) {
  for (const auto& direction : model->facts().directions) {
    const auto source = place_of(direction.source);  // in this order
    const auto target = place_of(direction.target);
    const auto [known, is_new] =
        direct_.try_emplace({source, target}, Route::Step{.model = model, .tag = direction.tag});
    if (!is_new) {
      throw ConfigError(
          fmt::format("two models translate from {} to {}: {} and {}; leave one of them out, or, if they have other "
                      "languages, name these by --model SOURCE:TARGET=NAME",
                      direction.source, direction.target, known->second.model->facts().name, model->facts().name));
    }
    directions_.push_back(direction);
  }
}

/// Returns the place of a language in codes_, which gets it if it is new.
std::size_t ModelSet::place_of(const std::string& language) {
  const auto known = std::ranges::find_if(
      codes_, [&](const auto& code) { return compare_languages(code, language) == LanguageMatch::kCode; });
  if (known == codes_.end()) {
    codes_.push_back(language);
    return codes_.size() - 1;
  }
  return static_cast<std::size_t>(known - codes_.begin());
}

std::vector<std::size_t> ModelSet::places_between() const {
  std::vector<std::size_t> places(codes_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_partition(
      places, [&](std::size_t place) { return compare_languages(codes_[place], "en") == LanguageMatch::kCode; });
  return places;
}

std::optional<Route> ModelSet::find(std::size_t source, std::size_t target) const {
  if (const auto direct = direct_.find({source, target}); direct != direct_.end()) {
    return Route({direct->second});
  }
  if (pivoting_ == Pivoting::kOff || source == target) {
    return std::nullopt;
  }
  for (const auto between : between_) {
    const auto first = direct_.find({source, between});
    const auto second = direct_.find({between, target});
    if (first != direct_.end() && second != direct_.end()) {
      return Route({first->second, second->second});
    }
  }
  return std::nullopt;
}

std::vector<ModelSet::Language> ModelSet::list_languages() const {
  std::vector<Language> languages;
  for (std::size_t source = 0; source < codes_.size(); ++source) {
    languages.push_back({.code = codes_[source], .targets = {}});
    for (std::size_t target = 0; target < codes_.size(); ++target) {
      if (find(source, target)) {
        languages.back().targets.push_back(codes_[target]);
      }
    }
  }
  std::ranges::stable_partition(languages, [](const Language& language) { return !language.targets.empty(); });
  return languages;
}

int ModelSet::max_alternatives() const {
  const auto most = [](const auto& model) { return model->facts().max_alternatives; };
  return std::ranges::max(models_ | std::views::transform(most));
}

std::optional<std::string> ModelSet::code_of(std::string_view language) const {
  const auto place = find_language_code(codes_, language);
  return place ? std::optional(codes_[*place]) : std::nullopt;
}

std::optional<Route> ModelSet::find(std::string_view source, std::string_view target) const {
  const auto from = find_language_code(codes_, source);
  const auto to = find_language_code(codes_, target);
  return from && to ? find(*from, *to) : std::nullopt;
}

std::vector<std::string> ModelSet::sources_of(std::string_view target) const {
  std::vector<std::string> sources;
  if (const auto to = find_language_code(codes_, target)) {
    for (std::size_t from = 0; from < codes_.size(); ++from) {
      if (find(from, *to)) {
        sources.push_back(codes_[from]);
      }
    }
  }
  return sources;
}

}  // namespace translate::tools
