#include "translate/text/id_rewriting.h"

#include <algorithm>
#include <iterator>

#include "translate/core/error.h"
#include "translate/core/utf8.h"

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

}  // namespace translate
