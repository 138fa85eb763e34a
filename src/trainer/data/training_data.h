#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/options.h"
#include "corpora/checked_text.h"
#include "corpora/corpus_reader.h"
#include "data/encoded/corpus_links.h"
#include "data/encoded/corpus_predictions.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// The statistics of the data, for reports and size checks.
struct DataStatistics {
  std::int64_t train_pairs = 0;
  std::int64_t validation_pairs = 0;
  LeftOut blank;                               ///< training pairs with an empty or blank side
  LeftOut too_long;                            ///< training pairs beyond data.max_length
  LeftOut uneven;                              ///< training pairs beyond data.max_length_ratio
  LeftOut empty;                               ///< training pairs without a subword on one side that is not blank
  std::int64_t longest_source = 0;             ///< subwords of training sources, without sos and eos
  std::int64_t longest_target = 0;             ///< the same of targets
  std::int64_t longest_validation_source = 0;  ///< validation lines are never left out: they may exceed data.max_length
  std::int64_t longest_validation_target = 0;
  std::int64_t train_source_tokens = 0;  ///< subwords and eos of all training sources
  std::int64_t train_target_tokens = 0;  ///< the same of targets: one epoch's labels
};

/// The data of a training: tokenizers, encoded pairs, and the validation text to score translations against.
struct TrainingData {
  TokenizerPair tokenizers;
  std::shared_ptr<const EncodedCorpus> train;
  std::shared_ptr<const EncodedCorpus> validation;  ///< nullptr if the configuration has none
  ParallelCorpus validation_text;
  DataStatistics statistics;
  TextSums sums = {};  ///< sums of all text that the configuration names, for the run's checkpoints
  std::shared_ptr<const CorpusPredictions> predictions = {};  ///< of teachers for `train`; nullptr: there are none
  std::shared_ptr<const CorpusLinks> links = {};  ///< of `train`; nullptr if neither training.guided_alignment nor
                                                  ///< data.modifiers need them
};

/// The folders of the files that a training makes from its text.
struct DataFolders {
  std::filesystem::path tokenizers;  ///< the built models
  std::filesystem::path corpus;      ///< the encoded pairs and the record of checked text
  std::filesystem::path scratch;     ///< if given: files that are not in `corpus` already are written here instead
  std::function<void()> before_writing = {};  ///< if given: called before anything is written; may throw
};

/// The folders of a run in `run_dir`: within the run, except that the encoded pairs are in data.cache_dir if that is
/// set.
[[nodiscard]] DataFolders data_folders(const Config& config, const std::filesystem::path& run_dir);

/// The checked text of a training, before there are tokenizers.
struct TrainingText {
  TextRecord record;
  CheckedText train;
  CheckedText validation;  ///< of the files; none if validation is a fraction
};

/// Reads the training and validation text line by line, unless the record in `folders.corpus` holds it. Throws
/// DataError if it is invalid or has no training pair. Writes nothing.
[[nodiscard]] TrainingText check_training_text(const Config& config, const DataFolders& folders);

/// The second half of load_training_data, from text already checked; `tokenizers`, if given, are used instead of those
/// in `folders`.
[[nodiscard]] TrainingData prepare_training_data(const Config& config, const TrainingText& text,
                                                 const DataFolders& folders,
                                                 std::optional<TokenizerPair> tokenizers = std::nullopt);

/// The file and line of a training pair, e.g. "train.en:12", for messages. `index` is that of Batch::indices.
[[nodiscard]] std::string describe_training_pair(const TrainingData& data, const Config& config, std::int64_t index);

/// Checks the text, loads or builds the tokenizers (without held-out pairs), loads or encodes the pairs, leaves out
/// training pairs beyond the limits, and logs a line for each. Writes only into the folders. Throws DataError if the
/// data is invalid or no training pair is left, ConfigError if `tokenizer.sampling` is on but the tokenizer cannot
/// sample segmentations or if it lacks a language tag or, with data.modifiers.placeholders, their symbols, and as
/// get_or_build_tokenizer and get_or_encode_corpus do.
[[nodiscard]] TrainingData load_training_data(const Config& config, const DataFolders& folders);

/// Throws DataError if a training or validation file is missing, with the first one, the number of missing files, and
/// how to get them if they belong to a public corpus.
void check_files_are_there(const DataOptions& data);

}  // namespace translate::trainer
