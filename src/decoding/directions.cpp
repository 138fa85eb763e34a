#include "decoding/directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/language_names.h"

namespace translate {

namespace {

/// The targets, each once, in their order.
std::vector<std::string> targets_of(std::span<const Direction> directions) {
  std::vector<std::string> targets;
  for (const auto& direction : directions) {
    if (std::ranges::find(targets, direction.target) == targets.end()) targets.push_back(direction.target);
  }
  return targets;
}

}  // namespace

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
  for (const auto& target : targets_of(directions)) {
    const auto name = language_name(target);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", target, name == target ? "" : fmt::format(" ({})", name));
  }
  return text;
}

void choose_target(std::span<const Direction> directions, const std::string& wanted, const std::string& option,
                   TranslatorOptions& options) {
  const auto targets = targets_of(directions);
  const auto chosen = wanted.empty() ? std::optional(directions.front()) : find_direction(directions, wanted);
  if (!chosen) {
    throw ConfigError(fmt::format("{} {}: the model translates into {}", option, wanted, describe_targets(directions)));
  }
  if (wanted.empty() && targets.size() > 1) {
    options.tag_missing = fmt::format(
        "the model translates into several languages, and nothing says into which one: give {} CODE ({}), or begin "
        "each line with a tag such as {}",
        option, describe_targets(directions), directions.front().tag);
    return;
  }
  options.language_tag = chosen->tag;
  const auto of_target = [&](const Direction& direction) { return direction.target == chosen->target; };
  const bool has_one_source = std::ranges::all_of(directions, [&](const Direction& direction) {
    return !of_target(direction) || direction.source == chosen->source;
  });
  options.source_language = has_one_source ? chosen->source : "";
}

}  // namespace translate
