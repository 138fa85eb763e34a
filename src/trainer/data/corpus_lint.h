#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"
#include "corpora/corpus_reader.h"
#include "pairs/hash_set.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace translate::trainer {

/// A possible fault of a pair.
enum class Finding {
  kEmpty,             ///< a side is empty or blank
  kDuplicate,         ///< the pair repeats an earlier one
  kCopied,            ///< source and target are the same, white space at the ends aside
  kNotUtf8,           ///< bytes that are not UTF-8; the checks below are then skipped
  kControlCharacter,  ///< see has_control_characters
  kMojibake,          ///< see looks_read_as_latin
  kTab,               ///< a side has a tab, as in a file with both languages in columns
  kTooLong,           ///< a side has more subwords than data.max_length
  kUneven,            ///< the longer side has more subwords than the shorter one times a limit
  kUncovered,         ///< a character or word that the vocabulary has no subword for
  kNotRestored,       ///< the target's tokenizer does not give the target back (see round_trip)
  kSourceInTraining,  ///< of validation and test: the source is in the training text
  kPairInTraining,    ///< the same for the pair
};
inline constexpr std::size_t kFindings = 13;

/// A pair with a finding.
struct LintExample {
  std::string place;  ///< "train.en:12"
  std::string source;
  std::string target;
};

struct FindingCount {
  std::uint64_t pairs = 0;
  std::vector<LintExample> examples;  ///< the first ones
};

/// The findings in the training, validation or test text.
struct SplitLint {
  std::string name;
  std::uint64_t pairs = 0;
  std::array<FindingCount, kFindings> findings;

  [[nodiscard]] FindingCount& operator[](Finding finding) { return findings.at(static_cast<std::size_t>(finding)); }
  [[nodiscard]] const FindingCount& operator[](Finding finding) const {
    return findings.at(static_cast<std::size_t>(finding));
  }
};

/// The limits of the lists that are kept, and the limit for uneven pairs.
struct LintOptions {
  std::size_t examples = 3;                ///< pairs of each finding
  std::size_t uncovered = 20;              ///< characters or words that are uncovered or lost, the most frequent ones
  double uneven = 4.0;                     ///< the limit if data.max_length_ratio is 0,
  std::size_t uneven_from = 10;            ///< for a longer side of at least this many subwords
  std::size_t most_uncovered = 1U << 20U;  ///< different ones that are counted
};

/// Checks the texts of a configuration for pairs that are unsuitable for training or testing.
class CorpusLint {
 public:
  explicit CorpusLint(const Config& config, const LintOptions& options = {});

  /// Reads all text for findings in the text itself. Keeps eight bytes of each training pair, and the sample for
  /// building tokenizers. Throws DataError if files cannot be read or have unequal line counts.
  void read_text();

  /// Returns the sentences to build tokenizers from, of pairs without findings. Empties the sample.
  [[nodiscard]] TokenizerText take_sample() { return std::move(sample_); }

  /// Reads the text again for findings in the subwords.
  void read_subwords(const TokenizerPair& tokenizers);

  [[nodiscard]] const std::vector<SplitLint>& splits() const { return splits_; }
  /// The characters, or words of word-level tokenizers, that the vocabularies have no subword for, the most frequent
  /// first.
  [[nodiscard]] const std::vector<std::pair<std::string, std::uint64_t>>& uncovered() const { return uncovered_; }
  /// The characters of targets that are lost in the round trip through the tokenizer, the most frequent first.
  [[nodiscard]] const std::vector<std::pair<std::string, std::uint64_t>>& lost() const { return lost_; }
  /// The largest allowed ratio of the longer side's subwords to the shorter side's.
  [[nodiscard]] double uneven_limit() const;
  /// The number of findings in all splits; a pair counts once for each finding.
  [[nodiscard]] std::uint64_t total() const;

 private:
  struct Split {
    const char* name;
    const std::vector<CorpusFiles>* files;
  };

  [[nodiscard]] std::vector<Split> splits_to_read() const;
  void note(SplitLint& split, std::uint32_t findings, const TextPair& pair, std::span<const CorpusFiles> files) const;
  [[nodiscard]] bool is_uneven(std::size_t shorter, std::size_t longer) const;

  const Config& config_;
  LintOptions options_;
  std::vector<SplitLint> splits_;
  TokenizerText sample_;
  std::vector<std::pair<std::string, std::uint64_t>> uncovered_;
  std::vector<std::pair<std::string, std::uint64_t>> lost_;
};

}  // namespace translate::trainer
