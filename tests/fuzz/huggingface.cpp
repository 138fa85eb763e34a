// A MarianMT folder of Hugging Face's transformers: config.json, generation_config.json, tokenizer_config.json,
// vocab.json, and the two SentencePiece models, whose content is fixed.

#include "core/file.h"
#include "fuzz/fuzz_input.h"
#include "interop/import/huggingface_model.h"
#include "support/folders.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  static const auto model = read_file(project_folder() / "tests/golden/marian/all/source.spm");
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 4);
  (void)setting.file("config.json", parts[0]);
  (void)setting.file("generation_config.json", parts[1].empty() ? "{}" : parts[1]);
  (void)setting.file("tokenizer_config.json", parts[2].empty() ? "{}" : parts[2]);
  (void)setting.file("vocab.json", parts[3]);
  static const auto unchanged = {setting.file("source.spm", model), setting.file("target.spm", model),
                                 setting.file("model.safetensors", "")};
  (void)unchanged;
  fuzz::allow<CheckpointError>([&] { (void)tools::is_huggingface_model(setting.folder()); });
  fuzz::allow<CheckpointError>([&] { (void)tools::read_huggingface_config(setting.folder()); });
  fuzz::allow<CheckpointError, DataError>([&] {
    (void)tools::open_huggingface_model(setting.folder(), [](const std::filesystem::path&) { return NamedArrays(); });
  });
  return 0;
}
