#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace translate {

/// Remembers the pieces of words, so that a word that comes again need not be cut again. For any number of threads;
/// holds at most some ten MB, whatever comes.
class WordCache {
 public:
  using Encode = std::function<std::vector<std::int64_t>(std::string_view)>;

  /// True where `text` is words with single spaces between them, without U+2581.
  [[nodiscard]] static bool takes(std::string_view text);

  /// The pieces of a text that it takes, its words' one after the other; `encode` gives those of a word not yet known.
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text, const Encode& encode);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  using Words = std::unordered_map<std::string, std::vector<std::int32_t>, Hash, std::equal_to<>>;
  struct Shard {
    std::mutex mutex;
    Words words;
  };

  void append_word(std::string_view word, const Encode& encode, std::vector<std::int64_t>& ids);

  std::array<Shard, 64> shards_;  ///< a word's hash says which: threads seldom meet in one
};

}  // namespace translate
