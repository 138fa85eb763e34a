#include "training/non_finite.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/counted.h"
#include "core/logging.h"
#include "tensors/device.h"
#include "training/loss/batch_loss.h"

namespace translate::trainer {

namespace {

constexpr std::size_t kPairsNamed = 3;  // of a step

/// Whether a value is NaN or +inf. Masked scores are -inf, as they should be.
bool is_non_finite(const at::Tensor& values) {
  return values.is_floating_point() && !values.lt(std::numeric_limits<double>::infinity()).all().item<bool>();
}

/// Returns the first stage of a sentence's forward pass with such a value.
std::optional<std::string> first_non_finite_stage(Transformer& model, const Batch& sentence,
                                                  const LossSettings& settings, const ExecutionContext& context) {
  std::optional<std::string> found;
  const auto observed = context.observed_by([&](const std::string& stage, const at::Tensor& values) {
    if (!found && is_non_finite(values)) {
      found = stage;
    }
  });
  seed_generators(sentence.random_key);
  const auto sums = batch_loss(model, sentence, settings, observed);
  if (!found && is_non_finite(sums.minimised)) {
    found = "loss";
  }
  return found;
}

}  // namespace

std::optional<NonFiniteValue> find_non_finite(Transformer& model, std::span<const Batch> batches,
                                              const LossSettings& settings, const c10::Device& device,
                                              Precision precision) {
  const at::NoGradGuard no_grad;
  const ExecutionContext context(device, precision);
  try {
    for (const auto& batch : batches) {
      for (std::int64_t i = 0; i < batch.sentences(); ++i) {
        if (auto stage = first_non_finite_stage(model, batch.slice(i, i + 1), settings, context)) {
          return NonFiniteValue{.stage = std::move(*stage), .pair = batch.indices.at(static_cast<std::size_t>(i))};
        }
      }
    }
  } catch (const std::exception& error) {  // the report of a failure must not fail
    log_debug(fmt::format("the forward pass could not be repeated: {}", error.what()));
  }
  return std::nullopt;
}

void StepTrail::add(std::int64_t step, std::span<const Batch> batches) {
  Step made{.number = step, .batches = {}};
  std::size_t room = kPairsNamed;
  for (const auto& batch : batches) {
    if (batch.indices.empty()) {
      continue;  // the part of a process that got none
    }
    const auto count = std::min(room, batch.indices.size());
    room -= count;
    made.batches.push_back(
        {.pairs = batch.indices.size(),
         .first = {batch.indices.begin(), batch.indices.begin() + static_cast<std::ptrdiff_t>(count)}});
  }
  steps_.push_back(std::move(made));
}

std::string StepTrail::describe(const RefusedUpdate& update, const std::optional<NonFiniteValue>& value,
                                const std::function<std::string(std::int64_t)>& name_pair) const {
  std::string message = fmt::format("step {}: the loss or a gradient is not finite (loss {}, first bad gradient: {}).",
                                    update.number, std::isnan(update.loss) ? "nan" : fmt::format("{}", update.loss),
                                    update.gradient.empty() ? "none" : update.gradient);
  if (value) {
    message +=
        fmt::format(" The first bad value of the forward pass is in {}, for {}.", value->stage, name_pair(value->pair));
  }
  const auto step =
      std::find_if(steps_.begin(), steps_.end(), [&](const Step& each) { return each.number == update.number; });
  if (step == steps_.end()) {
    return message;
  }
  for (const auto& batch : step->batches) {
    message += fmt::format(" A batch of {}: ", counted(batch.pairs, "pair"));
    for (std::size_t i = 0; i < batch.first.size(); ++i) {
      message += (i == 0 ? "" : ", ") + name_pair(batch.first[i]);
    }
    if (batch.first.size() < batch.pairs) {
      message += batch.first.empty() ? "..." : ", ...";
    }
    message += ".";
  }
  return message;
}

}  // namespace translate::trainer
