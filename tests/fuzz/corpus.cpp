// Text to train on, plain or gzip: lines, and pairs of two files.

#include "corpora/corpus_reader.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  const auto whole = setting.file("lines", input);
  fuzz::allow<DataError>([&] { (void)read_lines(whole); });
  fuzz::allow<DataError>([&] {
    LineReader reader(whole, LineCheck::kNone);
    for (std::string line; reader.next(line);) {
    }
  });
  const auto parts = fuzz::split_input(input, 2);
  CorpusFiles files;
  files.source = setting.file("source", parts[0]);
  files.target = setting.file("target", parts[1]);
  fuzz::allow<DataError>([&] {
    SelectedPairs pairs({&files, 1}, Selection::kTraining);
    (void)read_pairs(pairs);
  });
  return 0;
}
