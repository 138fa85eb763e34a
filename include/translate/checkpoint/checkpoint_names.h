#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace translate {

/// What a checkpoint's folder is called, before its step.
inline constexpr std::string_view kStepPrefix = "step-";

/// The N of `step-N`, with or without leading zeros.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name);

/// The mean of several checkpoints.
struct AverageName {
  bool of_best = false;    ///< of those with the best scores, in place of the newest ones
  std::int64_t count = 0;  ///< of how many; 0: of all
};

/// What `average`, `average:N`, `average-best` and `average-best:N` mean; nothing for another name.
[[nodiscard]] std::optional<AverageName> parse_average_name(std::string_view name);

}  // namespace translate
