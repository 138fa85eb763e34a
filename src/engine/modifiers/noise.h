#pragma once

#include <random>
#include <string>

namespace translate {

/// Returns a segment that a translation copies: a number (also a date, a time, a price or a share), a URL, an e-mail
/// address or emoji, each equally likely; made up of random digits and letters. A function of the state of `random`, on
/// every platform.
[[nodiscard]] std::string noise_segment(std::mt19937_64& random);

/// Returns a made-up word that can be pronounced, of one to three syllables in small ASCII letters.
[[nodiscard]] std::string random_name(std::mt19937_64& random);

}  // namespace translate
