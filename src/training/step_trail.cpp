#include "translate/training/step_trail.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace translate {
namespace {

constexpr std::size_t kPairsNamed = 3;  // of a step whose loss is not finite

}  // namespace

void StepTrail::add(std::int64_t step, std::span<const Batch> batches) {
  Step made{.number = step, .batches = {}};
  std::size_t room = kPairsNamed;
  for (const auto& batch : batches) {
    const auto count = std::min(room, batch.indices.size());
    room -= count;
    made.batches.push_back(
        {.pairs = batch.indices.size(),
         .first = {batch.indices.begin(), batch.indices.begin() + static_cast<std::ptrdiff_t>(count)}});
  }
  steps_.push_back(std::move(made));
}

std::string StepTrail::describe(const RefusedUpdate& update,
                                const std::function<std::string(std::int64_t)>& name_pair) const {
  std::string message = fmt::format("step {}: the loss or a gradient is not finite (loss {}, first bad gradient: {}). ",
                                    update.number, update.loss, update.gradient.empty() ? "none" : update.gradient);
  const auto step =
      std::find_if(steps_.begin(), steps_.end(), [&](const Step& each) { return each.number == update.number; });
  if (step != steps_.end()) {
    for (const auto& batch : step->batches) {
      message += fmt::format("A batch of {} pairs: ", batch.pairs);
      for (const auto index : batch.first) {
        message += name_pair(index) + "; ";
      }
      message += batch.first.size() < batch.pairs ? "...; " : "";
    }
  }
  return message +
         "the last checkpoint is as it was. Try a lower training.learning_rate, a longer training.warmup_steps, "
         "training.clip_grad_norm = 1, or training.precision = \"fp32\"";
}

}  // namespace translate
