// A whole Marian model, whose arrays are those of a golden one: the settings in its .npz file, decoder.yml and the
// vocabulary.

#include "interop/marian/marian_model.h"

#include "core/file.h"
#include "fuzz/fuzz_input.h"
#include "support/folders.h"
#include "support/marian_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  static const std::filesystem::path golden = project_folder() / "tests/golden/marian/all";
  static const auto arrays = marian_arrays(golden / "model.npz");
  static const auto decoder = read_file(golden / "decoder.yml");
  static const auto vocabulary = read_file(golden / "vocab.yml");
  static const auto unchanged = {setting.file("source.spm", read_file(golden / "source.spm")),
                                 setting.file("target.spm", read_file(golden / "target.spm"))};
  (void)unchanged;
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 3);
  (void)setting.file("model.npz", marian_archive(arrays, parts[0]));
  (void)setting.file("decoder.yml", parts[1].empty() ? decoder : parts[1]);
  (void)setting.file("vocab.yml", parts[2].empty() ? vocabulary : parts[2]);
  fuzz::allow<CheckpointError>([&] { (void)tools::open_marian_model(setting.folder()); });
  return 0;
}
