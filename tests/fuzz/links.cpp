// training.links. The input is taken as it is, and once more with its sum behind it, which random changes would not
// have.

#include <algorithm>
#include <cstring>

#include "core/file.h"
#include "data/encoded/corpus_links.h"
#include "fuzz/fuzz_input.h"

namespace {

using namespace translate;

/// Opens a file of these bytes for as many pairs as it says that it has.
void open(const fuzz::Setting& setting, const std::string& bytes) {
  constexpr std::size_t kBegin = 8;
  std::uint64_t pairs = 0;
  if (bytes.size() >= kBegin + sizeof(pairs)) {
    std::memcpy(&pairs, bytes.data() + kBegin, sizeof(pairs));
  }
  const auto file = setting.file("links", bytes);
  fuzz::allow<RuntimeError>([&] {
    const trainer::CorpusLinks links(file, pairs);
    for (std::size_t pair = 0; pair < std::min<std::uint64_t>(pairs, 100); ++pair) {
      fuzz::allow<RuntimeError>([&] { fuzz::require(links.links(pair).size() <= links.size()); });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  std::string input(fuzz::text_of(data, size));
  open(setting, input);
  const auto sum = crc32(input);
  input.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  open(setting, input);
  return 0;
}
