// The only file that uses ICU, so that programs without it do not load ICU's libraries.

#include "translate/metrics/unicode_text.h"

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "translate/core/error.h"
#include "translate/core/utf8.h"

namespace translate {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string ascii_to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

[[noreturn]] void fail(UErrorCode error) {
  throw RuntimeError(std::string("ICU cannot put a text into lower case: ") + u_errorName(error));
}

const UCaseMap* lower_case_map() {
  static const auto map = [] {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<UCaseMap, decltype(&ucasemap_close)> opened(ucasemap_open("", 0, &error), &ucasemap_close);
    if (U_FAILURE(error)) fail(error);
    return opened;
  }();
  return map.get();
}

bool has_category(char32_t code_point, std::uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code_point)) & mask) != 0;
}

}  // namespace

std::string to_lower_case(std::string_view text) {
  if (is_ascii(text)) return ascii_to_lower(text);
  const std::string source = replace_invalid_utf8(text);
  std::string lower(2 * source.size(), '\0');  // no character's lower case takes more than twice its bytes
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t size =
      ucasemap_utf8ToLower(lower_case_map(), lower.data(), static_cast<std::int32_t>(lower.size()), source.data(),
                           static_cast<std::int32_t>(source.size()), &error);
  if (U_FAILURE(error)) fail(error);
  lower.resize(static_cast<std::size_t>(size));
  return lower;
}

bool is_unicode_number(char32_t code_point) { return has_category(code_point, U_GC_N_MASK); }

bool is_unicode_punctuation(char32_t code_point) { return has_category(code_point, U_GC_P_MASK); }

bool is_unicode_symbol(char32_t code_point) { return has_category(code_point, U_GC_S_MASK); }

}  // namespace translate
