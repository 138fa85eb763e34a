#include "inference/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "config/enum_names.h"
#include "core/error.h"
#include "core/file.h"
#include "core/processor.h"
#include "inference/activation_rows.h"
#include "inference/remembered_format.h"
#include "model/memory_need.h"

namespace translate {

namespace {

using Clock = std::chrono::steady_clock;

/// A matrix product of the model's depth, and its shortest time so far.
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

/// The factor by which a less exact format must be faster than a more exact one to be worth its rounding.
double least_gain(WeightFormat format) { return format == WeightFormat::kInt8 ? 1.5 : 1.1; }

}  // namespace

std::vector<FormatTime> time_formats(const ModelOptions& options) {
  constexpr int kRounds = 5;  // in turn, and the shortest counts: other programs on the machine can only add time
  constexpr std::int64_t kOutputs = 2048;  // a wide matrix, like those of the slowest products: the logits
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

namespace {

bool can_pack(const c10::Device& device) { return device.is_cpu() && has_vector_kernels(); }

}  // namespace

Arithmetic arithmetic_of(const std::string& name, const c10::Device& device, const ModelOptions& options) {
  if (name == "int8") {
    if (!can_pack(device)) {
      throw ConfigError(fmt::format("--precision int8 needs {}; use auto, fp32 or bf16",
                                    device.is_cpu() ? "a processor with AVX2, FMA and F16C" : "the CPU: --device cpu"));
    }
    return {Precision::kFp32, WeightFormat::kInt8};
  }
  if (name == "auto" && can_pack(device)) {
    check_memory_need(options, /*sizes=*/{}, kBytesOfPackedWeight, device);  // a layer is measured
    const auto format = remembered_format(user_cache_folder(), options, fastest_format);
    return {format == WeightFormat::kBfloat16 ? Precision::kBf16 : Precision::kFp32, format};
  }
  return resolve_precision(from_string<Precision>(name).value_or(Precision::kAuto), device);
}

bool packs(const c10::Device& device, const Arithmetic& arithmetic) {
  return can_pack(device) && (arithmetic.precision == Precision::kFp32 || has_bf16_kernels());
}

}  // namespace translate
