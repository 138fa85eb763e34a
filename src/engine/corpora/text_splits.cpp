#include "corpora/text_splits.h"

#include "core/error.h"

namespace translate {

HeldOutShare held_out_share(const Config& config, std::uint64_t pairs) {
  return {.pairs = pairs, .fraction = config.data.validation.fraction, .seed = config.training.seed};
}

ParallelCorpus read_test_text(const Config& config) {
  if (config.data.test.empty()) {
    throw ConfigError("data.test: the run's configuration names no test set; give --source FILE --reference FILE");
  }
  return read_parallel_corpus(config.data.test);
}

ParallelCorpus read_validation_text(const Config& config) {
  if (config.data.validation.fraction > 0) {
    SelectedPairs all(config.data.train, Selection::kTraining);
    std::uint64_t count = 0;
    for (TextPair pair; all.next(pair);) {
      ++count;
    }
    SelectedPairs held_out(config.data.train, Selection::kHeldOut, held_out_share(config, count));
    return read_pairs(held_out);
  }
  if (config.data.validation.files.empty()) {
    throw ConfigError("data.validation: the run's configuration names none; give --source FILE --reference FILE");
  }
  return read_parallel_corpus(config.data.validation.files);
}

}  // namespace translate
