// Files to translate, of the format that the first byte chooses: read, and written with translations.

#include "core/error.h"
#include "core/utf8.h"
#include "fuzz/fuzz_input.h"
#include "segments/document_formats.h"
#include "support/zip_of.h"

namespace {

using namespace translate;

/// Formats of files that get what is missing: with their own texts they are not as they were.
bool is_filled_in(std::string_view format) { return format == "po" || format == "xliff" || format == "tmx"; }

std::string written_with(const Document& document, const std::string& translation) {
  const std::vector<AlignedText> translations(document.texts().size(), AlignedText{.text = translation});
  return document.write(translations);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  if (size == 0) {
    return 0;
  }
  const auto& format = document_formats()[static_cast<std::size_t>(data[0]) % document_formats().size()];
  auto bytes = replace_invalid_utf8(fuzz::text_of(data + 1, size - 1));
  std::erase(bytes, '\0');
  if (format.is_packed) {  // the entry with the text, in an archive that is whole
    bytes = zip_of({{format.name == "odt" ? "content.xml" : "word/document.xml", bytes}});
  }
  fuzz::allow<DataError, ConfigError>([&] {
    const auto document = read_document(
        format, {.bytes = bytes, .name = "file", .source_language = "en", .target_language = "fr", .columns = {"1"}});
    std::vector<AlignedText> same;
    for (const auto& text : document->texts()) {
      fuzz::require(!is_blank(text) && !first_invalid_utf8(text));
      same.push_back({.text = text});
    }
    const auto unchanged = document->write(same);
    fuzz::require(is_filled_in(format.name) || format.name == "html" || unchanged == bytes);
    (void)written_with(*document, "Une autre. Et deux <autres> & \"plus\": *dix* - #1!");
    (void)written_with(*document, "");
  });
  return 0;
}
