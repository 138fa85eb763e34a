#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// A replacement of one run of piece ids by another.
struct IdRewrite {
  std::vector<int> from;  ///< the run to look for; not empty
  std::vector<int> to;    ///< what stands in its place
};

/// `ids` with every run of a rewrite replaced, from left to right; where several match, the first one listed wins.
[[nodiscard]] std::vector<std::int64_t> rewrite_ids(std::span<const int> ids, std::span<const IdRewrite> rewrites);

/// `text` with every `from` (not empty) replaced by `to`.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// The first character of the private-use plane U+F0000..U+FFFFD, in UTF-8, for which `is_taken` is false.
/// Throws DataError where all are taken.
[[nodiscard]] std::string first_free_character(const std::function<bool(std::string_view)>& is_taken);

}  // namespace translate
