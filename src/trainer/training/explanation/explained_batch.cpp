#include "training/explanation/explained_batch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tensors/device.h"
#include "training/loss/batch_loss.h"

namespace translate::trainer {

namespace {

/// Returns the subwords of one sentence.
std::vector<ExplainedSubword> subwords_of(const at::Tensor& ids, const UnpaddedLayout& sentences, std::int64_t sentence,
                                          const Tokenizer& tokenizer) {
  std::vector<ExplainedSubword> subwords;
  const auto* id = ids.const_data_ptr<std::int64_t>();
  for (auto row = sentences.offset(sentence); row < sentences.offset(sentence + 1); ++row) {
    subwords.push_back({.id = id[row], .text = tokenizer.subword(id[row])});
  }
  return subwords;
}

/// The loss at each label of a batch.
struct PositionLosses {
  std::vector<double> plain;
  std::vector<double> minimised;
};

/// Computes the definition label by label. Only the logits of some hundred labels exist at any time.
PositionLosses position_losses(const LossInputs& inputs, const LossSettings& settings) {
  constexpr std::int64_t kLabelsAtATime = 256;
  const auto labels = inputs.targets.size();
  const auto features = inputs.features.to(at::kFloat).view({inputs.passes(), labels, -1});
  PositionLosses losses;
  for (std::int64_t begin = 0; begin < labels; begin += kLabelsAtATime) {
    const auto end = std::min(begin + kLabelsAtATime, labels);
    const auto logits = at::linear(features.slice(1, begin, end), inputs.weight, inputs.bias);  // (passes, n, V)
    for (auto i = begin; i < end; ++i) {
      const auto rows = logits.select(1, i - begin);  // (passes, V)
      const auto target = inputs.targets.slice(i, i + 1);
      const auto sums =
          inputs.passes() == 1 ? cross_entropy(rows, target, settings) : two_pass_loss(rows, target, settings);
      losses.plain.push_back(sums.plain.item<double>());
      losses.minimised.push_back(sums.minimised.item<double>());
    }
  }
  return losses;
}

}  // namespace

ExplainedBatch explain_batch(Transformer& model, const Batch& batch, const TokenizerPair& tokenizers,
                             const LossSettings& settings, const ExecutionContext& context) {
  const at::NoGradGuard no_grad;
  seed_generators(batch.random_key);
  const auto losses = position_losses(loss_inputs(model, batch, settings, context), settings);
  const auto& sources = *batch.encoder_input.sentences;
  const auto& targets = *batch.decoder_input.sentences;
  const auto encoder_input = batch.encoder_input.ids.cpu();
  const auto decoder_input = batch.decoder_input.ids.cpu();
  const auto label = batch.label.cpu();
  ExplainedBatch explained{.pairs = {},
                           .source_length = batch.source_length(),
                           .target_length = batch.target_length(),
                           .source_tokens = batch.source_tokens(),
                           .target_tokens = batch.target_tokens()};
  for (std::int64_t i = 0; i < batch.sentences(); ++i) {
    const auto of_sentence = [&](const std::vector<double>& values) {
      return std::vector<double>(values.begin() + targets.offset(i), values.begin() + targets.offset(i + 1));
    };
    explained.pairs.push_back({.index = batch.indices.at(static_cast<std::size_t>(i)),
                               .origin = {},
                               .encoder_input = subwords_of(encoder_input, sources, i, tokenizers.source),
                               .decoder_input = subwords_of(decoder_input, targets, i, tokenizers.target),
                               .label = subwords_of(label, targets, i, tokenizers.target),
                               .loss = of_sentence(losses.plain),
                               .minimised_loss = of_sentence(losses.minimised)});
  }
  return explained;
}

ExplainedTarget explain_target(const VocabularySizes& sizes, const LossSettings& settings) {
  std::vector<std::int64_t> subwords;  // three that are not for padding
  for (std::int64_t id = 0; subwords.size() < 3; ++id) {
    if (id != sizes.target_pad) {
      subwords.push_back(id);
    }
  }
  const auto [label, other, likely] = std::tie(subwords[0], subwords[1], subwords[2]);
  // The gradient of the loss by the logits is p - t. All but one subword get a probability of 0, so that t is exact.
  const auto logits = at::zeros({1, sizes.target}, at::TensorOptions().dtype(at::kFloat));
  logits[0][likely].fill_(200.0);
  logits.requires_grad_();
  cross_entropy(logits, {at::full({1}, label, at::kLong)}, {.smoothing = settings.smoothing}).minimised.backward();
  const auto row = (logits.detach().log_softmax(-1).exp() - logits.grad())[0].to(at::kDouble);  // (V)
  return {.classes = sizes.target,
          .at_label = row[label].item<double>(),
          .elsewhere = row[other].item<double>(),
          .pad = sizes.target_pad,
          .at_padding = row[sizes.target_pad].item<double>(),
          .sum = row.sum().item<double>()};
}

MeanLoss mean_loss(const LossSums& sums, std::int64_t labels) {
  const auto mean = [labels](const at::Tensor& sum) { return sum.item<double>() / static_cast<double>(labels); };
  MeanLoss loss{.plain = mean(sums.plain),
                .smoothed = mean(sums.smoothed),
                .minimised = mean(sums.minimised),
                .divergence = {},
                .guided = {}};
  if (sums.divergence.defined()) {
    loss.divergence = mean(sums.divergence);
  }
  if (sums.guided.defined()) {
    loss.guided = mean(sums.guided);
  }
  return loss;
}

namespace {

/// Collects the masks that the dropout modules report.
class DropoutObserver {
 public:
  explicit DropoutObserver(const Transformer& model) : modules_(model->named_modules()) {}

