// Text to translate before it meets a tokenizer: UTF-8 and its repair, and the splitter of sentences.

#include <array>

#include "core/utf8.h"
#include "fuzz/fuzz_input.h"
#include "text/sentence_splitter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  static const std::array<SentenceSplitter, 4> splitters = {SentenceSplitter(), SentenceSplitter("en"),
                                                            SentenceSplitter("de"), SentenceSplitter("fr")};
  const auto input = fuzz::text_of(data, size);
  const auto text = replace_invalid_utf8(input);
  fuzz::require(!first_invalid_utf8(text));
  fuzz::require(first_invalid_utf8(input).has_value() == (text != input));
  fuzz::require(encode_utf8(decode_utf8(input)) == text);
  fuzz::require(chunk_end(text, 0, 16) <= text.size());
  for (const auto& splitter : splitters) {
    const auto sentences = splitter.split(text);
    std::size_t end = 0;
    for (const auto& sentence : sentences) {
      fuzz::require(sentence.begin >= end && sentence.begin < sentence.end && sentence.end <= text.size());
      end = sentence.end;
    }
    fuzz::require(sentences.empty() == is_blank(text));
    fuzz::require(sentences.size() < 2 || may_hold_several_sentences(text));
  }
  return 0;
}
