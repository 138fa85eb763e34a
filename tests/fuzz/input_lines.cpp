// The input of translate-infer: lines, JSON lines, prefixes, translations to score, paragraphs, and shards of a file.

#include "fuzz/fuzz_input.h"
#include "infer/shard.h"
#include "infer/translation_input.h"

namespace {

using namespace translate;

void read_all(const InputOptions& options) {
  fuzz::allow<DataError>([&] {
    TranslationInput input(options);
    for (auto lines = input.read(3); !lines.empty(); lines = input.read(3)) {
      for (const auto& line : lines) {
        nlohmann::ordered_json object = {{"source", line.source}, {"id", 1}};
        if (line.fields.is_object()) {
          add_missing_fields(line.fields, object);
        }
        (void)json_line(object);
      }
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 3);
  const auto path = setting.file("lines", parts[0]).string();
  read_all({.path = path, .json = true});
  read_all({.path = path, .score = true, .json = true});
  read_all({.path = path, .prefixes = true, .strict = true});
  read_all({.path = path, .paragraphs = true});
  read_all({.path = path, .score = true, .target = setting.file("targets", parts[1]).string()});
  for (std::int64_t number = 1; number <= 3; ++number) {
    read_all({.path = path, .paragraphs = number == 2, .shard = Shard{.number = number, .count = 3}});
  }
  fuzz::allow<ConfigError>([&] { (void)read_shard(parts[2], [](const std::string&) { return std::nullopt; }); });
  fuzz::allow<ConfigError>(
      [&] { (void)read_shard("auto", [&](const std::string&) { return std::optional(parts[2]); }); });
  return 0;
}
