// HTML to translate: split into texts, and joined again.

#include "core/utf8.h"
#include "documents/html/html_texts.h"
#include "documents/html/inline_marks.h"
#include "documents/text_parts.h"
#include "fuzz/fuzz_input.h"

namespace {

using namespace translate;

std::string without_texts(const tools::TextParts& parts) {
  std::string between;
  for (const auto& each : parts.between) {
    between += each;
  }
  return between;
}

std::vector<AlignedText> aligned(const std::vector<std::string>& texts) {
  std::vector<AlignedText> translations;
  for (const auto& text : texts) {
    translations.push_back({.text = text});
  }
  return translations;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  const auto text = replace_invalid_utf8(fuzz::text_of(data, size));  // as the service has it
  const auto lines = tools::split_plain_text(text);
  fuzz::require(join_parts(lines, aligned(lines.texts)) == text);
  fuzz::allow<tools::HtmlTooDeep>([&] {
    const auto parts = tools::split_html(text);
    fuzz::require(parts.between.size() == parts.texts.size() + 1 && parts.spacing.size() == parts.texts.size());
    fuzz::require(without_texts(parts).size() <= text.size());
    for (const auto& each : parts.texts) {
      fuzz::require(!is_blank(each) && !first_invalid_utf8(each));
    }
    fuzz::require(join_parts(parts, aligned(parts.texts)) == text);
    const auto joined = tools::join_inline_texts(parts);
    fuzz::require(join_parts(joined, aligned(joined.texts)) == text);
    const std::vector<AlignedText> others(joined.texts.size(),
                                          AlignedText{.text = "Une autre. Et deux <autres> & plus!"});
    (void)join_parts(joined, others);
    const std::vector<AlignedText> empty(parts.texts.size());
    fuzz::require(join_parts(parts, empty).size() >= without_texts(parts).size());
  });
  return 0;
}
