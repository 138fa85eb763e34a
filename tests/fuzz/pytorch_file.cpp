// Files of torch.save: the zip archive and the older format as they are, and an archive around the input as its pickle,
// so that changes need not keep the archive whole.

#include "interop/pytorch/pytorch_file.h"

#include "core/stable_file.h"
#include "fuzz/fuzz_input.h"
#include "support/zip_of.h"

namespace {

using namespace translate;

void read(const std::filesystem::path& file) {
  fuzz::allow<CheckpointError>([&] { (void)tools::read_pytorch_file(StableFile(file)); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  const std::string input(fuzz::text_of(data, size));
  read(setting.file("model.pt", input));
  const std::string numbers(256, '\1');
  read(setting.file("wrapped.pt", zip_of({{"model/data.pkl", input}, {"model/data/0", numbers}, {"model/data/1", ""}},
                                         {.checksums = false})));
  return 0;
}
