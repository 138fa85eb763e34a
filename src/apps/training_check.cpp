#include "translate/apps/training_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "translate/config/enum_names.h"
#include "translate/data/data_loader.h"
#include "translate/data/training_data.h"
#include "translate/model/precision.h"
#include "translate/model/transformer.h"
#include "translate/training/run_directory.h"

namespace translate {
namespace {

/// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() / fmt::format("translate-check-{}", static_cast<int>(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

}  // namespace

std::string check_training(const Config& config, const c10::Device& device) {
  // The tokenizers that a run has already built serve; otherwise they are built where nothing of them stays.
  const TemporaryFolder folder;
  const auto built = RunDirectory(config.run_dir).tokenizer_dir();
  const auto data = load_training_data(config, std::filesystem::exists(built) ? built : folder.path());
  const auto model = build_transformer(config.model, vocabulary_sizes(data.tokenizers));
  const EpochLoader epoch(data.train, data.tokenizers, training_loader_options(config), /*epoch=*/0);
  const auto& statistics = data.statistics;
  const auto parameters = parameter_count(model);
  const auto bytes = parameters * static_cast<std::int64_t>(sizeof(float));
  const auto steps =
      std::ceil(static_cast<double>(epoch.batches()) / static_cast<double>(config.training.accumulation_steps));
  const auto precision = resolve_precision(config.training.precision, device);

  std::string text = "configuration and data are right\n";
  text += fmt::format("pairs         {} to train on, {} to validate on\n", statistics.train_pairs,
                      statistics.validation_pairs);
  text += fmt::format("tokens        {} source, {} target an epoch (eos counted)\n", statistics.train_source_tokens,
                      statistics.train_target_tokens);
  text +=
      fmt::format("longest       source {} pieces, target {}\n", statistics.longest_source, statistics.longest_target);
  text += fmt::format("vocabulary    source {} pieces, target {}\n", data.tokenizers.source.vocab_size(),
                      data.tokenizers.target.vocab_size());
  text += fmt::format("parameters    {}\n", parameters);
  text += fmt::format(
      "memory        {:.1f} MiB of weights, {:.1f} MiB with gradients and Adam's moments; activations "
      "come on top\n",
      mebibytes(bytes), mebibytes(4 * bytes));
  text += fmt::format("an epoch      {} batches, {} steps; padding {:.2f} % of source and target positions\n",
                      epoch.batches(), steps, 100.0 * epoch.padding());
  text += fmt::format("device        {} in {}\n", device.str(), to_string(precision));
  text += fmt::format("run folder    {}\n", config.run_dir.string());
  return text;
}

}  // namespace translate
