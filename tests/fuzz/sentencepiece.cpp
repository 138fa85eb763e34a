// SentencePiece models: our own walk over the protocol buffer, then SentencePiece itself, and the ids that we derive.

#include <algorithm>

#include "fuzz/fuzz_input.h"
#include "text/sentencepiece_file.h"
#include "text/sentencepiece_model.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  if (const auto file = parse_sentencepiece_file(input)) {
    (void)words_are_independent(*file);
    if (file->vocabulary) {
      (void)read_attached_vocabulary(*file->vocabulary);
    }
  }
  fuzz::allow<CheckpointError>([&] {
    const auto tokenizer = Tokenizer::from_serialized(std::string(input));
    const auto ids = tokenizer.encode("A cat \xE2\x96\x81 sat,\xF0\x9F\x98\x80 and  a dog.");
    fuzz::require(std::ranges::all_of(ids, [&](auto id) { return id >= 0 && id < tokenizer.vocab_size(); }));
    (void)tokenizer.decode(ids);
    (void)tokenizer.tagged_languages();
  });
  return 0;
}
