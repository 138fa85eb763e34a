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
  tokenizer.source_model = tokenizer_file(folder, kSourceTokenizer);
  tokenizer.target_model = tokenizer_file(folder, kTargetTokenizer);
}

}  // namespace

std::filesystem::path tokenizer_file(const std::filesystem::path& folder, const std::string& side) {
  const auto words = folder / (side + ".json");
  return std::filesystem::exists(words) ? words : folder / (side + ".spm");
}

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
    if (!part.teachers.empty()) {
      config.training.teacher = part.teachers;
      config.training.teacher_weight = whole.distillation.teacher_weight;
    }
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
