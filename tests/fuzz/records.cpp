// Small JSON files that the programs write and read again: text.json and data.json of a run, checked-files.json of the
// user's cache. One input is taken as each of them.

#include "checkpoint/file_sums.h"
#include "core/stable_file.h"
#include "corpora/checked_text.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  static const auto large = setting.file("large", std::string(kRememberedSize, 'x'));
  static const auto text = setting.file("text", "A line.\n");
  const auto input = fuzz::text_of(data, size);
  fuzz::allow<DataError>([&] {
    const auto sums = text_sums_from_json(std::string(input), "data.json");
    fuzz::require(text_sums_from_json(text_sums_to_json(sums), "data.json") == sums);
  });
  CorpusFiles files;
  files.source = text;
  files.target = text;
  TextRecord record(setting.file("text.json", input));
  const auto checked = record.check({&files, 1});
  (void)checked.fingerprint();
  record.save();
  (void)setting.file(kFileSumsFile, input);
  (void)remembered_sum(StableFile(large), setting.folder());
  return 0;
}
