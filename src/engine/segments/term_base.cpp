#include "segments/term_base.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/utf8.h"

namespace translate {

[[gnu::weak]] TermBaseReader linked_term_base_reader() { return nullptr; }

bool is_term_base(const std::filesystem::path& path) {
  const auto name = ascii_lower(path.filename().string());
  return name.ends_with(".tbx") || name.ends_with(".tbx.gz");
}

std::vector<PlacedTerm> read_term_base(DocumentInput input) {
  static const DocumentFormat tbx{.name = "tbx", .title = "TBX", .suffixes = {}};
  const auto reader = linked_term_base_reader();
  if (reader == nullptr) {
    throw ConfigError(
        fmt::format("{}: this program was built without the reader of TBX (TRANSLATE_DOCUMENTS in docs/install.md); "
                    "give the terms as lines, SOURCE TERM<TAB>TARGET TERM",
                    input.name));
  }
  if (input.source_language.empty() || input.target_language.empty()) {
    throw ConfigError(
        fmt::format("{}: TBX needs to know both languages, and the model names no {} language; expected a model that "
                    "names them (data.source_language, data.target_language), with --target-language if it has "
                    "several, or the terms as lines, SOURCE TERM<TAB>TARGET TERM",
                    input.name, input.source_language.empty() ? "source" : "target"));
  }
  (void)take_byte_order_mark(tbx, input.name, input.bytes);
  return reader(input);
}

}  // namespace translate
