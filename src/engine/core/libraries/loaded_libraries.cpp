#include "core/libraries/loaded_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "core/error.h"

// The names of ICU's functions and of its library carry the version: ubrk_open_72 in libicuuc.so.72.
#define TRANSLATE_TEXT_OF(name) #name
#define TRANSLATE_TEXT(name) TRANSLATE_TEXT_OF(name)
#define TRANSLATE_LOAD(name) load<decltype(&::name)>(library, TRANSLATE_TEXT(name), kMissing)

namespace translate {

namespace {

[[noreturn]] void fail(const char* library, std::string_view missing) {
  const char* const reason = ::dlerror();
  throw RuntimeError(fmt::format("{} cannot be loaded ({})", missing, reason != nullptr ? reason : library));
}

void* open(const char* name, std::string_view missing) {
  void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(name, missing);
  return library;
}

template <typename Function>
Function load(void* library, const char* name, std::string_view missing) {
  void* const address = ::dlsym(library, name);
  if (address == nullptr) fail(name, missing);
  return reinterpret_cast<Function>(address);
}

Icu load_icu() {
  constexpr std::string_view kMissing =
      "this needs ICU (splitting text into sentences, which --no-split leaves out; names of languages; lower case; the "
      "normalisation NFC of new tokenizers), the Debian package libicu" U_ICU_VERSION_SHORT ", which";
  void* const library = open("libicuuc.so." U_ICU_VERSION_SHORT, kMissing);
  return {.ubrk_open = TRANSLATE_LOAD(ubrk_open),
          .ubrk_next = TRANSLATE_LOAD(ubrk_next),
          .ubrk_close = TRANSLATE_LOAD(ubrk_close),
          .u_toupper = TRANSLATE_LOAD(u_toupper),
          .u_tolower = TRANSLATE_LOAD(u_tolower),
          .u_islower = TRANSLATE_LOAD(u_islower),
          .u_isupper = TRANSLATE_LOAD(u_isupper),
          .u_charType = TRANSLATE_LOAD(u_charType),
          .ucasemap_open = TRANSLATE_LOAD(ucasemap_open),
          .ucasemap_close = TRANSLATE_LOAD(ucasemap_close),
          .ucasemap_utf8ToLower = TRANSLATE_LOAD(ucasemap_utf8ToLower),
          .uloc_getDisplayLanguage = TRANSLATE_LOAD(uloc_getDisplayLanguage),
          .uloc_getISO3Language = TRANSLATE_LOAD(uloc_getISO3Language),
          .uloc_addLikelySubtags = TRANSLATE_LOAD(uloc_addLikelySubtags),
          .uloc_getScript = TRANSLATE_LOAD(uloc_getScript),
          .unorm2_getNFCInstance = TRANSLATE_LOAD(unorm2_getNFCInstance),
          .unorm2_getDecomposition = TRANSLATE_LOAD(unorm2_getDecomposition),
          .unorm2_normalize = TRANSLATE_LOAD(unorm2_normalize)};
}

Libzip load_libzip() {
  constexpr std::string_view kMissing =
      "this needs libzip (files of torch.save, packages of Argos), the Debian package " TRANSLATE_LIBZIP_PACKAGE
      ", which";
  void* const library = open(TRANSLATE_LIBZIP, kMissing);
  return {.source_function_create = TRANSLATE_LOAD(zip_source_function_create),
          .source_free = TRANSLATE_LOAD(zip_source_free),
          .open_from_source = TRANSLATE_LOAD(zip_open_from_source),
          .discard = TRANSLATE_LOAD(zip_discard),
          .get_num_entries = TRANSLATE_LOAD(zip_get_num_entries),
          .get_name = TRANSLATE_LOAD(zip_get_name),
          .stat_index = TRANSLATE_LOAD(zip_stat_index),
          .fopen_index = TRANSLATE_LOAD(zip_fopen_index),
          .fread = TRANSLATE_LOAD(zip_fread),
          .fclose = TRANSLATE_LOAD(zip_fclose),
          .source_buffer_create = TRANSLATE_LOAD(zip_source_buffer_create),
          .source_keep = TRANSLATE_LOAD(zip_source_keep),
          .source_open = TRANSLATE_LOAD(zip_source_open),
          .source_read = TRANSLATE_LOAD(zip_source_read),
          .source_close = TRANSLATE_LOAD(zip_source_close),
          .source_error = TRANSLATE_LOAD(zip_source_error),
          .source_file_create = TRANSLATE_LOAD(zip_source_file_create),
          .file_add = TRANSLATE_LOAD(zip_file_add),
          .close = TRANSLATE_LOAD(zip_close),
          .get_error = TRANSLATE_LOAD(zip_get_error),
          .error_strerror = TRANSLATE_LOAD(zip_error_strerror)};
}

}  // namespace

const Icu& icu() {
  static const Icu functions = load_icu();
  return functions;
}

const Libzip& libzip() {
  static const Libzip functions = load_libzip();
  return functions;
}

}  // namespace translate
