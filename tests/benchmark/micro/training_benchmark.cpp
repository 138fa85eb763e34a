// What a training step is made of, besides the layers.

#include "fused/fused_sublayers.h"
#include "micro/setting.h"
#include "model/memory_need.h"
#include "training/loss/batch_loss.h"
#include "training/loss/loss.h"
#include "training/optimizer/optimizer.h"

namespace translate::micro {
namespace {

constexpr double kSmoothing = 0.1;

/// A weight and a bias as of the projection.
class Projection : public torch::nn::Module {
 public:
  explicit Projection(std::int64_t d_model) {
    weight = register_parameter("weight", at::randn({kVocabulary, d_model}) * 0.05);
    bias = register_parameter("bias", at::zeros({kVocabulary}));
  }

  at::Tensor weight;
  at::Tensor bias;
};

void loss_by(benchmark::State& state, trainer::LossMethod method) {
  const auto options = model_options(state);
  const auto features = activations(options).detach().flatten(0, 1).requires_grad_();
  const auto labels = at::randint(kVocabulary, {features.size(0)}, at::kLong);
  Projection module(options.d_model);
  forward_and_backward(state, module, features.size(0), [&] {
    const trainer::LossInputs inputs{features, module.weight, module.bias, {labels}};
    const auto factor_type = precision(state) == Precision::kBf16 ? FactorType::kBfloat16 : FactorType::kFloat;
    return trainer::projected_loss(inputs, {.smoothing = kSmoothing}, method, factor_type).minimised;
  });
}
BENCHMARK_CAPTURE(loss_by, fused, trainer::LossMethod::kFused)->Name("loss_fused")->Apply(all_models);
BENCHMARK_CAPTURE(loss_by, blocks, trainer::LossMethod::kBlocks)->Name("loss_in_blocks")->Apply(all_models);
BENCHMARK_CAPTURE(loss_by, operators, trainer::LossMethod::kOperators)->Name("loss_by_operators")->Apply(all_models);

void whole_batch(benchmark::State& state) {
  auto model = training_model(model_options(state));
  const auto batch = random_batch();
  const auto context = trainer::training_context(c10::kCPU, precision(state), /*fused_kernels=*/true);
  forward_and_backward(state, *model, batch.target_tokens(),
                       [&] { return trainer::batch_loss(model, batch, {.smoothing = kSmoothing}, context).minimised; });
}
BENCHMARK(whole_batch)->Name("batch_loss")->Apply(all_models);

void update(benchmark::State& state, OptimizerType type) {
  const auto options = model_options(state);
  const auto model = training_model(options);
  const auto parameters = trainer::unique_parameters(model);
  for (const auto& [name, parameter] : parameters) {
    parameter.mutable_grad() = at::randn_like(parameter) * 1e-3;
  }
  trainer::Optimizer optimizer(parameters, {.type = type}, trainer::layer_matrices(options));
  for (auto _ : state) {
    optimizer.step(/*rate=*/1e-6, /*clip_norm=*/1.0);
  }
  state.SetItemsProcessed(state.iterations() * trainer::parameter_count(model));
}
BENCHMARK_CAPTURE(update, adam, OptimizerType::kAdam)->Name("adam_clip_and_step")->Apply(both_sizes);
BENCHMARK_CAPTURE(update, muon, OptimizerType::kMuon)->Name("muon_clip_and_step")->Apply(both_sizes);

}  // namespace
}  // namespace translate::micro
