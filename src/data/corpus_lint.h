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
#include "data/corpus_reader.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace translate {

/// A set of 64-bit hashes in 11 to 21 bytes each, for millions of them.
class HashSet {
 public:
  /// False where it is there already.
  bool insert(std::uint64_t hash);

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void grow();
  [[nodiscard]] std::uint64_t& slot_of(std::uint64_t hash);

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);  ///< 0: free; a power of two
  std::size_t size_ = 0;
};

/// Whether a text holds what nobody writes: control characters (C0 but for tab, DEL, C1), U+FFFD, which stands for a
/// character that was lost, or code points that are none (U+FFFE, U+FFFF).
[[nodiscard]] bool has_control_characters(std::string_view text);

/// Whether a text looks as if its UTF-8 had been read as Windows-1252 or Latin-1 and written as UTF-8 again, such as
/// "cafÃ©" or "itâ€™s": characters which, taken for the bytes that they have there, are UTF-8. One that begins with Â,
/// Ã or â is enough, since they hardly ever come before such another character, and so is one of four bytes; of others
/// two in a row are needed, for "É»" is a good end of a quotation.
[[nodiscard]] bool looks_read_as_latin(std::string_view text);

/// What a vocabulary has no subword for.
class UncoveredText {
 public:
  explicit UncoveredText(const Tokenizer& tokenizer);

  /// Encodes a text: how many subwords it has. Appends each thing in it that is unknown: a character, of a word-level
  /// tokenizer a word (what white space separates). Thread-safe.
  std::size_t count(std::string_view text, std::vector<std::string>& uncovered) const;

 private:
  [[nodiscard]] bool is_unknown(std::string_view text) const;

  const Tokenizer& tokenizer_;
  bool of_words_;
};

/// What may be wrong with a pair.
enum class Finding {
  kEmpty,             ///< a side is empty or blank
  kDuplicate,         ///< the pair repeats an earlier one
  kCopied,            ///< source and target are the same, white space at the ends aside
  kNotUtf8,           ///< bytes that are no UTF-8; nothing of what stands below is looked for then
  kControlCharacter,  ///< see has_control_characters
  kMojibake,          ///< see looks_read_as_latin
  kTooLong,           ///< a side has more subwords than data.max_length
  kUneven,            ///< the longer side has more subwords than the shorter, times a limit
  kUncovered,         ///< something that the vocabulary has no subword for
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
  std::size_t uneven_from = 10;            ///< and how many subwords the longer side has at least then
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

  /// Reads it again for what shows in the subwords.
  void read_subwords(const TokenizerPair& tokenizers);

  [[nodiscard]] const std::vector<SplitLint>& splits() const { return splits_; }
  /// What the vocabularies have no subword for, the most frequent first: characters, of word-level tokenizers words.
  [[nodiscard]] const std::vector<std::pair<std::string, std::uint64_t>>& uncovered() const { return uncovered_; }
  /// How many times the subwords of the shorter side the longer one may have.
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
