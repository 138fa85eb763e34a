// The configurations of the trainings of a distillation.

#include <filesystem>
#include <string>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/config_file.h"
#include "distillation/distillation.h"

namespace translate::trainer {

namespace {

void exchange(std::vector<CorpusFiles>& corpora) {
  for (auto& files : corpora) {
    std::swap(files.source, files.target);
    std::swap(files.source_language, files.target_language);
    files.alignment.clear();  // its links lead from source to target
  }
}

/// Exchanges source and target wherever the configuration tells them apart.
void exchange_sides(Config& config) {
  exchange(config.data.train);
  exchange(config.data.validation.files);
  exchange(config.data.test);
  std::swap(config.data.source_language, config.data.target_language);
  std::swap(config.tokenizer.source_model, config.tokenizer.target_model);
  std::swap(config.tokenizer.source_vocabulary, config.tokenizer.target_vocabulary);
}

/// Gives a student the vocabularies of its teachers, unless it has its own, so that both can translate together.
void take_tokenizers(const std::filesystem::path& folder, TokenizerOptions& tokenizer) {
  if (folder.empty() || !tokenizer.source_model.empty() || !tokenizer.target_model.empty()) {
    return;
  }
  const auto file = [&](const char* side) {
    const auto subwords = folder / (std::string(side) + ".spm");
    return std::filesystem::exists(subwords) ? subwords : folder / (std::string(side) + ".json");
  };
  tokenizer.source_model = file(kSourceTokenizer);
  tokenizer.target_model = file(kTargetTokenizer);
}

}  // namespace

Config config_of_part(const Config& whole, const DistillationPart& part) {
  auto config = whole;
  config.distillation = {};
  config.run_dir = part.run_dir;
  config.training.seed = whole.training.seed + part.number;
  if (part.role == DistillationPart::Role::kReverse) {
    exchange_sides(config);
  }
  if (part.role == DistillationPart::Role::kStudent) {
    config.data.train.insert(config.data.train.end(), part.written.begin(), part.written.end());
    take_tokenizers(part.tokenizers, config.tokenizer);
    override_config(config, whole.distillation.student, "distillation.student");
  }
  return config;
}

DistillationPlan plan_of(const Config& config) {
  return {.options = config.distillation,
          .text = config.data.train,
          .source_language = config.data.source_language,
          .target_language = config.data.target_language,
          .run_dir = config.run_dir};
}

}  // namespace translate::trainer
