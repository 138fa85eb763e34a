#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/data/corpus.h"
#include "translate/data/line_reader.h"

namespace translate {

/// A pair of sentences and where it comes from.
struct TextPair {
  std::string source;
  std::string target;
  PairOrigin origin;
};

/// The pairs of corpora, one corpus after the other, in the order of their lines.
class PairReader {
 public:
  explicit PairReader(std::span<const CorpusFiles> files, LineCheck check = LineCheck::kUtf8);

  /// Reads the next pair; false at the end. Throws DataError as LineReader does, and where the two files of a corpus
  /// have unequal line counts or more lines than can be counted.
  [[nodiscard]] bool next(TextPair& pair);

 private:
  [[noreturn]] void fail_unequal(bool source_ended);

  std::vector<CorpusFiles> files_;
  LineCheck check_;
  std::size_t corpus_ = 0;
  std::optional<LineReader> source_;
  std::optional<LineReader> target_;
};

/// Which pairs of a training text are held out of training: a share drawn at random, a function of the three numbers
/// alone, on every platform.
struct HeldOutShare {
  std::uint64_t pairs = 0;  ///< pairs without a blank side in the whole text
  double fraction = 0.0;    ///< 0-1; 0 holds nothing out, else at least one pair is held out and one is not
  std::uint64_t seed = 0;
};

/// Throws DataError where pairs are to be held out of fewer than two, or of more than can be counted.
void check_held_out(const HeldOutShare& share);

/// For each pair whether it is held out; empty where none is. Needs 4 bytes a pair for a moment.
/// Throws DataError as check_held_out.
[[nodiscard]] std::vector<bool> draw_held_out(const HeldOutShare& share);

/// Which pairs of the text are wanted.
enum class Selection {
  kAll,       ///< every one, blank ones too
  kTraining,  ///< those with something on both sides that are not held out
  kHeldOut    ///< those with something on both sides that are
};

/// The selected pairs of a text.
class SelectedPairs {
 public:
  SelectedPairs(std::span<const CorpusFiles> files, Selection selection, const HeldOutShare& share = {});

  /// As PairReader::next.
  [[nodiscard]] bool next(TextPair& pair);

  /// Pairs passed over so far because a side is empty or white space only.
  [[nodiscard]] const LeftOut& blank() const { return blank_; }

 private:
  PairReader reader_;
  Selection selection_;
  std::vector<bool> held_out_;
  std::size_t position_ = 0;  // among the pairs that are not blank
  LeftOut blank_;
};

/// All that are left of them, in memory.
[[nodiscard]] ParallelCorpus read_pairs(SelectedPairs& pairs);

}  // namespace translate
