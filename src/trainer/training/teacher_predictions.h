#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>

#include "config/options.h"
#include "data/encoded/corpus_predictions.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// Where the predictions of a run's teacher are.
struct PredictionPlace {
  std::filesystem::path run_dir;       ///< the run's folder, which has them beside its encoded text
  bool is_resumed = false;             ///< the run has begun: it keeps its predictions, wherever its teacher is now
  std::filesystem::path scratch = {};  ///< a folder to write into instead; empty: none
};

/// Returns what the teacher predicts at the labels of all pairs of a corpus: what the run's folder has, if it is intact
/// and was made for this corpus and training.teacher; otherwise the teacher is opened and predicts what is missing, and
/// progress is logged. Other processes may do the same at the same time: one of them predicts, the others wait for it.
/// Null if there is no teacher. Throws the errors of Teacher, RuntimeError if a file cannot be written, and
/// StoppedBySignal on SIGINT and SIGTERM; what the files that are complete have need not be predicted again.
[[nodiscard]] std::shared_ptr<const CorpusPredictions> teacher_predictions(
    const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers, const Config& config,
    const c10::Device& device, const PredictionPlace& place);

}  // namespace translate::trainer
