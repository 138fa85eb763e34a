#include "translate/serving/form_text.h"

#include <algorithm>
#include <charconv>

namespace translate {
namespace {

std::string decode_form(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return decode_percent(spaced);
}

}  // namespace

std::string decode_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned int byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ptr == &text[i + 1] + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

FormFields form_fields(std::string_view text) {
  FormFields fields;
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (!pair.empty()) {
      fields.emplace_back(decode_form(pair.substr(0, equals)),
                          decode_form(pair.substr(std::min(equals + 1, pair.size()))));
    }
  }
  return fields;
}

}  // namespace translate
