#include "text/sequence_ids.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/utf8.h"

namespace translate {

std::vector<std::int64_t> rewrite_ids(std::span<const int> ids, std::span<const IdRewrite> rewrites) {
  std::vector<std::int64_t> result;
  result.reserve(ids.size());
  for (auto position = ids.begin(); position != ids.end();) {
    const auto match = std::find_if(rewrites.begin(), rewrites.end(), [&](const IdRewrite& rewrite) {
      return std::distance(position, ids.end()) >= std::ssize(rewrite.from) &&
             std::equal(rewrite.from.begin(), rewrite.from.end(), position);
    });
    if (match == rewrites.end()) {
      result.push_back(*position++);
    } else {
      result.insert(result.end(), match->to.begin(), match->to.end());
      position += std::ssize(match->from);
    }
  }
  return result;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t position = 0;
  for (std::size_t found = 0; (found = text.find(from, position)) != std::string_view::npos;
       position = found + from.size()) {
    result.append(text.substr(position, found - position)).append(to);
  }
  return result.append(text.substr(position));
}

std::string first_free_character(const std::function<bool(std::string_view)>& is_taken) {
  for (char32_t code_point = 0xF0000; code_point <= 0xFFFFD; ++code_point) {
    const std::string candidate = encode_utf8({&code_point, 1});
    if (!is_taken(candidate)) return candidate;
  }
  throw DataError("text with U+2581 cannot be encoded: text and vocabulary hold every character of U+F0000..U+FFFFD");
}

std::vector<std::int64_t> encoder_input_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special) {
  std::vector<std::int64_t> ids = decoder_input_ids(subwords, special);
  ids.push_back(special.eos);
  return ids;
}

std::vector<std::int64_t> encoder_input_ids(const Tokenizer& tokenizer, std::string_view text) {
  return encoder_input_ids(compact_ids(tokenizer.encode(text)), tokenizer.special_tokens());
}

std::vector<std::int64_t> decoder_input_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special) {
  std::vector<std::int64_t> ids;
  ids.reserve(subwords.size() + 2);
  ids.push_back(special.sos);
  ids.insert(ids.end(), subwords.begin(), subwords.end());
  return ids;
}

std::vector<std::int64_t> label_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special) {
  std::vector<std::int64_t> ids;
  ids.reserve(subwords.size() + 1);
  ids.insert(ids.end(), subwords.begin(), subwords.end());
  ids.push_back(special.eos);
  return ids;
}

std::vector<std::int32_t> compact_ids(std::span<const std::int64_t> ids) {
  std::vector<std::int32_t> compact;
  compact.reserve(ids.size());
  for (const std::int64_t id : ids) compact.push_back(static_cast<std::int32_t>(id));
  return compact;
}

}  // namespace translate
