#include "text/control_subwords.h"

#include <algorithm>
#include <string_view>

namespace translate {

namespace {

bool has_control_character(std::string_view text) {
  constexpr unsigned char kFirstOther = 0x20;
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < kFirstOther; });
}

/// True for <0x00> to <0x1F>, which stand for a byte unless they are text like any other.
bool may_be_control_byte(std::string_view subword) {
  return subword.size() == 6 && (subword.starts_with("<0x0") || subword.starts_with("<0x1")) && subword.back() == '>';
}

}  // namespace

std::vector<std::int64_t> control_subwords(const Tokenizer& tokenizer) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const auto& subword = tokenizer.subword(id);
    if (has_control_character(subword) ||
        (may_be_control_byte(subword) && has_control_character(tokenizer.decode({&id, 1})))) {
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace translate
