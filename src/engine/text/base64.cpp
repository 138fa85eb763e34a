#include "text/base64.h"

#include <cstdint>

namespace translate {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    const auto group = bytes.substr(begin, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? kDigits[bits >> (18U - 6U * static_cast<unsigned>(i)) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace translate
