#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "corpora/corpus_reader.h"
#include "decoding/pair_scorer.h"
#include "distillation/written_text.h"
#include "translate/translate.h"

namespace translate::trainer {

/// The side of a pair that a model writes.
enum class WrittenSide { kSource, kTarget };

/// How a model, or an ensemble, writes one side of pairs.
struct PairTranslation {
  std::string checkpoint;  ///< the models, as --checkpoint names them
  WrittenSide side = WrittenSide::kTarget;
  std::string target_language = {};      ///< what a model of several languages translates into
  std::int64_t samples = 0;              ///< translations that are drawn for each pair (0: it is the best of a search)
  std::int64_t n_best = 1;               ///< of a search: the translations among which one is chosen
  double reverse_weight = 0.0;           ///< of the reverse model's score in this choice
  double reference_weight = 0.0;         ///< of the likeness to the side that is there already
  std::filesystem::path shortlist = {};  ///< the file of the shortlist of a search; empty: none
};

/// Writes pairs anew: keeps one side, and translates it into the other.
class PairTranslator {
 public:
  /// Opens the models. `reverse`: scores what is written, by the mean log-probability (nats) of a subword of the side
  /// that is kept, given the one that is written (WrittenPair::score); may be null. Throws ConfigError if there are
  /// no such models, RuntimeError if they cannot be opened.
  PairTranslator(PairTranslation how, std::shared_ptr<PairScorer> reverse);

  /// Returns the pairs for those of a block, without translations that are blank or were cut off at the length limit;
  /// of `samples` that are equal one remains. The translation of a search is the one of n_best with the highest sum of
  /// its score (log-probability divided by the length penalty), reverse_weight times the reverse model's score (Yee et
  /// al. 2019, "Simple and Effective Noisy Channel Modeling"), and reference_weight times its chrF (0-1) against the
  /// side that is there already (Kim and Rush 2016, "Sequence-Level Knowledge Distillation", section 3.3). Samples
  /// depend on `number`.
  [[nodiscard]] std::vector<WrittenPair> operator()(std::span<const TextPair> block, std::uint64_t number);

 private:
  [[nodiscard]] std::vector<WrittenPair> drawn(std::span<const TextPair> block, std::uint64_t number);
  [[nodiscard]] std::vector<WrittenPair> searched(std::span<const TextPair> block);
  [[nodiscard]] WrittenPair pair_of(const TextPair& read, std::string written) const;

  PairTranslation how_;
  std::string TextPair::*kept_;     ///< the side that is translated
  std::string TextPair::*written_;  ///< the other one
  translate_mt::Options options_;
  translate_mt::Model model_;
  std::shared_ptr<PairScorer> reverse_;
};

}  // namespace translate::trainer
