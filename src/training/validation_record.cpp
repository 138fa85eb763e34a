#include "translate/training/validation_record.h"

#include <cmath>

#include "translate/checkpoint/manifest.h"

namespace translate {

ValidationVerdict record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state) {
  ValidationVerdict verdict;
  const bool is_trained = state.step > 0;
  const double score = metric == BestMetric::kBleu ? result.bleu : result.loss;
  if (std::isfinite(score)) {  // one that is not says nothing: the next step tells what went wrong
    verdict.score = score;
    state.last_validation = ValidationScore{.score = score, .step = state.step};
    verdict.is_best = is_trained && (!state.best_validation || is_better(metric, score, state.best_validation->score));
  }
  if (verdict.is_best) {
    state.best_validation = state.last_validation;
    state.validations_since_best = 0;
  } else if (is_trained) {
    ++state.validations_since_best;
  }
  return verdict;
}

void forget_best_of_step_0(TrainingState& state) {
  if (!state.best_validation || state.best_validation->step > 0) return;
  state.best_validation.reset();
  state.validations_since_best = 0;
}

}  // namespace translate
