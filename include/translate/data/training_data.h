#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "translate/config/options.h"
#include "translate/data/corpus.h"
#include "translate/data/encoded_corpus.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// What was found in the data, for reports and size checks.
struct DataStatistics {
  std::int64_t train_pairs = 0;
  std::int64_t validation_pairs = 0;
  LeftOut blank;                               ///< training pairs with an empty or blank side
  LengthFilterReport lengths;                  ///< training pairs beyond the limits
  std::int64_t longest_source = 0;             ///< pieces of training sources, without sos and eos
  std::int64_t longest_target = 0;             ///< the same of targets
  std::int64_t longest_validation_source = 0;  ///< validation lines are never left out: they may exceed data.max_length
  std::int64_t longest_validation_target = 0;
  std::int64_t train_source_tokens = 0;  ///< pieces and eos of all training sources
  std::int64_t train_target_tokens = 0;  ///< the same of targets: one epoch's labels
};

/// All that a training reads: tokenizers, encoded pairs, and the validation text to score translations against.
struct TrainingData {
  TokenizerPair tokenizers;
  std::shared_ptr<const EncodedCorpus> train;
  std::shared_ptr<const EncodedCorpus> validation;  ///< empty where the configuration has none
  ParallelCorpus validation_text;
  DataStatistics statistics;
};

/// The text of a training, before there are tokenizers.
struct TrainingText {
  ParallelCorpus train;       ///< without pairs that have an empty or blank side
  ParallelCorpus validation;  ///< every line; empty where the configuration has none
  LeftOut blank;              ///< what was left out of train
};

/// Reads the training and validation corpora, and holds out validation pairs where a fraction is asked for.
/// Throws DataError where the data is wrong or there is no training pair. Writes nothing.
[[nodiscard]] TrainingText read_training_text(const Config& config);

/// The test pairs of a configuration. Throws ConfigError where it names none, DataError where they are wrong.
[[nodiscard]] ParallelCorpus read_test_text(const Config& config);

/// The validation pairs of a configuration, also where they are a fraction of the training pairs. Throws likewise.
[[nodiscard]] ParallelCorpus read_validation_text(const Config& config);

/// The rest of load_training_data, from text already read; `tokenizers`, where given, are used in place of those in
/// `tokenizer_dir`.
[[nodiscard]] TrainingData prepare_training_data(const Config& config, TrainingText text,
                                                 const std::filesystem::path& tokenizer_dir,
                                                 std::optional<TokenizerPair> tokenizers = std::nullopt);

/// Where a training pair stands, e.g. "train.en:12", for messages. `index`: as in Batch::indices.
[[nodiscard]] std::string describe_training_pair(const TrainingData& data, const Config& config, std::int64_t index);

/// Reads the corpora, holds out validation pairs where a fraction is asked for (before the tokenizer is built: held-out
/// text teaches nothing), gets or builds the tokenizers in `tokenizer_dir`, encodes, leaves out training pairs beyond
/// the limits, and reports each in a log line. Apart from that folder nothing is written. Throws DataError where the
/// data is wrong or no training pair is left, ConfigError where segmentations cannot be drawn from the tokenizer though
/// `tokenizer.sampling` asks for it, and as get_or_build_tokenizer does.
[[nodiscard]] TrainingData load_training_data(const Config& config, const std::filesystem::path& tokenizer_dir);

}  // namespace translate
