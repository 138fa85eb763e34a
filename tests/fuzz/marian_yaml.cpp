// Marian's YAML: decoder.yml, the options in an archive of weights, and vocabularies. One input is taken as each.

#include "fuzz/fuzz_input.h"
#include "interop/marian/marian_options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const std::string input(fuzz::text_of(data, size));
  fuzz::allow<CheckpointError>([&] { (void)tools::read_marian_decoder(input, "decoder.yml"); });
  fuzz::allow<CheckpointError>([&] { (void)tools::read_marian_options(input, "model.npz"); });
  fuzz::allow<CheckpointError>([&] { (void)tools::read_marian_vocabulary(input, "vocab.yml"); });
  return 0;
}
