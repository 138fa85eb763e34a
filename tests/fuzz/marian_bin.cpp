// Marian's binary container, and a shortlist.

#include <vector>

#include "checkpoint/shortlist.h"
#include "fuzz/fuzz_input.h"
#include "interop/marian/bin_file.h"
#include "interop/marian/quantized_matrix.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  fuzz::allow<CheckpointError>([&] {
    for (const auto& [name, array] : tools::read_marian_bin(input, "model.bin")) {
      fuzz::require(array.count() >= 0);
      fuzz::require(array.bytes.size() <= input.size());
      if (tools::is_quantized(array)) {
        fuzz::allow<CheckpointError>(
            [&] { fuzz::require(std::ssize(tools::dequantized(array, name)) == array.count()); });
      }
    }
  });
  fuzz::allow<CheckpointError>([&] {
    const Shortlist shortlist(input, "lex.bin", {.source = 60, .target = 60, .eos = 2, .are_one = true});
    const std::vector<std::int64_t> source = {1, 0, 59, 2};
    const auto subwords = shortlist.subwords_for(source);
    fuzz::require(subwords.size() >= source.size() && subwords.back() <= 60);
  });
  return 0;
}
