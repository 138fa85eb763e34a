#pragma once

#include <cstdint>
#include <span>

namespace translate {

/// True if generated subwords repeat themselves where their source does not, as a search does that has run into a loop:
/// a run of up to eight subwords stands there three times in a row (one subword alone: four times), or four subwords in
/// this order occur three times, and no run of the source's subwords is repeated as often.
[[nodiscard]] bool has_loop(std::span<const std::int64_t> generated, std::span<const std::int64_t> source);

/// True if a subword stands three times in a row in a text of more than three times as many as its source has, and no
/// run of the source's subwords is repeated as often.
[[nodiscard]] bool repeats_subword(std::span<const std::int64_t> generated, std::span<const std::int64_t> source);

}  // namespace translate
