#include "operators/operator_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/weights_check.h"
#include "core/logging.h"
#include "inference/decoding_session.h"
#include "inference/packed_model.h"
#include "inference/weight_format.h"
#include "model/aligning_attention.h"
#include "modules/execution_context.h"
#include "modules/transformer.h"
#include "operators/padded_ids.h"
#include "tensors/device.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

/// An attention that a session gives, and its weights in a step.
struct GivenAttention {
  AligningAttention attention;
  at::Tensor weights{};  ///< (rows, S); undefined unless observed

  /// Takes the weights from the stages of a step.
  void observe(const std::string& stage, const at::Tensor& value) {
    if (stage == fmt::format("decoder.layers.{}.cross_attention_block.weights", attention.layer)) {
      const auto heads = value.narrow(/*dim=*/1, attention.first_head, attention.heads);  // of (rows, h, 1, S)
      weights = heads.mean(/*dim=*/1).squeeze(1).to(at::kCPU, at::kFloat).contiguous();
    }
  }

  /// Those of a row, whose source has this length.
  [[nodiscard]] std::span<const float> of_row(std::size_t row, std::size_t source_length) const {
    return weights.defined()
               ? std::span(weights.const_data_ptr<float>() + row * static_cast<std::size_t>(weights.size(1)),
                           source_length)
               : std::span<const float>();
  }
};

class OperatorSession : public DecodingSession {
 public:
  OperatorSession(Transformer model, const c10::Device& device, Precision precision)
      : model_(std::move(model)), device_(device), precision_(precision) {}

  [[nodiscard]] std::int64_t rows() const override { return std::ssize(source_lengths_); }
  [[nodiscard]] bool can_join() const override { return false; }

  void add(IdSpans sources, IdSpans shortlists) override {
    with_plain_errors([&] { encode(sources); });
    shortlists_.assign(sources.size(), nullptr);
    for (std::size_t row = 0; row < shortlists.size(); ++row) {
      shortlists_[row] = std::make_shared<const Shortlist>(shortlists[row].begin(), shortlists[row].end());
    }
  }

  void step(std::span<const std::int64_t> subwords, const Reader& read) override {
    with_plain_errors([&] { decode(subwords, read); });
  }

  void give_attention(bool wanted) override { gives_attention_ = wanted; }

  void select(std::span<const std::int64_t> parents) override {
    with_plain_errors([&] { reorder(parents); });
  }

 private:
  using Shortlist = std::vector<std::int64_t>;

  void encode(IdSpans sources) {
    const EvaluationMode evaluation(model_);
    const AutocastGuard autocast(device_, precision_);
    cache_.emplace(model_->start_cache(padded_ids(sources, model_->sizes().source_pad).to(device_)));
    source_lengths_.clear();
    for (const auto& source : sources) {
      source_lengths_.push_back(source.size());
    }
  }

  void decode(std::span<const std::int64_t> subwords, const Reader& read) {
    const EvaluationMode evaluation(model_);
    const AutocastGuard autocast(device_, precision_);
    GivenAttention aligning{.attention = aligning_attention(model_->options())};
    GivenAttention predicting{.attention = predicting_attention(model_->options())};
    ExecutionContext context(device_, precision_);
    if (gives_attention_) {
      context = context.observed_by([&](const std::string& stage, const at::Tensor& value) {
        predicting.observe(stage, value);
        if (aligning.attention.of_input) {
          aligning.observe(stage, value);
        }
      });
    }
    const auto ids = at::tensor(std::vector<std::int64_t>(subwords.begin(), subwords.end()), at::kLong).unsqueeze(1);
    const auto logits = model_->decode_step(ids.to(device_), *cache_, context).to(at::kCPU, at::kFloat).contiguous();
    const auto width = static_cast<std::size_t>(logits.size(1));
    for (std::size_t row = 0; row < source_lengths_.size(); ++row) {
      const auto& given = aligning.attention.of_input ? aligning : predicting;
      const SubwordLogits all({logits.mutable_data_ptr<float>() + row * width, width});
      read(static_cast<std::int64_t>(row), {.logits = shortlists_[row] ? all.listed(*shortlists_[row]) : all,
                                            .attention = given.of_row(row, source_lengths_[row]),
                                            .predicting = predicting.of_row(row, source_lengths_[row]),
                                            .is_of_input = aligning.attention.of_input});
    }
  }

  void reorder(std::span<const std::int64_t> parents) {
    std::vector<std::size_t> lengths;
    std::vector<std::shared_ptr<const Shortlist>> shortlists;
    for (const auto parent : parents) {
      lengths.push_back(source_lengths_[static_cast<std::size_t>(parent)]);
      shortlists.push_back(shortlists_[static_cast<std::size_t>(parent)]);
    }
    const bool changes = !std::ranges::equal(parents, std::views::iota(std::int64_t{0}, rows()));
    if (changes && !parents.empty()) {
      cache_->select(at::tensor(std::vector<std::int64_t>(parents.begin(), parents.end()), at::kLong).to(device_));
    }
    source_lengths_ = std::move(lengths);
    shortlists_ = std::move(shortlists);
  }

  Transformer model_;
  c10::Device device_;
  Precision precision_;
  bool gives_attention_ = false;
  std::optional<KeyValueCache> cache_;
  std::vector<std::size_t> source_lengths_;                   ///< one for each row
  std::vector<std::shared_ptr<const Shortlist>> shortlists_;  ///< the same; null: all subwords
};

}  // namespace

OperatorModel::OperatorModel(Transformer model, const c10::Device& device, Precision precision)
    : model_(std::move(model)), device_(device), precision_(precision) {}

std::unique_ptr<DecodingSession> OperatorModel::start() const {
  return std::make_unique<OperatorSession>(model_, device_, precision_);
}

std::int64_t OperatorModel::vocabulary() const { return model_->sizes().target; }

std::int64_t OperatorModel::weight_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [name, parameter] : unique_parameters(model_)) {
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  }
  return bytes;
}

c10::Device start_operators(const std::string& device, int threads) {
  (void)set_threads(threads);
  return resolve_device(device);
}

LoadedModel draw_weights(const ModelFiles& files) {
  seed_generators(files.config.training.seed);
  const auto model = build_transformer(files.config.model, vocabulary_sizes(files.tokenizers));
  log_info(fmt::format("{}: a model of random weights (training.seed {})", files.config_file.string(),
                       files.config.training.seed));
  return {.config = files.config,
          .tokenizers = files.tokenizers,
          .weights = arrays_of(unique_parameters(model)),
          .origin = files.config_file.string()};
}

Transformer make_modules(const LoadedModel& loaded, const c10::Device& device) {
  check_layer_count(loaded.config.model, loaded.weights.size(), loaded.origin);
  Transformer model(loaded.config.model, vocabulary_sizes(loaded.tokenizers));
  load_parameters(model, tensors_of(loaded.weights), loaded.origin);
  model->to(device);
  model->eval();
  return model;
}

std::shared_ptr<const InferenceModel> make_inference_model(const Transformer& model, const c10::Device& device,
                                                           Precision precision) {
  if (device.is_cpu()) {
    return pack_modules(model, format_of(precision));
  }
  return std::make_shared<OperatorModel>(model, device, precision);
}

std::shared_ptr<const InferenceModel> pack_modules(const Transformer& model, WeightFormat format) {
  return std::make_shared<PackedModel>(
      pack_weights(model->options(), model->sizes(), arrays_of(unique_parameters(model)), format, "this model"));
}

}  // namespace translate::trainer
