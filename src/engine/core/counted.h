#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace translate {

/// Returns a number of things in words for people: "0 lines", "1 line", "2 lines". `noun`: one thing; its plural ends
/// in -s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// Returns 1234567 as "1,234,567"; not for negative numbers.
[[nodiscard]] std::string with_commas(std::int64_t number);

}  // namespace translate
