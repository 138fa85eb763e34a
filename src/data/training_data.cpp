#include "translate/data/training_data.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/logging.h"

namespace translate {

namespace {

void log_left_out(const LeftOut& left_out, std::string_view reason, const Config& config) {
  if (left_out.count == 0) return;
  log_info(fmt::format("data: {} training pair{} left out: {} (first: {})", left_out.count,
                       left_out.count == 1 ? "" : "s", reason, describe_origin(left_out.first, config.data.train)));
}

/// Keeps the text of the sides whose segmentations are drawn anew, in the order of the pairs that are left.
void keep_text_for_sampling(EncodedCorpus& encoded, ParallelCorpus& text, const SamplingOptions& sampling) {
  std::size_t next = 0;
  for (const PairOrigin& origin : encoded.origin) {
    while (text.origin[next] != origin) ++next;
    if (sampling.source) encoded.source_text.push_back(std::move(text.source[next]));
    if (sampling.target) encoded.target_text.push_back(std::move(text.target[next]));
  }
}

/// Fails now rather than at the first batch.
void check_sampling(const SamplingOptions& sampling, const TokenizerPair& tokenizers) {
  const SampleOptions options{.alpha = sampling.alpha, .nbest = sampling.nbest};
  if (sampling.source) (void)tokenizers.source.encode_sampled("a", options, 0);
  if (sampling.target) (void)tokenizers.target.encode_sampled("a", options, 0);
}

std::int64_t longest_of(const EncodedText& text) { return text.size() == 0 ? 0 : text.length(text.longest()); }

DataStatistics describe(const EncodedCorpus& train, const EncodedCorpus& validation) {
  DataStatistics statistics;
  statistics.train_pairs = static_cast<std::int64_t>(train.size());
  statistics.validation_pairs = static_cast<std::int64_t>(validation.size());
  statistics.longest_source = longest_of(train.source);
  statistics.longest_target = longest_of(train.target);
  statistics.longest_validation_source = longest_of(validation.source);
  statistics.longest_validation_target = longest_of(validation.target);
  statistics.train_source_tokens = train.source.total_length() + statistics.train_pairs;
  statistics.train_target_tokens = train.target.total_length() + statistics.train_pairs;
  return statistics;
}

void report(const DataStatistics& statistics, const Config& config) {
  log_left_out(statistics.blank, "an empty or blank side", config);
  log_left_out(statistics.lengths.too_long, fmt::format("longer than {} pieces", config.data.max_length), config);
  log_left_out(statistics.lengths.uneven,
               fmt::format("lengths differ by more than {} times", config.data.max_length_ratio), config);
  log_left_out(statistics.lengths.empty, "no piece on one side", config);
  log_info(fmt::format("data: {} training pairs, {} source and {} target tokens (eos counted); {} validation pairs",
                       statistics.train_pairs, statistics.train_source_tokens, statistics.train_target_tokens,
                       statistics.validation_pairs));
  log_info(fmt::format("data: longest source {} pieces, longest target {} pieces{}", statistics.longest_source,
                       statistics.longest_target,
                       statistics.validation_pairs == 0
                           ? ""
                           : fmt::format(" (validation: {} and {})", statistics.longest_validation_source,
                                         statistics.longest_validation_target)));
}

}  // namespace

TrainingText read_training_text(const Config& config) {
  TrainingText text;
  text.train = read_parallel_corpus(config.data.train);
  text.blank = remove_blank_pairs(text.train);
  if (text.train.size() == 0) {
    throw DataError(fmt::format("data.train: no pair to train on ({} pairs with an empty or blank side were left out)",
                                text.blank.count));
  }
  text.validation = config.data.validation.fraction > 0
                        ? split_off(text.train, config.data.validation.fraction, config.training.seed)
                        : read_parallel_corpus(config.data.validation.files);
  return text;
}

ParallelCorpus read_test_text(const Config& config) {
  if (config.data.test.empty()) {
    throw ConfigError("data.test: the run's configuration names no test set; give --source FILE --reference FILE");
  }
  return read_parallel_corpus(config.data.test);
}

ParallelCorpus read_validation_text(const Config& config) {
  if (config.data.validation.fraction > 0) {
    return read_training_text(config).validation;
  }
  if (config.data.validation.files.empty()) {
    throw ConfigError("data.validation: the run's configuration names none; give --source FILE --reference FILE");
  }
  return read_parallel_corpus(config.data.validation.files);
}

TrainingData prepare_training_data(const Config& config, TrainingText text, const std::filesystem::path& tokenizer_dir,
                                   std::optional<TokenizerPair> given) {
  TokenizerPair tokenizers =
      given ? std::move(*given)
            : get_or_build_tokenizer(config.tokenizer, text.train.source, text.train.target, tokenizer_dir);
  check_sampling(config.tokenizer.sampling, tokenizers);

  EncodedCorpus train = encode_corpus(text.train, tokenizers);
  const LengthFilterReport lengths =
      remove_by_length(train, {.max_length = config.data.max_length, .max_length_ratio = config.data.max_length_ratio});
  EncodedCorpus validation = encode_corpus(text.validation, tokenizers);
  DataStatistics statistics = describe(train, validation);
  statistics.blank = text.blank;
  statistics.lengths = lengths;
  report(statistics, config);
  if (train.size() == 0) {
    throw DataError(fmt::format(
        "data.train: no pair is left to train on: {} longer than data.max_length {}, {} beyond "
        "data.max_length_ratio {}",
        lengths.too_long.count, config.data.max_length, lengths.uneven.count, config.data.max_length_ratio));
  }
  keep_text_for_sampling(train, text.train, config.tokenizer.sampling);
  return {.tokenizers = std::move(tokenizers),
          .train = std::make_shared<const EncodedCorpus>(std::move(train)),
          .validation = std::make_shared<const EncodedCorpus>(std::move(validation)),
          .validation_text = std::move(text.validation),
          .statistics = statistics};
}

TrainingData load_training_data(const Config& config, const std::filesystem::path& tokenizer_dir) {
  return prepare_training_data(config, read_training_text(config), tokenizer_dir);
}

std::string describe_training_pair(const TrainingData& data, const Config& config, std::int64_t index) {
  return describe_origin(data.train->origin[static_cast<std::size_t>(index)], config.data.train);
}

}  // namespace translate
