// The pickles in PyTorch's files: the machine that reads them, without an archive around.

#include "fuzz/fuzz_input.h"
#include "interop/pytorch/pickle_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  fuzz::allow<CheckpointError>([&] {
    const auto document = tools::read_pickle(input, "model.pt");
    (void)document.storages();
    (void)document.root().kind();
  });
  fuzz::allow<CheckpointError>([&] { fuzz::require(tools::read_first_pickle(input, "model.pt").size <= size); });
  return 0;
}
