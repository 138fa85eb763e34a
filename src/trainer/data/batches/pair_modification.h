#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "config/options.h"
#include "data/encoded/corpus_links.h"
#include "data/encoded/encoded_corpus.h"
#include "languages/language_names.h"
#include "modifiers/pair_text.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// The changes of training pairs during one epoch (data.modifiers).
struct PairModification {
  ModifierOptions options;               ///< which changes, and how often
  std::vector<LanguageCodes> languages;  ///< of the pairs of each pair of files (PairOrigin::corpus)
  std::uint64_t seed = 0;                ///< the run's
  std::uint64_t epoch = 0;               ///< which epoch
  std::int64_t max_length = 256;         ///< a pair stays as it is if a side would have more subwords
  std::int64_t batch_tokens = 0;         ///< pairs stay as they are where a batch would exceed this (0: no limit)
  std::shared_ptr<const CorpusLinks> links = {};  ///< of the pairs, for modifiers that need them (nullptr: none)
};

/// The text of a pair before and after a change; sources have their language tag.
struct TextChange {
  PairText before;
  PairText after;
};

/// Returns how the modifiers change a pair of a corpus, which must hold the text of both sides; nothing if they do not.
/// A function of corpus, links, seed, epoch and pair. Lengths are not looked at. The links between subwords are
/// followed if `tokenizers` encode each word by itself.
[[nodiscard]] std::optional<TextChange> change_of_pair(const EncodedCorpus& corpus, const TokenizerPair& tokenizers,
                                                       const PairModification& modification, std::size_t pair);

/// The subwords of a changed pair and of the pair as it was.
struct SubwordChange {
  const PairSubwords& before;
  const PairSubwords& after;
};

/// Decides which changes of a batch's pairs are taken: those that keep to data.max_length and to the size of the batch,
/// and whose characters the vocabularies have. Changes are offered in the order of the batch's pairs.
class ChangeLimits {
 public:
  /// `planned` has the pairs of the batch as its size was planned.
  ChangeLimits(const PairModification& modification, const TokenizerPair& tokenizers,
               std::span<const PairSubwords> planned);

  /// Returns whether the change of a pair is taken; if so, it counts from now on.
  [[nodiscard]] bool take(const SubwordChange& change);

 private:
  [[nodiscard]] bool fits_batch(const PairSubwords& after, std::int64_t growth) const;

  std::int64_t max_length_;
  std::int64_t tags_;  ///< ids of a source that are a language tag
  std::int64_t batch_tokens_;
  std::int64_t tokens_ = 0;      ///< target tokens of the batch so far
  std::int64_t most_positions_;  ///< of one side of a pair
  std::int64_t source_unknown_;
  std::int64_t target_unknown_;
};

/// A pair of a corpus that modifiers change.
struct ModifiedPair {
  std::size_t pair = 0;  ///< which pair of the corpus
  TextChange text;
};

/// Returns up to `count` pairs that are changed in an epoch, to be shown, from all over the corpus: the first that are
/// found among twenty thousand. Changes that data.max_length or the vocabulary forbid are not among
/// them.
[[nodiscard]] std::vector<ModifiedPair> examples_of_changes(const EncodedCorpus& corpus,
                                                            const TokenizerPair& tokenizers,
                                                            PairModification modification, std::size_t count);

}  // namespace translate::trainer
