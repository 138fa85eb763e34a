// training.pairs and validation.pairs: the index at the end, then the chunks. The input is taken as it is, and once
// more with its sums corrected, which random changes would not be.

#include <algorithm>
#include <span>

#include "core/file.h"
#include "data/encoded/corpus_file.h"
#include "data/encoded/encoded_corpus.h"
#include "fuzz/fuzz_input.h"

namespace {

using namespace translate;

void read_all(const trainer::EncodedCorpus& corpus) {
  for (std::size_t pair = 0; pair < std::min<std::size_t>(corpus.size(), 100); ++pair) {
    (void)corpus.unchecked_subwords(pair);
    (void)corpus.origin(pair);
    for (const trainer::Side side : {trainer::Side::kSource, trainer::Side::kTarget}) {
      if (corpus.has_text(side)) {
        (void)corpus.text(side, pair);
      }
    }
  }
  corpus.visit_lengths(
      3, [](std::size_t, std::int64_t source, std::int64_t target) { fuzz::require(source >= 0 && target >= 0); });
  (void)corpus.pairs_of_files();
}

/// Opens a file of these bytes with the format that its index has.
void open(const fuzz::Setting& setting, std::string_view bytes) {
  const auto file = setting.file("pairs", bytes);
  fuzz::allow<RuntimeError>([&] { (void)trainer::corpus_made_from(file); });
  trainer::CorpusLimits limits{.source_vocabulary = 50, .target_vocabulary = 60, .corpora = 2, .format = {}};
  fuzz::allow<RuntimeError>([&] {
    const auto read = [&](std::uint64_t offset, std::span<char> to) {
      fuzz::require(offset <= bytes.size() && to.size() <= bytes.size() - offset);
      std::ranges::copy(bytes.substr(offset, to.size()), to.begin());
    };
    limits.format = trainer::read_corpus_index(bytes.size(), read).format;
  });
  fuzz::allow<RuntimeError>([&] { read_all(trainer::EncodedCorpus(file, limits)); });
}

/// Returns the file of an index and the chunks before it, with correct sums. CRC in the index stands for the sum of the
/// only chunk.
std::string repaired(const std::string& chunks, std::string index) {
  std::string file(trainer::kCorpusFileBegin);
  file += chunks;
  constexpr std::string_view kPlaceholder = "CRC";
  const auto sum = std::to_string(crc32(chunks));
  for (auto at = index.find(kPlaceholder); at != std::string::npos; at = index.find(kPlaceholder, at + 1)) {
    index.replace(at, kPlaceholder.size(), sum);
  }
  const std::uint64_t numbers[] = {file.size(), index.size(), crc32(index)};
  file += index;
  file.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  return file + "PAIRSEND";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  open(setting, input);
  auto parts = fuzz::split_input(input, 2);  // the index, then the bytes of the only chunk
  parts[1].resize((parts[1].size() + 7) / 8 * 8, '\0');
  open(setting, repaired(parts[1], parts[0]));
  return 0;
}
