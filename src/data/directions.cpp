#include "data/directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/language_names.h"

namespace translate {

std::vector<Direction> directions(const Config& config, const Tokenizer& source) {
  std::vector<Direction> found;
  const auto pairs = language_pairs(config.data);
  if (!name_languages(config.data.train)) {
    for (const auto& language : source.tagged_languages()) {
      found.push_back({.source = pairs.front().source, .target = language, .tag = language_tag_of(language)});
    }
    if (!found.empty()) return found;
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
    if (std::ranges::find(targets, direction.target) == targets.end()) targets.push_back(direction.target);
  }
  return targets;
}

std::optional<Direction> find_direction(std::span<const Direction> directions, std::string_view target,
                                        std::string_view source) {
  std::vector<Direction> candidates;
  std::vector<std::string> targets;
  for (const auto& direction : directions) {
    if (source.empty() || direction.source == source || is_same_language_code(direction.source, source)) {
      candidates.push_back(direction);
      targets.push_back(direction.target);
    }
  }
  const auto found = find_language_code(targets, target);
  return found ? std::optional(candidates[*found]) : std::nullopt;
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
