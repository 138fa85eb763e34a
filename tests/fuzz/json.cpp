// parse_json and JsonDocument, through which all JSON from outside is read.

#include "config/json.h"

#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto text = fuzz::text_of(data, size);
  fuzz::allow<JsonError>([&] {
    const Json json = parse_json(text);
    fuzz::require(parse_json(json.dump()) == json);
  });
  fuzz::allow<JsonError>([&] { (void)parse_json(text, {.deepest = 10, .comments = true}); });
  fuzz::allow<ConfigError>([&] {
    const auto document = JsonDocument::parse(std::string(text), "file");
    (void)document.describe(document.position_of_value("a.b[0]"));
  });
  return 0;
}
