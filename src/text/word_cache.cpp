#include "translate/text/word_cache.h"

#include <algorithm>

namespace translate {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581, which SentencePiece takes for a space
constexpr std::size_t kLongestWord = 32;                 // bytes; longer ones seldom come again
constexpr std::size_t kWordsAShard = 2000;               // then it is emptied: what comes often is soon there again

}  // namespace

bool WordCache::takes(std::string_view text) {
  constexpr auto kNone = std::string_view::npos;
  return !text.empty() && text.front() != ' ' && text.back() != ' ' && text.find("  ") == kNone &&
         text.find(kSpaceMark) == kNone;
}

void WordCache::append_word(std::string_view word, const Encode& encode, std::vector<std::int64_t>& ids) {
  if (word.size() > kLongestWord) {
    const auto pieces = encode(word);
    ids.insert(ids.end(), pieces.begin(), pieces.end());
    return;
  }
  // The map uses the low bits of the same hash.
  Shard& shard = shards_[(Hash()(word) >> 48U) % shards_.size()];
  {
    const std::lock_guard lock(shard.mutex);
    if (const auto known = shard.words.find(word); known != shard.words.end()) {
      ids.insert(ids.end(), known->second.begin(), known->second.end());
      return;
    }
  }
  const auto pieces = encode(word);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  std::vector<std::int32_t> kept;
  kept.reserve(pieces.size());
  for (const std::int64_t id : pieces) kept.push_back(static_cast<std::int32_t>(id));
  const std::lock_guard lock(shard.mutex);
  if (shard.words.size() >= kWordsAShard) shard.words.clear();
  shard.words.emplace(word, std::move(kept));
}

std::vector<std::int64_t> WordCache::encode(std::string_view text, const Encode& encode) {
  std::vector<std::int64_t> ids;
  ids.reserve(text.size() / 3);
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    append_word(text.substr(0, end), encode, ids);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

}  // namespace translate
