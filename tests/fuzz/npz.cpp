// Marian's weights: a NumPy archive, and one array without an archive around.

#include "fuzz/fuzz_input.h"
#include "interop/marian/npz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  fuzz::allow<CheckpointError>([&] {
    const auto array = tools::parse_npy(input, "array");
    fuzz::require(array.count() >= 0);
    if (array.type == "<f4") {
      fuzz::require(std::ssize(array.floats("array")) == array.count());
    }
  });
  fuzz::allow<CheckpointError>([&] { (void)tools::read_npz(tools::ZipArchive(input, "model.npz")); });
  return 0;
}
