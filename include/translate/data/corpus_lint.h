#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "translate/config/options.h"
#include "translate/data/pair_reader.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// What may be wrong with a pair.
enum class Finding {
  kEmpty,             ///< a side is empty or blank
  kDuplicate,         ///< the pair repeats an earlier one
  kCopied,            ///< source and target are the same, white space at the ends aside
  kNotUtf8,           ///< bytes that are no UTF-8; nothing of what stands below is looked for then
  kControlCharacter,  ///< see has_control_characters
  kMojibake,          ///< see looks_read_as_latin
  kTooLong,           ///< a side has more pieces than data.max_length
  kUneven,            ///< the longer side has more pieces than the shorter, times a limit
  kUncovered,         ///< something that the vocabulary has no piece for
  kSourceInTraining,  ///< of validation and test: the source is in the training text
  kPairInTraining,    ///< likewise this very pair
};
inline constexpr std::size_t kFindings = 11;

/// A pair that something was found in.
struct LintExample {
  std::string place;  ///< "train.en:12"
  std::string source;
  std::string target;
};

struct FindingCount {
  std::uint64_t pairs = 0;
  std::vector<LintExample> examples;  ///< the first ones
};

/// What was found in the training, validation or test text.
struct SplitLint {
  std::string name;
  std::uint64_t pairs = 0;
  std::array<FindingCount, kFindings> findings;

  [[nodiscard]] FindingCount& operator[](Finding finding) { return findings.at(static_cast<std::size_t>(finding)); }
  [[nodiscard]] const FindingCount& operator[](Finding finding) const {
    return findings.at(static_cast<std::size_t>(finding));
  }
};

/// How much of anything is kept to be shown.
struct LintOptions {
  std::size_t examples = 3;                ///< pairs of each finding
  std::size_t uncovered = 20;              ///< characters or words, the most frequent ones
  double uneven = 4.0;                     ///< where data.max_length_ratio is 0: the limit,
  std::size_t uneven_from = 10;            ///< and how many pieces the longer side has at least then
  std::size_t most_uncovered = 1U << 20U;  ///< that are told apart
};

/// Looks through the texts of a configuration for pairs that it is better not to train or test with.
class CorpusLint {
 public:
  explicit CorpusLint(const Config& config, const LintOptions& options = {});

  /// Reads all of it for what shows in the text itself. Of each training pair eight bytes are kept, and the sample that
  /// tokenizers are built from. Throws DataError where files cannot be read or have unequal line counts.
  void read_text();

  /// The sentences to build tokenizers from: of pairs with nothing amiss. Empties the sample.
  [[nodiscard]] TokenizerText take_sample() { return std::move(sample_); }

  /// Reads it again for what shows in the pieces.
  void read_pieces(const TokenizerPair& tokenizers);

  [[nodiscard]] const std::vector<SplitLint>& splits() const { return splits_; }
  /// What the vocabularies have no piece for, the most frequent first: characters, of word-level tokenizers words.
  [[nodiscard]] const std::vector<std::pair<std::string, std::uint64_t>>& uncovered() const { return uncovered_; }
  /// How many times the pieces of the shorter side the longer one may have.
  [[nodiscard]] double uneven_limit() const;
  /// Over all splits; a pair counts once for each finding.
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
};

}  // namespace translate
