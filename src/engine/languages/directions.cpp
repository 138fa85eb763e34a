#include "languages/directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "languages/language_codes.h"
#include "languages/language_names.h"

namespace translate {

std::vector<Direction> directions(const Config& config, const Tokenizer& source) {
  std::vector<Direction> found;
  const auto pairs = language_pairs(config.data);
  if (!name_languages(config.data.train)) {
    for (const auto& language : source.tagged_languages()) {
      found.push_back({.source = pairs.front().source, .target = language, .tag = language_tag_of(language)});
    }
    if (!found.empty()) {
      return found;
    }
  }
  const bool tagged = has_language_tags(config.data);
  for (const auto& [from, to] : pairs) {
    found.push_back({.source = from, .target = to, .tag = tagged ? language_tag_of(to) : ""});
  }
  return found;
}

std::vector<std::string> target_languages(std::span<const Direction> directions) {
  std::vector<std::string> targets;
  for (const auto& direction : directions) {
    if (std::ranges::find(targets, direction.target) == targets.end()) {
      targets.push_back(direction.target);
    }
  }
  return targets;
}

std::optional<Direction> find_direction(std::span<const Direction> directions, std::string_view target,
                                        std::string_view source) {
  std::vector<std::string> sources;
  std::ranges::transform(directions, std::back_inserter(sources), &Direction::source);
  const auto from = find_language_code(sources, source);
  std::vector<Direction> candidates;
  std::vector<std::string> targets;
  for (const auto& direction : directions) {
    if (source.empty() || (from && direction.source == sources[*from])) {
      candidates.push_back(direction);
      targets.push_back(direction.target);
    }
  }
  const auto found = find_language_code(targets, target);
  return found ? std::optional(candidates[*found]) : std::nullopt;
}

namespace {

/// Chooses or names one side of the directions (see directions_between).
void name_side(std::vector<Direction>& directions, std::string Direction::*side, const std::string& given,
               bool is_named) {
  if (given.empty() || directions.empty()) {
    return;
  }
  std::vector<std::string> codes;
  std::ranges::transform(directions, std::back_inserter(codes), side);
  const auto found = find_language_code(codes, given);
  const bool is_one = std::ranges::count(codes, codes.front()) == std::ssize(codes);
  if (is_one && (found || !is_named || !is_one_language(codes.front()))) {
    for (auto& direction : directions) {
      direction.*side = given;
    }
  } else {
    std::erase_if(directions, [&](const Direction& direction) { return !found || direction.*side != codes[*found]; });
  }
}

}  // namespace

std::vector<Direction> directions_between(std::vector<Direction> directions, const NamedSides& named,
                                          const LanguageCodes& given) {
  const bool has_tags = std::ranges::any_of(directions, [](const auto& direction) { return !direction.tag.empty(); });
  name_side(directions, &Direction::source, given.source, named.source);
  name_side(directions, &Direction::target, given.target, named.target || has_tags);
  return directions;
}

std::string describe_targets(std::span<const Direction> directions) {
  std::string text;
  for (const auto& target : target_languages(directions)) {
    const auto name = language_name(target);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", target, name == target ? "" : fmt::format(" ({})", name));
  }
  return text;
}

}  // namespace translate
