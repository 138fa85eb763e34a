

#include "config/key_table.h"

namespace translate {

namespace {

/// Limits, logging, validation and checkpoints: the keys that may change when a run is resumed.
template <class Keys>
void add_changeable_keys(Keys& training) {
  const auto add = [&](auto... arguments) { training.add(arguments...).may_change = true; };
  const Range count = at_least(0);
  add("max_steps", &TrainingOptions::max_steps,
      "the limit in steps; the first limit that is reached ends the run (0: no limit)", count);
  add("max_epochs", &TrainingOptions::max_epochs, "the limit in epochs (0: no limit)", count);
  add("max_minutes", &TrainingOptions::max_minutes,
      "the limit in minutes of training time, summed over all resumes (0: no limit)", count);
  add("patience", &TrainingOptions::patience,
      "the limit in consecutive validations without a new best, that of step 0 not counted (0: no limit)", count);
  add("validate_every", &TrainingOptions::validate_every, "how often to validate");
  add("log_every", &TrainingOptions::log_every, "the number of steps between reports", at_least(1));
  add("checkpoint_every", &TrainingOptions::checkpoint_every, "how often to save a checkpoint");
  add("keep_last", &TrainingOptions::keep_last, "the number of newest checkpoints to keep", at_least(1));
  add("keep_best", &TrainingOptions::keep_best, "the number of best checkpoints to keep in addition", count);
}

}  // namespace

void add_training_keys(std::vector<Key>& keys) {
  ObjectKeys training(
      keys, "training", [](auto& config) -> auto& { return config.training; });
  const Range count = at_least(0);
  training.add(
      "batch_tokens", &TrainingOptions::batch_tokens,
      "the target subwords of a batch, counting the end of each sentence but no padding; `auto`: as many as the "
      "available memory allows, from 256 to 25,000, measured when a run starts and kept for the whole run");
  training.add("batch_sentences", &TrainingOptions::batch_sentences,
               "the pairs of a batch, instead of `batch_tokens` (0: use `batch_tokens`)", count);
  training.add("accumulation_steps", &TrainingOptions::accumulation_steps, "the number of batches in a step",
               at_least(1));
  ObjectKeys optimizer(
      keys, "training.optimizer", [](auto& config) -> auto& { return config.training.optimizer; });
  optimizer.add("type", &OptimizerOptions::type,
                "`adam`, or `muon`: Muon for the matrices of the layers and Adam for the rest, which needs fewer but "
                "slightly slower steps");
  optimizer.add("beta1", &OptimizerOptions::beta1, "the decay of Adam's mean gradient", from_below(0, 1));
  optimizer.add("beta2", &OptimizerOptions::beta2, "the decay of Adam's mean squared gradient", from_below(0, 1));
  optimizer.add("epsilon", &OptimizerOptions::epsilon,
                "the epsilon that Adam adds to the square root of the mean squared gradient", above(0));
  optimizer.add("momentum", &OptimizerOptions::momentum, "the decay of Muon's mean gradient", from_below(0, 1));
  optimizer.add(
      "matrix_update", &OptimizerOptions::matrix_update,
      "the root mean square of Muon's update of a matrix, relative to the learning rate (Adam's is about 0.2 to 0.4)",
      above(0));
  optimizer.add("weight_decay", &OptimizerOptions::weight_decay,
                "the decay of matrices at each step, decoupled from the gradient (AdamW)", count);
  training.add("schedule", &TrainingOptions::schedule,
               "the learning rate after the warm-up: `noam` (the paper's) and `inverse_sqrt` decay with the square "
               "root of the step, `cosine` and `linear` reach 0 at `max_steps`");
  training.add("warmup_steps", &TrainingOptions::warmup_steps,
               "the number of steps over which the learning rate rises from 0", count);
  training.add("learning_rate", &TrainingOptions::learning_rate,
               "`noam`: a factor; other schedules: the peak after the warm-up (for example 0.0005)", above(0));
  training.add("label_smoothing", &TrainingOptions::label_smoothing,
               "the probability mass of the target that is spread over the whole vocabulary", from_below(0, 1));
  training.add("r_drop", &TrainingOptions::r_drop,
               "the alpha of R-Drop: each batch is computed twice, and alpha times half the mean symmetric KL "
               "divergence of the two predictions is added to the loss; doubles the work (for example 5; 0: off)",
               count);
  ObjectKeys word_dropout(
      keys, "training.word_dropout", [](auto& config) -> auto& { return config.training.word_dropout; });
  word_dropout.add(
      "source", &WordDropoutOptions::source,
      "the probability of zeroing the whole embedding of a source subword; the others are scaled up (for example 0.1)",
      from_below(0, 1));
  word_dropout.add("target", &WordDropoutOptions::target, "the same for the target subwords that the decoder reads",
                   from_below(0, 1));
  training.add("ema_decay", &TrainingOptions::ema_decay,
               "the decay of a moving average of the weights, which is validated and saved in place of the weights "
               "(for example 0.999; 0: off)",
               from_below(0, 1));
  training.add("clip_grad_norm", &TrainingOptions::clip_grad_norm,
               "gradients with a larger norm are scaled down to this norm (0: never)", count);
  add_changeable_keys(training);
  training.add(
      "best_metric", &TrainingOptions::best_metric,
      "the metric that chooses the best checkpoint: the highest validation BLEU or the lowest validation loss");
  training.add("precision", &TrainingOptions::precision,
               "the precision of matrix products; `auto` is bf16 on a GPU and fp32 on a CPU (where bf16 is faster with "
               "AVX-512 BF16)");
  training.add("fused_kernels", &TrainingOptions::fused_kernels,
               "train with this project's own CPU kernels if processor and model allow; `false`: always use LibTorch's "
               "operators, which are slower");
  training.add("seed", &TrainingOptions::seed,
               "the seed of initial weights, dropout, shuffling, held-out pairs and sampling");
}

}  // namespace translate
