#include "pairs/usual_scripts.h"

#include <unicode/uscript.h>

#include "core/utf8.h"
#include "segments/characters.h"

namespace translate {

namespace {

/// Calls use(script) for each letter of a script of its own: letters such as those with accents added are of any.
void each_script(std::string_view text, const auto& use) {
  for (const char32_t c : decode_utf8(text)) {
    if (is_ascii_letter(c)) {
      use(USCRIPT_LATIN);
    } else if (c >= 0x80 && is_letter(c)) {
      UErrorCode status = U_ZERO_ERROR;
      const auto script = uscript_getScript(static_cast<UChar32>(c), &status);
      if (U_SUCCESS(status) && script != USCRIPT_COMMON && script != USCRIPT_INHERITED) {
        use(script);
      }
    }
  }
}

}  // namespace

void UsualScripts::add(std::string_view text) {
  each_script(text, [this](int script) {
    ++letters_[script];
    ++all_;
  });
}

bool UsualScripts::is_other(std::string_view text) const {
  constexpr std::uint64_t kFewest = 1000;  // letters to learn from
  constexpr std::uint64_t kShare = 100;
  std::uint64_t usual = 0;
  std::uint64_t all = 0;
  each_script(text, [&](int script) {
    const auto found = letters_.find(script);
    usual += found != letters_.end() && found->second * kShare >= all_ ? 1 : 0;
    ++all;
  });
  return all_ >= kFewest && usual * 2 < all;
}

}  // namespace translate
