#pragma once

#include <unicode/ubrk.h>
#include <unicode/uchar.h>

namespace translate {

/// The functions of ICU that splitting text into sentences needs, loaded at run time: a program that has nothing to
/// split starts without ICU, whose libraries take longer to load than everything else that it needs.
struct Icu {
  decltype(&::ubrk_open) ubrk_open;
  decltype(&::ubrk_next) ubrk_next;
  decltype(&::ubrk_close) ubrk_close;
  decltype(&::u_toupper) u_toupper;
  decltype(&::u_tolower) u_tolower;
  decltype(&::u_islower) u_islower;
  decltype(&::u_isupper) u_isupper;
};

/// Loads ICU on the first call. Throws RuntimeError where it is not installed. Thread-safe.
[[nodiscard]] const Icu& icu();

}  // namespace translate
