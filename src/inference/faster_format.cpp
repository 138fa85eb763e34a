#include "translate/inference/faster_format.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "translate/inference/activation_rows.h"
#include "translate/model/tensor_rows.h"

namespace translate {
namespace {

using Clock = std::chrono::steady_clock;

/// A product of a model's depth, and the shortest time that it has taken.
class TimedProduct {
 public:
  TimedProduct(const at::Tensor& weight, WeightFormat format)
      : weights_({&weight, 1}, {}, format),
        from_(at::ones({kRowsAtATime, weight.size(1)})),
        to_(at::empty({kRowsAtATime, weight.size(0)})) {}

  void run() {
    const auto start = Clock::now();
    weights_.apply(kRowsAtATime, rows_of(from_), {floats(to_), to_.size(1)});
    shortest_ = std::min(shortest_, Clock::now() - start);
  }

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(shortest_).count(); }

 private:
  LinearWeights weights_;
  at::Tensor from_;
  at::Tensor to_;
  Clock::duration shortest_ = std::numeric_limits<Clock::duration>::max();
};

}  // namespace

WeightFormat faster_format(const ModelOptions& options) {
  constexpr int kRounds = 5;  // in turn, and the shortest counts: other programs on the machine only ever add time
  constexpr double kGain = 1.1;
  constexpr std::int64_t kOutputs = 2048;  // a wide one, as the products that take longest are: the logits
  const auto weight = at::ones({kOutputs, options.d_model});
  TimedProduct single(weight, WeightFormat::kFloat);
  TimedProduct eight_bits(weight, WeightFormat::kInt8);
  for (int round = 0; round < kRounds; ++round) {
    single.run();
    eight_bits.run();
  }
  return single.seconds() > kGain * eight_bits.seconds() ? WeightFormat::kInt8 : WeightFormat::kFloat;
}

}  // namespace translate
