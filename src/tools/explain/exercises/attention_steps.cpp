#include "explain/exercises/attention_steps.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <limits>

#include "core/counted.h"
#include "modules/masks.h"

namespace translate::tools {

namespace {

std::string meaning_of(const std::string& stage, std::int64_t d_k, const at::Tensor& value) {
  if (stage == "scores") {
    return "Q times K transposed: a row for each query";
  }
  if (stage == "scaled") {
    return fmt::format("scores / sqrt(d_k = {})", d_k);
  }
  if (stage == "masked") {
    return "-inf where the mask forbids attention";
  }
  if (stage == "weights") {
    const bool blind = value.sum(-1).eq(0).any().item<bool>();
    return blind ? "softmax of each row: sums are 1; fully masked rows are zero" : "softmax of each row: it sums to 1";
  }
  return "weights times V: sums of values, weighted";
}

}  // namespace

at::Tensor read_mask(const ExampleFile& file, std::int64_t queries, std::int64_t keys) {
  if (!file.has("mask")) {
    return {};
  }
  if (file.mask_is_causal()) {
    if (queries != keys) {
      file.member("mask").fail("a causal mask needs as many queries as keys");
    }
    return trainer::causal_mask(queries, at::kCPU)[0][0];
  }
  const auto mask = file.matrix("mask");
  if (mask.size(0) != queries || mask.size(1) != keys) {
    file.member("mask").fail(
        fmt::format("expected \"causal\" or {} of {}: 1 = may attend", counted(queries, "row"), keys));
  }
  if (mask.ne(0).logical_and(mask.ne(1)).any().item<bool>()) {
    file.member("mask").fail("expected only 1 (may attend) and 0 (may not); nothing is added to the scores");
  }
  return mask.to(at::kBool);
}

at::Tensor without_batch(const at::Tensor& value) {
  const auto sentence = value[0];
  return sentence.dim() == 3 && sentence.size(0) == 1 ? sentence[0] : sentence;
}

void add_attention_step(std::vector<ExampleStep>& steps, const std::string& name, const at::Tensor& value,
                        std::int64_t d_k) {
  const auto stage = name.substr(name.rfind('.') + 1);  // the whole name if there is no dot
  ExampleStep step{.name = name, .meaning = meaning_of(stage, d_k, value), .value = without_batch(value)};
  if (stage == "masked") {
    constexpr const char* kOtherOrder = "masked before it is scaled, which gives the same weights";
    auto& scaled = steps[steps.size() - 1];
    const auto& scores = steps[steps.size() - 2];
    scaled.equivalent = {.value = step.value, .meaning = kOtherOrder};
    step.equivalent = {.value = scores.value.masked_fill(step.value.isinf(), -std::numeric_limits<double>::infinity()),
                       .meaning = kOtherOrder};
  }
  steps.push_back(std::move(step));
}

}  // namespace translate::tools
