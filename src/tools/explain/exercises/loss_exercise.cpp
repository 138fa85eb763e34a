#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>

#include "explain/exercises/exercise_kinds.h"
#include "training/loss/loss.h"

namespace translate::tools {

namespace {

/// The positions that count, and what the file says of them.
struct Positions {
  at::Tensor rows;    ///< the indices of those whose label is not padding, (count)
  at::Tensor logits;  ///< of these, (count, V)
  at::Tensor labels;  ///< (count)
  double smoothing = 0.0;
};

Positions read_positions(const ExampleFile& file, const at::Tensor& logits, const at::Tensor& labels) {
  const auto smoothing = file.member("smoothing").number_or(0.0, between(0, 1));
  const auto padding = file.member("padding").integer_or(-1, between(0, logits.size(1) - 1));
  const auto rows = labels.ne(padding).nonzero().squeeze(1);  // (count)
  if (rows.size(0) == 0) {
    file.member("labels").fail("expected at least one that is not padding");
  }
  return {.rows = rows,
          .logits = logits.index_select(0, rows),
          .labels = labels.index_select(0, rows),
          .smoothing = smoothing};
}

/// Returns the distributions (count, V) that the loss compares the probabilities with. The gradient of the loss by the
/// logits is the difference of the two, so that these are the targets that training has.
at::Tensor targets_of(const Positions& positions) {
  const at::AutoGradMode with_gradients(true);
  auto logits = positions.logits.detach().clone();
  logits.set_requires_grad(true);
  trainer::cross_entropy(logits, {positions.labels}, {.smoothing = positions.smoothing}).minimised.backward();
  return at::softmax(logits.detach(), /*dim=*/-1) - logits.grad();
}

/// Returns a sum of the loss for each position by itself, (count, 1).
at::Tensor loss_of_each(const Positions& positions, at::Tensor trainer::LossSums::*sum) {
  std::vector<at::Tensor> losses;
  for (std::int64_t i = 0; i < positions.rows.size(0); ++i) {
    const auto sums = trainer::cross_entropy(positions.logits.slice(0, i, i + 1), {positions.labels.slice(0, i, i + 1)},
                                             {.smoothing = positions.smoothing});
    losses.push_back(sums.*sum);
  }
  return at::stack(losses).unsqueeze(1);
}

std::vector<ExampleStep> compute_loss(const ExampleFile& file) {
  const auto logits = file.matrix("logits");
  const auto ids = file.integers("labels", between(0, logits.size(1) - 1));
  if (std::ssize(ids) != logits.size(0)) {
    file.member("labels").fail(
        fmt::format("expected {}, one for each row of logits; got {}", logits.size(0), ids.size()));
  }
  const auto labels = at::tensor(ids, at::kLong);
  const auto positions = read_positions(file, logits, labels);
  // Puts rows of the positions that count among rows of zeros for the others.
  const auto with_padding = [&](const at::Tensor& values) {
    return at::zeros({logits.size(0), values.size(1)}).index_copy(0, positions.rows, values);
  };
  const auto count = positions.rows.size(0);
  const auto mean =
      trainer::cross_entropy(positions.logits, {positions.labels}, {.smoothing = positions.smoothing}).smoothed /
      static_cast<double>(count);
  return {{.name = "logits", .meaning = "given: a row for each position", .value = logits},
          {.name = "labels",
           .meaning = file.has("padding") ? "given: the right subwords; positions of padding do not count"
                                          : "given: the right subwords",
           .value = labels.to(at::kFloat).unsqueeze(0)},  // (1, positions)
          {.name = "probabilities", .meaning = "softmax of each row", .value = at::softmax(logits, /*dim=*/-1)},
          {.name = "targets",
           .meaning = fmt::format("{0:g} / V on every subword, and 1 - {0:g} more on the label", positions.smoothing),
           .value = with_padding(targets_of(positions))},
          {.name = "plain",
           .meaning = "-log(probability of the label): without smoothing",
           .value = with_padding(loss_of_each(positions, &trainer::LossSums::plain))},
          {.name = "losses",
           .meaning = "-sum of targets * log(probabilities): the loss of each position",
           .value = with_padding(loss_of_each(positions, &trainer::LossSums::smoothed))},
          {.name = "mean",
           .meaning = fmt::format("sum of losses / {} labels that are not padding", count),
           .value = mean.view({1, 1})}};
}

}  // namespace

ExerciseKind loss_exercise() {
  return {.name = "loss",
          .keys = {"logits", "labels", "smoothing", "padding"},
          .steps = {"logits", "labels", "probabilities", "targets", "plain", "losses", "mean"},
          .conditions = "",
          .compute = &compute_loss};
}

}  // namespace translate::tools
