#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/options.h"
#include "data/corpus_reader.h"
#include "data/encoded/encoded_corpus.h"
#include "data/text_record.h"
#include "text/tokenizer_training.h"

namespace translate {

/// What was found in the data, for reports and size checks.
struct DataStatistics {
  std::int64_t train_pairs = 0;
  std::int64_t validation_pairs = 0;
  LeftOut blank;                               ///< training pairs with an empty or blank side
  LeftOut too_long;                            ///< training pairs beyond data.max_length
  LeftOut uneven;                              ///< training pairs beyond data.max_length_ratio
  LeftOut empty;                               ///< training pairs without a subword on one side, though not blank
  std::int64_t longest_source = 0;             ///< subwords of training sources, without sos and eos
  std::int64_t longest_target = 0;             ///< the same of targets
  std::int64_t longest_validation_source = 0;  ///< validation lines are never left out: they may exceed data.max_length
  std::int64_t longest_validation_target = 0;
  std::int64_t train_source_tokens = 0;  ///< subwords and eos of all training sources
  std::int64_t train_target_tokens = 0;  ///< the same of targets: one epoch's labels
};

/// All that a training reads: tokenizers, encoded pairs, and the validation text to score translations against.
struct TrainingData {
  TokenizerPair tokenizers;
  std::shared_ptr<const EncodedCorpus> train;
  std::shared_ptr<const EncodedCorpus> validation;  ///< nullptr where the configuration has none
  ParallelCorpus validation_text;
  DataStatistics statistics;
  TextSums sums = {};  ///< of all text that the configuration names, for the run's checkpoints
};

/// Where a training keeps what it makes of its text.
struct DataFolders {
  std::filesystem::path tokenizers;  ///< the models that are built
  std::filesystem::path corpus;      ///< the encoded pairs and the record of checked text
  std::filesystem::path scratch;     ///< where given: what is not in `corpus` already is written here in its place
  std::function<void()> before_writing = {};  ///< where given: called before anything is written; may throw
};

/// The folders of a run in `run_dir`: its own, but for the encoded pairs where data.cache_dir names another place.
[[nodiscard]] DataFolders data_folders(const Config& config, const std::filesystem::path& run_dir);

/// The text of a training, read and found right, before there are tokenizers.
struct TrainingText {
  TextRecord record;
  CheckedText train;
  CheckedText validation;  ///< of the files; none where validation is a fraction
};

/// Reads the training and validation text line by line, unless the record in `folders.corpus` knows it. Throws
/// DataError where it is wrong or there is no training pair. Writes nothing.
[[nodiscard]] TrainingText check_training_text(const Config& config, const DataFolders& folders);

/// The test pairs of a configuration. Throws ConfigError where it names none, DataError where they are wrong.
[[nodiscard]] ParallelCorpus read_test_text(const Config& config);

/// The validation pairs of a configuration, also where they are a fraction of the training pairs. Throws likewise.
[[nodiscard]] ParallelCorpus read_validation_text(const Config& config);

/// The rest of load_training_data, from text already checked; `tokenizers`, where given, are used in place of those in
/// `folders`.
[[nodiscard]] TrainingData prepare_training_data(const Config& config, const TrainingText& text,
                                                 const DataFolders& folders,
                                                 std::optional<TokenizerPair> tokenizers = std::nullopt);

/// Where a training pair stands, e.g. "train.en:12", for messages. `index`: as in Batch::indices.
[[nodiscard]] std::string describe_training_pair(const TrainingData& data, const Config& config, std::int64_t index);

/// Checks the text, gets or builds the tokenizers (held-out pairs teach them nothing), gets or encodes the pairs,
/// leaving out training pairs beyond the limits, and reports each in a log line. Apart from the folders nothing is
/// written. Throws DataError where the data is wrong or no training pair is left, ConfigError where segmentations
/// cannot be drawn from the tokenizer though `tokenizer.sampling` asks for it, and as get_or_build_tokenizer and
/// get_or_encode_corpus do.
[[nodiscard]] TrainingData load_training_data(const Config& config, const DataFolders& folders);

}  // namespace translate
