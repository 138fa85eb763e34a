#pragma once

#include "data/training_data.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {

/// The data of a training whose validation pairs are its training pairs, without statistics.
inline TrainingData sample_training_data(const SampleCorpus& sample) {
  return {.tokenizers = sample.tokenizers,
          .train = sample.encoded,
          .validation = sample.encoded,
          .validation_text = sample.text,
          .statistics = {}};
}

}  // namespace translate::trainer
