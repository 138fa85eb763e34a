// The parts of Trainer that find out which attention of the model links words, and how well.

#include <fmt/format.h>

#include "core/logging.h"
#include "model/aligning_attention.h"
#include "training/trainer.h"

namespace translate::trainer {

/// Measures the weights that are saved as the model.
std::vector<MeasuredAttention> Trainer::measure_alignments() {
  if (!alignment_measure_) {
    alignment_measure_.emplace(data_);
  }
  const WeightAverage::InPlace averaged(average_);
  return alignment_measure_->measure(model_, device_);
}

/// Has the checkpoint that is saved now tell which of its attention aligns best, unless that is known: a model that is
/// not trained to align learns it by itself, in a head that is another one in each training.
void Trainer::find_aligning_head() {
  if (finds_aligning_head_ && state_.step > 0) {
    set_best_attention(measure_alignments(), config_.model);
  }
}

/// Tells at the end of training how well the model aligns.
void Trainer::report_alignments() {
  if (!reporter_ || !validator_) {
    return;
  }
  const auto long_work = group_.long_work();
  const auto chosen = aligning_attention(config_.model);
  for (const auto& [attention, error_rate] : measure_alignments()) {
    const auto message =
        fmt::format("{} has an alignment error rate of {:.3f} against a word aligner on validation pairs",
                    describe(attention), error_rate);
    if (attention == chosen) {
      log_info(fmt::format("alignments: {} (docs/alignment.md)", message));
    } else {
      log_debug(message);
    }
  }
}

}  // namespace translate::trainer
