#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace translate {

/// A sentence and its translation.
struct SentencePair {
  std::string source;
  std::string target;

  bool operator==(const SentencePair&) const = default;
};

/// Pairs of sentences, one after the other, in valid UTF-8 and without line ends.
class PairSource {
 public:
  PairSource() = default;
  virtual ~PairSource() = default;
  PairSource(const PairSource&) = delete;
  PairSource& operator=(const PairSource&) = delete;

  /// Reads the next pair; returns false at the end. Throws DataError and RuntimeError, which name file and line, if the
  /// file is damaged or is not what its format says.
  [[nodiscard]] virtual bool next(SentencePair& pair) = 0;

  /// Where the last pair begins, for messages: "my.tmx:12".
  [[nodiscard]] virtual std::string place() const = 0;
};

/// A text of several sources that can be read several times.
using OpenPairs = std::function<std::vector<std::unique_ptr<PairSource>>()>;

}  // namespace translate
