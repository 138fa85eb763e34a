#include "text/icu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.h"

// The names of ICU's functions and of its library carry the version: ubrk_open_72 in libicuuc.so.72.
#define TRANSLATE_TEXT_OF(name) #name
#define TRANSLATE_TEXT(name) TRANSLATE_TEXT_OF(name)
#define TRANSLATE_LOAD(name) load<decltype(&::name)>(library, TRANSLATE_TEXT(name))

namespace translate {

namespace {

constexpr const char* kLibrary = "libicuuc.so." U_ICU_VERSION_SHORT;

[[noreturn]] void fail() {
  const char* reason = ::dlerror();
  throw RuntimeError(
      fmt::format("splitting text into sentences needs ICU, which cannot be loaded ({}): install the "
                  "Debian package libicu{}, or translate lines as they are (--no-split)",
                  reason != nullptr ? reason : kLibrary, U_ICU_VERSION_SHORT));
}

template <typename Function>
Function load(void* library, const char* name) {
  void* address = ::dlsym(library, name);
  if (address == nullptr) {
    fail();
  }
  return reinterpret_cast<Function>(address);
}

Icu load_icu() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fail();
  }
  return {.ubrk_open = TRANSLATE_LOAD(ubrk_open),
          .ubrk_next = TRANSLATE_LOAD(ubrk_next),
          .ubrk_close = TRANSLATE_LOAD(ubrk_close),
          .u_toupper = TRANSLATE_LOAD(u_toupper),
          .u_tolower = TRANSLATE_LOAD(u_tolower),
          .u_islower = TRANSLATE_LOAD(u_islower),
          .u_isupper = TRANSLATE_LOAD(u_isupper)};
}

}  // namespace

const Icu& icu() {
  static const Icu functions = load_icu();
  return functions;
}

}  // namespace translate
