// Configuration files, and the overrides of --set: the file, then one override a line.

#include <sstream>

#include "config/config_file.h"
#include "fuzz/fuzz_input.h"

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 2);
  const auto file = setting.file("config.json", parts[0]);
  fuzz::allow<ConfigError>([&] { (void)read_config(file, lines_of(parts[1])); });
  fuzz::allow<ConfigError>([&] { (void)read_model_config(file); });
  fuzz::allow<ConfigError>([&] {
    const auto config = config_from_json_text(parts[0], "config.json", setting.folder());
    const auto written = config_to_json(config);
    fuzz::require(config_to_json(config_from_json_text(written, "config.json", setting.folder())) == written);
  });
  return 0;
}
