#include "checkpoint/model_writing.h"

#include "checkpoint/manifest.h"
#include "checkpoint/model_card.h"
#include "checkpoint/safetensors_writing.h"
#include "checkpoint/weights_check.h"
#include "config/config_file.h"
#include "core/file.h"
#include "core/unfinished_folder.h"
#include "text/tokenizer.h"

namespace translate {

namespace fs = std::filesystem;

void write_configuration(const fs::path& folder, const Config& config, const std::string& source_tokenizer,
                         const std::string& target_tokenizer, std::map<std::string, FileDigest>& files) {
  files[kConfigFile] = write_digested_file(folder / kConfigFile, config_to_json(config));
  const auto write_tokenizer = [&](const std::string& name, const std::string& serialized) {
    const std::string file = name + tokenizer_file_extension(serialized);
    files[file] = write_digested_file(folder / file, serialized);
  };
  write_tokenizer(kSourceTokenizer, source_tokenizer);
  write_tokenizer(kTargetTokenizer, target_tokenizer);
}

void write_model_checkpoint(const fs::path& folder, const LoadedModel& model) {
  SafetensorsHeader header;
  header.metadata = {{"format", "pt"}};
  for (const auto& [name, array] : model.weights) {
    header.tensors.push_back({.name = name, .dtype = NumberType::kFloat32, .shape = array.shape});
  }
  const auto numbers = [&](std::size_t index) -> std::shared_ptr<const void> {
    const auto& [name, array] = model.weights[index];
    auto values = as_floats(array, name);
    check_finite({values.get(), static_cast<std::size_t>(array.count())}, name, model.origin);
    return values;
  };
  const UnfinishedFolder unfinished(folder);
  Manifest manifest;
  manifest.confidence = model.confidence;
  manifest.files[kModelFile] = write_safetensors(unfinished.path() / kModelFile, std::move(header), numbers);
  write_configuration(unfinished.path(), model.config, model.tokenizers.source.serialized(),
                      model.tokenizers.target.serialized(), manifest.files);
  if (model.source_words) {
    manifest.files[kSourceWordsFile] =
        write_digested_file(unfinished.path() / kSourceWordsFile, model.source_words->serialized());
  }
  const ModelFacts facts{.title = folder.filename().string(),
                         .directions = known_directions(directions(model.config, model.tokenizers.source)),
                         .step = {},
                         .score = {},
                         .is_average = false,
                         .license = model.license};
  write_file_synced(unfinished.path() / kCardFile, checkpoint_card(model.config, model.tokenizers, facts));
  write_manifest(unfinished.path(), manifest);
  unfinished.finish();
}

}  // namespace translate
