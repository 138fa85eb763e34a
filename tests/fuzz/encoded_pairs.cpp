// training.pairs and validation.pairs: the index at the end, then the chunks. The input is taken as it is, and once more
// with its sums corrected, which random changes would not be.

#include <algorithm>
#include <cstring>

#include "data/encoded/corpus_file.h"
#include "data/encoded/encoded_corpus.h"
#include "fuzz/fuzz_input.h"

namespace {

using namespace translate;

void read_all(const EncodedCorpus& corpus) {
  for (std::size_t pair = 0; pair < std::min<std::size_t>(corpus.size(), 100); ++pair) {
    (void)corpus.unchecked_subwords(pair);
    (void)corpus.origin(pair);
    for (const Side side : {Side::kSource, Side::kTarget}) {
      if (corpus.has_text(side)) (void)corpus.text(side, pair);
    }
  }
  corpus.visit_lengths(3, [](std::size_t, std::int64_t source, std::int64_t target) {
    fuzz::require(source >= 0 && target >= 0);
  });
  (void)corpus.pairs_of_files();
}

/// Opens the file with each format that its index may have.
void open(const std::filesystem::path& file) {
  fuzz::allow<RuntimeError>([&] { (void)corpus_made_from(file); });
  for (unsigned format = 0; format < 8; ++format) {
    CorpusLimits limits{.source_vocabulary = 50, .target_vocabulary = 60, .corpora = 2, .format = {}};
    limits.format.wide_ids = (format & 1U) != 0;
    limits.format.source_text = (format & 2U) != 0;
    limits.format.target_text = (format & 4U) != 0;
    fuzz::allow<RuntimeError>([&] { read_all(EncodedCorpus(file, limits)); });
  }
}

/// An index of JSON, with the chunks before it: the file that has them, with correct sums of all of them.
std::string repaired(const std::string& chunks, std::string index) {
  std::string file(kCorpusFileBegin);
  file += chunks;
  // The first chunk's sum: the placeholder CRC stands for it.
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
  open(setting.file("pairs", input));
  auto parts = fuzz::split_input(input, 2);  // the index, then the bytes of the only chunk
  parts[1].resize((parts[1].size() + 7) / 8 * 8, '\0');
  open(setting.file("repaired.pairs", repaired(parts[1], parts[0])));
  return 0;
}
