#include "translate/config/key_table.h"

namespace translate {
namespace {

/// Limits, logging, validation and checkpoints: all that a resumed run may have otherwise.
template <class Keys>
void add_changeable_keys(Keys& training) {
  const auto add = [&](auto... arguments) { training.add(arguments...).may_change = true; };
  const Range count = at_least(0);
  add("max_steps", &TrainingOptions::max_steps, "limit in steps; the first limit reached ends the run (0: none)",
      count);
  add("max_epochs", &TrainingOptions::max_epochs, "limit in passes over the training pairs (0: none)", count);
  add("max_minutes", &TrainingOptions::max_minutes, "limit in minutes of training time, all resumes together (0: none)",
      count);
  add("patience", &TrainingOptions::patience, "limit in validations in a row without a new best (0: none)", count);
  add("validate_every", &TrainingOptions::validate_every, "when to validate");
  add("log_every", &TrainingOptions::log_every, "steps between reports", at_least(1));
  add("checkpoint_every", &TrainingOptions::checkpoint_every, "when to save a checkpoint");
  add("keep_last", &TrainingOptions::keep_last, "newest checkpoints kept", at_least(1));
  add("keep_best", &TrainingOptions::keep_best, "best checkpoints kept besides", count);
}

}  // namespace

void add_training_keys(std::vector<Key>& keys) {
  ObjectKeys training(
      keys, "training", [](auto& config) -> auto& { return config.training; });
  const Range count = at_least(0);
  training.add(
      "batch_tokens", &TrainingOptions::batch_tokens,
      "target pieces of a batch, each sentence's end counted, padding not; `auto`: as many as the memory at hand "
      "allows, 256 to 25,000, measured when a run starts and kept for all of it");
  training.add("batch_sentences", &TrainingOptions::batch_sentences,
               "pairs of a batch, instead of `batch_tokens` (0: by tokens)", count);
  training.add("accumulation_steps", &TrainingOptions::accumulation_steps, "batches that make one step", at_least(1));
  ObjectKeys optimizer(
      keys, "training.optimizer", [](auto& config) -> auto& { return config.training.optimizer; });
  optimizer.add("type", &OptimizerOptions::type,
                "`adam`, or `muon`: Muon for the matrices of the layers and Adam for the rest, which takes fewer steps "
                "that cost a little more");
  optimizer.add("beta1", &OptimizerOptions::beta1, "Adam's decay of the mean gradient", from_below(0, 1));
  optimizer.add("beta2", &OptimizerOptions::beta2, "Adam's decay of the mean squared gradient", from_below(0, 1));
  optimizer.add("epsilon", &OptimizerOptions::epsilon, "added to the root of the latter", above(0));
  optimizer.add("momentum", &OptimizerOptions::momentum, "Muon's decay of the mean gradient", from_below(0, 1));
  optimizer.add(
      "matrix_update", &OptimizerOptions::matrix_update,
      "root mean square of what a step of Muon adds to a matrix, in learning rates (Adam's: about 0.2 to 0.4)",
      above(0));
  optimizer.add("weight_decay", &OptimizerOptions::weight_decay,
                "decay of matrices at each step, apart from the gradient (AdamW)", count);
  training.add(
      "schedule", &TrainingOptions::schedule,
      "learning rate after the warm-up: `noam` (the paper's) and `inverse_sqrt` fall with the root of the step, "
      "`cosine` and `linear` reach 0 at `max_steps`");
  training.add("warmup_steps", &TrainingOptions::warmup_steps, "steps over which the learning rate rises from 0",
               count);
  training.add("learning_rate", &TrainingOptions::learning_rate,
               "`noam`: a factor; others: the peak, reached after the warm-up (say 0.0005)", above(0));
  training.add("label_smoothing", &TrainingOptions::label_smoothing,
               "share of the target's probability that is spread over the whole vocabulary", from_below(0, 1));
  training.add("r_drop", &TrainingOptions::r_drop,
               "alpha of R-Drop: each batch goes through twice, and this times half the mean divergence of the two "
               "predictions (KL, both ways) is added to the loss; twice the work (say 5; 0: off)",
               count);
  ObjectKeys word_dropout(
      keys, "training.word_dropout", [](auto& config) -> auto& { return config.training.word_dropout; });
  word_dropout.add("source", &WordDropoutOptions::source,
                   "share of source pieces whose whole embedding is zeroed, the others' scaled up (say 0.1)",
                   from_below(0, 1));
  word_dropout.add("target", &WordDropoutOptions::target, "the same of what the decoder reads", from_below(0, 1));
  training.add("ema_decay", &TrainingOptions::ema_decay,
               "decay of a moving average of the weights, which is validated and saved as the model (say 0.999; 0: the "
               "weights themselves are)",
               from_below(0, 1));
  training.add("clip_grad_norm", &TrainingOptions::clip_grad_norm,
               "gradients of a larger norm are scaled down to it (0: never)", count);
  add_changeable_keys(training);
  training.add("best_metric", &TrainingOptions::best_metric,
               "what the best checkpoint has: the highest validation BLEU or the lowest validation loss");
  training.add(
      "precision", &TrainingOptions::precision,
      "arithmetic of matrix products; `auto` is bf16 on a GPU, fp32 on a CPU (where bf16 is faster with AVX-512 BF16)");
  training.add("fused_kernels", &TrainingOptions::fused_kernels,
               "train with this project's own CPU kernels, where the processor and the model allow; `false`: with "
               "LibTorch's operators alone, more slowly");
  training.add("seed", &TrainingOptions::seed, "of initial weights, dropout, shuffling, held-out pairs and sampling");
}

}  // namespace translate
