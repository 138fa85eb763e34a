// Translating by every arithmetic against PyTorch: the logits of every step, and greedy translations. The cases have
// norms before and after their sub-layers, and norms and biases away from 1 and 0, so that sub-layers in another order,
// or with each other's norms, would show. ctest runs this with each set of instructions (TRANSLATE_INSTRUCTIONS).

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/processor.h"
#include "decoding/scheduling/decoding_scheduler.h"
#include "inference/linear_weights.h"
#include "operators/operator_model.h"
#include "support/golden_case.h"
#include "support/pointers.h"

namespace translate::testing {
namespace {

using Ids = std::vector<std::int64_t>;

/// A way of computing translations.
struct Way {
  std::string name;
  std::optional<WeightFormat> format;  ///< of packed weights; nothing: by LibTorch's operators
  Precision precision;                 ///< of the operators
  double tolerance;                    ///< relative distance of the logits from PyTorch's in single precision
};

constexpr double kRounding = 1e-5;        // single precision
constexpr double kRoundedFactors = 0.03;  // weights of 8 bits, and bf16
const std::vector<Way> kExactWays = {{"operators_fp32", std::nullopt, Precision::kFp32, kRounding},
                                     {"packed_fp32", WeightFormat::kFloat, Precision::kFp32, kRounding}};
const std::vector<Way> kWays = {
    kExactWays[0],
    kExactWays[1],
    {"operators_bf16", std::nullopt, Precision::kBf16, kRoundedFactors},
    {"packed_int8", WeightFormat::kInt8, Precision::kFp32, kRoundedFactors},
    {"packed_bf16", WeightFormat::kBfloat16, Precision::kBf16, kRoundedFactors},
};

class GoldenTranslation : public ::testing::TestWithParam<std::tuple<std::string, Way>> {
 protected:
  void SetUp() override {
    const auto modules = golden_.model();
    model_ = way_.format ? trainer::pack_modules(modules, *way_.format)
                         : std::make_shared<trainer::OperatorModel>(modules, c10::kCPU, way_.precision);
  }

  /// The encoder inputs without padding.
  [[nodiscard]] std::vector<Ids> sources() const {
    std::vector<Ids> sources;
    for (const auto& row : golden_["encoder_input"].unbind()) {
      sources.push_back(ids_of(row.index({row.ne(golden_.special_tokens().pad)})));
    }
    return sources;
  }

  [[nodiscard]] static Ids ids_of(const at::Tensor& row) {
    const auto ids = row.contiguous();
    return {ids.const_data_ptr<std::int64_t>(), ids.const_data_ptr<std::int64_t>() + ids.numel()};
  }

  Way way_ = std::get<1>(GetParam());
  GoldenCase golden_{std::get<0>(GetParam())};
  std::shared_ptr<const InferenceModel> model_;
};

TEST_P(GoldenTranslation, LogitsOfEveryStep) {
  const auto given = sources();
  const auto session = model_->start();
  session->add(std::vector<std::span<const std::int64_t>>(given.begin(), given.end()));
  const auto prefixes = golden_["decoder_input"];  // (B, T)
  const auto expected = golden_["logits"];         // (B, T, V)
  auto logits = at::zeros_like(expected);
  for (std::int64_t t = 0; t < prefixes.size(1); ++t) {
    session->step(ids_of(prefixes.select(1, t)), [&](std::int64_t row, const NextSubword& next) {
      std::ranges::copy(next.logits.values, logits[row][t].mutable_data_ptr<float>());
    });
  }
  const auto real = golden_["label"].ne(golden_.special_tokens().pad);
  const auto distance = relative_distance(logits.index({real}), expected.index({real}));
  EXPECT_LE(distance, way_.tolerance);
  RecordProperty("distance", fmt::format("{:.2e}", distance));  // --gtest_output=json:FILE
}

/// In single precision: the best two logits of a step may be closer than rounded factors can tell apart.
class GoldenGreedy : public GoldenTranslation {};

TEST_P(GoldenGreedy, TranslationsArePyTorchs) {
  const at::NoGradGuard no_grad;
  const auto expected = golden_["greedy"];
  const auto& special = golden_.special_tokens();
  SearchOptions options{.decoding = {}, .target = special, .early_stopping = true};
  options.decoding.beam_size = 1;
  std::vector<Sentence> sentences;
  for (const auto& source : sources()) {
    sentences.emplace_back().encoder_input = source;
    sentences.back().max_length = expected.size(1);
  }
  DecodingScheduler(model_, options).decode(pointers_to(sentences));
  ASSERT_EQ(std::ssize(sentences), expected.size(0));
  for (std::int64_t row = 0; row < expected.size(0); ++row) {
    auto ids = ids_of(expected[row]);
    const auto end = std::ranges::find(ids, special.eos);
    const bool ended = end != ids.end();
    ids.erase(end, ids.end());
    const auto& hypothesis = sentences[static_cast<std::size_t>(row)].hypotheses.front();
    EXPECT_EQ(hypothesis.ids, ids) << "row " << row;
    EXPECT_EQ(hypothesis.truncated, !ended) << "row " << row;
  }
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<std::string, Way>>& instance) {
  return std::get<0>(instance.param) + "_" + std::get<1>(instance.param).name;
}
INSTANTIATE_TEST_SUITE_P(Cases, GoldenTranslation,
                         ::testing::Combine(::testing::ValuesIn(golden_cases()), ::testing::ValuesIn(kWays)), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, GoldenGreedy,
                         ::testing::Combine(::testing::ValuesIn(golden_cases()), ::testing::ValuesIn(kExactWays)),
                         name_of);

/// int8 is computed by other instructions without VNNI, and fp32 by half as wide vectors without AVX-512.
TEST(GoldenInstructions, AllAreThere) {
  std::string missing;
  const auto note = [&](bool is_there, const char* name) { missing += is_there ? "" : fmt::format(" {}", name); };
  note(has_avx2_kernels(), "AVX2");
  note(has_avx512_kernels(), "AVX-512");
  note(has_bf16_kernels(), "AVX-512-BF16");
  note(has_vnni_kernels(), "AVX-512-VNNI");
  if (!missing.empty()) {
    GTEST_SKIP() << "kernels with these instructions are NOT held against PyTorch here:" << missing;
  }
}

}  // namespace
}  // namespace translate::testing
