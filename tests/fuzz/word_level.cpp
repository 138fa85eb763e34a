// Word-level tokenizers (JSON of the package tokenizers) and vocabulary files.

#include <algorithm>

#include "fuzz/fuzz_input.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  fuzz::allow<DataError>([&] { (void)Vocabulary(parse_vocabulary_file(input, "vocab.json"), "vocab.json"); });
  fuzz::allow<CheckpointError>([&] {
    // The brace makes it JSON to the program.
    const auto tokenizer = Tokenizer::from_serialized((input.starts_with('{') ? "" : "{") + std::string(input));
    const auto ids = tokenizer.encode("The cat l'\xC3\xA9t\xC3\xA9 [SOS] sat,\xF0\x9F\x98\x80 and  a dog.");
    fuzz::require(std::ranges::all_of(ids, [&](auto id) { return id >= 0 && id < tokenizer.vocab_size(); }));
    (void)tokenizer.decode(ids);
    (void)tokenizer.tagged_languages();
  });
  return 0;
}
