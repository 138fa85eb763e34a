// export_batches: writes the first batches of a training, the weights it starts from, and what the first batch's loss
// and gradients are, so that another program can do the same work and show that it does.

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line/program.h"
#include "config/config_file.h"
#include "core/file.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "modules/transformer.h"
#include "operators/operator_model.h"
#include "tensors/device.h"
#include "tensors/tensor_file.h"
#include "training/loss/batch_loss.h"

namespace {

struct Arguments {
  translate::CommonOptions common;
  std::string config;
  std::vector<std::string> overrides;
  std::string output;
  std::int64_t batches = 300;
};

/// What the exported batches hold, summed up.
struct Totals {
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  std::int64_t source_positions = 0;  ///< padding counted
  std::int64_t target_positions = 0;
  std::vector<std::int64_t> target_tokens_by_batch;
};

void count(const translate::trainer::Batch& batch, Totals& totals) {
  totals.source_tokens += batch.source_tokens();
  totals.target_tokens += batch.target_tokens();
  totals.source_positions += batch.sentences() * batch.source_length();
  totals.target_positions += batch.sentences() * batch.target_length();
  totals.target_tokens_by_batch.push_back(batch.target_tokens());
}

/// The first batches of the training, over as many epochs as they take, in the order in which the trainer sees them.
std::vector<translate::trainer::Batch> first_batches(const translate::trainer::TrainingData& data,
                                                     const translate::Config& config, std::int64_t wanted) {
  std::vector<translate::trainer::Batch> batches;
  for (std::uint64_t epoch = 0; std::ssize(batches) < wanted; ++epoch) {
    translate::trainer::EpochLoader loader(data.train, data.tokenizers,
                                           translate::trainer::training_loader_options(config), epoch);
    for (auto batch = loader.next(); batch && std::ssize(batches) < wanted; batch = loader.next()) {
      batches.push_back(std::move(*batch));
    }
  }
  return batches;
}

/// N.encoder_input, N.decoder_input and N.label, padded, (batch, length) int32, for each batch N.
translate::trainer::NamedTensors tensors_of(const std::vector<translate::trainer::Batch>& batches,
                                            const translate::VocabularySizes& sizes) {
  translate::trainer::NamedTensors tensors;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    tensors.emplace_back(fmt::format("{}.encoder_input", i),
                         batches[i].encoder_input.padded(sizes.source_pad).to(at::kInt));
    tensors.emplace_back(fmt::format("{}.decoder_input", i),
                         batches[i].decoder_input.padded(sizes.target_pad).to(at::kInt));
    const translate::trainer::UnpaddedIds labels{.ids = batches[i].label,
                                                 .sentences = batches[i].decoder_input.sentences};
    tensors.emplace_back(fmt::format("{}.label", i), labels.padded(sizes.target_pad).to(at::kInt));
  }
  return tensors;
}

/// The model's weights, copied.
translate::trainer::NamedTensors weights_of(const translate::trainer::Transformer& model) {
  translate::trainer::NamedTensors weights;
  for (const auto& [name, parameter] : translate::trainer::unique_parameters(model)) {
    weights.emplace_back(name, parameter.detach().clone());
  }
  return weights;
}

/// Loss of the batch without dropout, in fp32, and the norm of its mean's gradient for every weight.
nlohmann::ordered_json loss_and_gradients(translate::trainer::Transformer& model,
                                          const translate::trainer::Batch& batch, double smoothing) {
  model->eval();
  const auto sums = translate::trainer::batch_loss(model, batch, {.smoothing = smoothing});
  (sums.minimised / static_cast<double>(batch.target_tokens())).backward();
  nlohmann::ordered_json norms;
  for (const auto& [name, parameter] : translate::trainer::unique_parameters(model)) {
    norms[name] = parameter.grad().norm(2, at::kDouble).item<double>();
  }
  const auto tokens = static_cast<double>(batch.target_tokens());
  return {{"target_tokens", batch.target_tokens()},
          {"smoothed_loss", sums.smoothed.item<double>() / tokens},
          {"loss", sums.plain.item<double>() / tokens},
          {"gradient_norms", norms}};
}

int run(const Arguments& arguments) {
  translate::start_logging(arguments.common);
  const auto config = translate::read_config(arguments.config, arguments.overrides);
  static_cast<void>(translate::trainer::start_operators(arguments.common.computing.device, arguments.common.threads));
  const std::filesystem::path folder(arguments.output);
  const auto data = translate::trainer::load_training_data(
      config, {.tokenizers = folder / "tokenizer", .corpus = folder / "corpus", .scratch = {}});
  translate::trainer::seed_generators(config.training.seed);
  auto model = translate::trainer::build_transformer(config.model, translate::vocabulary_sizes(data.tokenizers));
  const auto batches = first_batches(data, config, arguments.batches);
  Totals totals;
  for (const auto& batch : batches) {
    count(batch, totals);
  }
  const nlohmann::ordered_json facts{
      {"config", nlohmann::ordered_json::parse(translate::config_to_json(config))},
      {"parameters", translate::trainer::parameter_count(model)},
      {"vocabulary", model->sizes().target},
      {"pad", model->sizes().target_pad},
      {"pairs", data.train->size()},
      {"batches", batches.size()},
      {"source_tokens", totals.source_tokens},
      {"target_tokens", totals.target_tokens},
      {"source_positions", totals.source_positions},
      {"target_positions", totals.target_positions},
      {"target_tokens_by_batch", totals.target_tokens_by_batch},
      {"first_batch", loss_and_gradients(model, batches.front(), config.training.label_smoothing)}};
  translate::trainer::write_safetensors(folder / "batches.safetensors", tensors_of(batches, model->sizes()));
  translate::trainer::write_safetensors(folder / "weights.safetensors", weights_of(model));
  translate::write_file_atomically(folder / "facts.json", facts.dump(2) + "\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the first batches of a training and the weights it starts from.", "export_batches");
  Arguments arguments;
  app.add_option("--config", arguments.config, "The configuration")->type_name("FILE")->required();
  app.add_option("--set", arguments.overrides, "Give one key another value (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--output", arguments.output, "The folder to write into")->type_name("DIR")->required();
  app.add_option("--batches", arguments.batches, "How many batches")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  translate::add_common_options(app, arguments.common, translate::Work::kTraining);
  return translate::run_program(app, argc, argv, [&] { return run(arguments); });
}
