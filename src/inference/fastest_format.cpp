#include "translate/inference/fastest_format.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <list>
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

  [[nodiscard]] WeightFormat format() const { return format_; }
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(shortest_).count(); }

 private:
  WeightFormat format_;
  LinearWeights weights_;
  std::int64_t width_;
  std::int64_t outputs_;
  std::vector<float> from_;
  std::vector<float> to_;
  Clock::duration shortest_ = std::numeric_limits<Clock::duration>::max();
};

}  // namespace

WeightFormat fastest_format(const ModelOptions& options) {
  constexpr int kRounds = 5;  // in turn, and the shortest counts: other programs on the machine only ever add time
  constexpr double kGain = 1.1;
  constexpr std::int64_t kOutputs = 2048;  // a wide one, as the products that take longest are: the logits
  const std::vector<float> values(static_cast<std::size_t>(kOutputs * options.d_model), 1.0F);
  const MatrixView weight{values.data(), kOutputs, options.d_model};
  std::list<TimedProduct> products;
  products.emplace_back(weight, WeightFormat::kFloat);
  products.emplace_back(weight, WeightFormat::kInt8);
  if (has_bf16_kernels()) {
    products.emplace_back(weight, WeightFormat::kBfloat16);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (auto& product : products) {
      product.run();
    }
  }
  const auto& fastest = *std::ranges::min_element(products, {}, &TimedProduct::seconds);
  return products.front().seconds() > kGain * fastest.seconds() ? fastest.format() : WeightFormat::kFloat;
}

}  // namespace translate
