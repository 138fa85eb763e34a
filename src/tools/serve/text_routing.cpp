#include "serve/text_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "decoding/document_lines.h"
#include "languages/language_codes.h"

namespace translate::tools {

std::vector<std::string> all_codes(const ModelSet& models) {
  std::vector<std::string> codes;
  std::ranges::transform(models.languages(), std::back_inserter(codes), &ModelSet::Language::code);
  return codes;
}

std::optional<DetectedLanguage> own_language(std::span<const DetectedLanguage> detected,
                                             std::span<const std::string> codes) {
  for (const auto& found : detected) {
    auto own = find_language_code(codes, found.language);
    const auto is_near = [&](const auto& code) {
      return compare_languages(found.language, code) != LanguageMatch::kNone;
    };
    if (const auto other = std::ranges::find_if(codes, is_near); !own && other != codes.end()) {
      own = static_cast<std::size_t>(other - codes.begin());
    }
    if (own) {
      return DetectedLanguage{.language = codes[*own], .confidence = found.confidence, .is_sure = found.is_sure};
    }
  }
  return std::nullopt;
}

TextRouter::TextRouter(const ModelSet& models, const TranslationRequest& wanted) : models_(models), wanted_(wanted) {
  if (wanted.source == kAutoLanguage) {
    sources_ = models.sources_of(wanted.target);
  } else {
    route_ = models.find(wanted.source, wanted.target);
  }
  if (!route_ && sources_.empty()) {
    throw RequestError(400, fmt::format("{} to {} is not supported: this server translates {}", wanted.source,
                                        wanted.target, directions_text(models.directions())));
  }
}

std::optional<Route> TextRouter::route(std::span<const std::string> texts, DetectedLanguage& detected) const {
  if (route_) {
    return route_;
  }
  auto codes = sources_;
  codes.push_back(target());
  const auto found = models_.detector().detect(fmt::format("{}", fmt::join(texts, "\n")));
  detected = own_language(found, codes).value_or(DetectedLanguage());
  if (std::ranges::find(sources_, detected.language) == sources_.end()) {
    if (detected.is_sure) {
      return std::nullopt;
    }
    detected = {.language = sources_.front(), .confidence = 0.0, .is_sure = false};
  }
  return models_.find(detected.language, wanted_.target);
}

RoutedTexts::RoutedTexts(const TextRouter& router, std::vector<ReadText> texts) {
  for (auto& [document, bytes] : texts) {
    RoutedText text;
    const auto route = router.route(document->texts(), text.detected);
    const auto group = route ? group_of(*route) : 0;  // of no line, if there is no route
    if (route) {
      std::ranges::move(lines_of(*document), std::back_inserter(groups_[group].lines));
      text.max_alternatives = route->max_alternatives();
      text.document = std::move(document);
    } else {
      text.document = unchanged_document(bytes);
    }
    texts_.push_back(std::move(text));
    groups_of_texts_.push_back(group);
  }
}

std::size_t RoutedTexts::group_of(const Route& route) {
  const auto known = std::ranges::find(groups_, route, &Group::route);
  if (known != groups_.end()) {
    return static_cast<std::size_t>(known - groups_.begin());
  }
  groups_.push_back({.route = route, .lines = {}});
  return groups_.size() - 1;
}

std::size_t RoutedTexts::line_count() const {
  std::size_t lines = 0;
  for (const auto& group : groups_) {
    lines += group.lines.size();
  }
  return lines;
}

namespace {

/// Translates lines portion by portion.
std::vector<Candidates> translate_in_portions(const Route& route, std::span<SourceLine> lines, WantedDetails wanted,
                                              std::size_t portion, RequestQueue::Clock::time_point deadline) {
  std::vector<Candidates> all;
  while (!lines.empty()) {
    const auto next = lines.first(std::min(portion, lines.size()));
    lines = lines.subspan(next.size());
    std::ranges::move(
        route.translate({std::make_move_iterator(next.begin()), std::make_move_iterator(next.end())}, wanted, deadline),
        std::back_inserter(all));
    wanted.when_full = WhenFull::kWait;
  }
  return all;
}

}  // namespace

std::vector<Candidates> RoutedTexts::translate(const WantedDetails& wanted, std::size_t portion,
                                               RequestQueue::Clock::time_point deadline) {
  std::vector<std::vector<Candidates>> of_groups;
  for (auto& group : groups_) {
    if (wanted.glossary && group.route.steps().size() > 1) {
      throw RequestError(
          400,
          "glossary: no model has this direction, and through a third language terms cannot be required; "
          "leave glossary out");
    }
    of_groups.push_back(translate_in_portions(group.route, group.lines, wanted, portion, deadline));
  }
  if (of_groups.size() == 1) {
    return std::move(of_groups.front());
  }
  std::vector<std::size_t> taken(of_groups.size(), 0);
  std::vector<Candidates> all;
  for (std::size_t text = 0; text < texts_.size(); ++text) {
    for (std::size_t line = 0; line < texts_[text].document->texts().size(); ++line) {
      const auto group = groups_of_texts_[text];
      all.push_back(std::move(of_groups[group][taken[group]++]));
    }
  }
  return all;
}

}  // namespace translate::tools
