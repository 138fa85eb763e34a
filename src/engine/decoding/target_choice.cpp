#include "decoding/target_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"

namespace translate {

void choose_target(std::span<const Direction> directions, const std::string& wanted, const std::string& option,
                   TranslatorOptions& options) {
  const auto targets = target_languages(directions);
  const auto chosen = wanted.empty() ? std::optional(directions.front()) : find_direction(directions, wanted);
  if (!chosen) {
    throw ConfigError(fmt::format("{} {}: the model translates into {}", option, wanted, describe_targets(directions)));
  }
  if (wanted.empty() && targets.size() > 1) {
    options.target_language.clear();
    options.missing_tag_warning = fmt::format(
        "the model translates into several languages, and nothing says into which one: give {} CODE ({}), or begin "
        "each line with a tag such as {}",
        option, describe_targets(directions), directions.front().tag);
    return;
  }
  options.language_tag = chosen->tag;
  options.target_language = chosen->target;
  const auto of_target = [&](const Direction& direction) { return direction.target == chosen->target; };
  const bool has_one_source = std::ranges::all_of(directions, [&](const Direction& direction) {
    return !of_target(direction) || direction.source == chosen->source;
  });
  options.source_language = has_one_source ? chosen->source : "";
}

}  // namespace translate
