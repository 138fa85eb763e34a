#include "translate/inference/fastest_format.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "translate/inference/activation_rows.h"
#include "translate/kernels/cpu_features.h"

namespace translate {
namespace {

using Clock = std::chrono::steady_clock;

/// A product of a model's depth, and the shortest time that it has taken.
class TimedProduct {
 public:
  TimedProduct(const MatrixView& weight, WeightFormat format)
      : format_(format),
        weights_({&weight, 1}, {}, format),
        width_(weight.columns),
        outputs_(weight.rows),
        from_(static_cast<std::size_t>(kRowsAtATime * width_), 1.0F),
        to_(static_cast<std::size_t>(kRowsAtATime * outputs_)) {}

  void run() {
    const auto start = Clock::now();
    weights_.apply(kRowsAtATime, {from_.data(), width_}, {to_.data(), outputs_});
    shortest_ = std::min(shortest_, Clock::now() - start);
  }

  [[nodiscard]] FormatTime time() const { return {format_, std::chrono::duration<double>(shortest_).count()}; }

 private:
  WeightFormat format_;
  LinearWeights weights_;
  std::int64_t width_;
  std::int64_t outputs_;
  std::vector<float> from_;
  std::vector<float> to_;
  Clock::duration shortest_ = Clock::duration::max();
};

/// How many times as fast as a more exact format one must be to be worth its rounding.
double least_gain(WeightFormat format) {
  const bool rounds_both_to_bytes = format == WeightFormat::kInt8 && has_vnni_kernels();
  return rounds_both_to_bytes ? 1.5 : 1.1;
}

}  // namespace

std::vector<FormatTime> time_formats(const ModelOptions& options) {
  constexpr int kRounds = 5;  // in turn, and the shortest counts: other programs on the machine only ever add time
  constexpr std::int64_t kOutputs = 2048;  // a wide one, as the products that take longest are: the logits
  const std::vector<float> values(static_cast<std::size_t>(kOutputs * options.d_model), 1.0F);
  const MatrixView weight{values.data(), kOutputs, options.d_model};
  std::vector<TimedProduct> products;
  products.emplace_back(weight, WeightFormat::kFloat);
  if (has_bf16_kernels()) {
    products.emplace_back(weight, WeightFormat::kBfloat16);
  }
  products.emplace_back(weight, WeightFormat::kInt8);
  for (int round = 0; round < kRounds; ++round) {
    for (auto& product : products) {
      product.run();
    }
  }
  std::vector<FormatTime> times;
  for (const auto& product : products) {
    times.push_back(product.time());
  }
  return times;
}

WeightFormat worthwhile_format(std::span<const FormatTime> times) {
  const auto* best = &times.front();
  for (const auto& time : times) {
    if (best->seconds > least_gain(time.format) * time.seconds) {
      best = &time;
    }
  }
  return best->format;
}

WeightFormat fastest_format(const ModelOptions& options) { return worthwhile_format(time_formats(options)); }

}  // namespace translate
