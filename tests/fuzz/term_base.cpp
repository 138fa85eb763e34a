// Term bases (TBX) between English and French.

#include "segments/term_base.h"

#include "core/error.h"
#include "core/utf8.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const std::string bytes(fuzz::text_of(data, size));
  fuzz::allow<DataError>([&] {
    std::size_t line = 1;
    for (const auto& found :
         read_term_base({.bytes = bytes, .name = "file", .source_language = "en", .target_language = "fr"})) {
      fuzz::require(!fault_of(found.term) && found.line >= line);
      line = found.line;
    }
  });
  return 0;
}