  void see(const std::string& stage, const at::Tensor& value) {
    seen_.push_back(stage);
    if (!stage.ends_with(kStage)) {
      return;
    }
    const auto name = module_of(stage);
    const auto* module = modules_[name]->as<DropoutImpl>();
    places_.push_back({.module = name,
                       .probability = module->probability(),
                       .shape = value.sizes().vec(),
                       .zeros = value.eq(0).to(at::kDouble).mean().item<double>(),
                       .scale = value.max().item<double>()});
  }

  /// Returns the report on a pass of this model.
  [[nodiscard]] DropoutReport report(const ModelOptions& options) const {
    DropoutReport report{.places = places_, .layers_left_out = {}};
    const auto look_for = [&](const std::string& stack, std::int64_t layers) {
      for (std::int64_t i = 0; i < layers; ++i) {
        const auto layer = stack + ".layers." + std::to_string(i);
        if (std::ranges::none_of(seen_, [&](const std::string& stage) { return stage.starts_with(layer + "."); })) {
          report.layers_left_out.push_back(layer);
        }
      }
    };
    look_for("encoder", options.encoder_layers);
    look_for("decoder", options.decoder_layers);
    return report;
  }

 private:
  static constexpr std::string_view kStage = ".dropout";

  /// Returns the name of the module that reported a mask. Some modules report in the name of the module around them:
  /// the word dropout of the embeddings, and the residual connections, which a layer calls one after the other.
  [[nodiscard]] std::string module_of(const std::string& stage) const {
    const auto around = stage.substr(0, stage.size() - kStage.size());
    if (around.ends_with("_embed")) {
      return around + ".word_dropout";
    }
    if (modules_.contains(stage)) {
      return stage;
    }
    const auto connection = std::ranges::count(seen_, stage) - 1;
    return around + ".residual_connections." + std::to_string(connection) + ".dropout";
  }

  torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>> modules_;
  std::vector<std::string> seen_;
  std::vector<DropoutPlace> places_;
};

}  // namespace

DropoutReport observe_dropout(Transformer& model, const Batch& batch, const LossSettings& settings,
                              Precision precision) {
  const at::NoGradGuard no_grad;
  DropoutObserver observer(model);
  const ExecutionContext context(batch.label.device(), precision);
  seed_generators(batch.random_key);
  static_cast<void>(loss_inputs(
      model, batch, settings,
      context.observed_by([&](const std::string& stage, const at::Tensor& value) { observer.see(stage, value); })));
  return observer.report(model->options());
}

}  // namespace translate::trainer
