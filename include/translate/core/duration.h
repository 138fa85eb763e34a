#pragma once

#include <string>

namespace translate {

/// A span of time for people: "48 s", "3 min 05 s", "1 h 02 min", from 100 hours on "4 d 04 h". Negative and
/// not-a-number spans read as "0 s".
[[nodiscard]] std::string format_duration(double seconds);

/// The same in a few characters: "0:48", "3:05", "1:02:03", from 100 hours on "4d04h".
[[nodiscard]] std::string format_clock(double seconds);

}  // namespace translate
