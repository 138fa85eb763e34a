#include "inference/remembered_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "config/json.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/processor.h"
#include "core/version.h"

namespace translate {

namespace {

constexpr std::pair<WeightFormat, const char*> kNames[] = {
    {WeightFormat::kFloat, "fp32"}, {WeightFormat::kInt8, "int8"}, {WeightFormat::kBfloat16, "bf16"}};

/// The system's name of the processor; empty if it gives none.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto begin = line.find_first_not_of(": \t", line.find(':'));
      return begin == std::string::npos ? std::string() : line.substr(begin);
    }
  }
  return {};
}

/// Returns the contents of the file; an empty object if it is missing or damaged.
Json read_formats(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return Json::object();
  }
  try {
    auto formats = parse_json(read_file(file));
    return formats.is_object() ? formats : Json::object();
  } catch (const JsonError&) {
    return Json::object();
  }
}

std::optional<WeightFormat> known_format(const Json& formats, const std::string& key) {
  const auto found = formats.find(key);
  for (const auto& [format, name] : kNames) {
    if (found != formats.end() && *found == name) {
      return format;
    }
  }
  return std::nullopt;
}

}  // namespace

WeightFormat remembered_format(const std::filesystem::path& folder, const ModelOptions& options,
                               const std::function<WeightFormat(const ModelOptions&)>& measure) {
  if (folder.empty()) {
    return WeightFormat::kFloat;
  }
  const auto file = folder / kFormatsFile;
  const auto key = fmt::format("{}, {}, d_model {}, version {}", processor_name(), kernel_instructions(),
                               options.d_model, version());
  try {
    auto formats = read_formats(file);
    if (const auto known = known_format(formats, key)) {
      return *known;
    }
    const auto measured = measure(options);
    formats[key] = std::ranges::find(kNames, measured, &std::pair<WeightFormat, const char*>::first)->second;
    (void)make_folder(folder);
    write_file_atomically(file, formats.dump(1) + "\n");
    log_debug(fmt::format("--precision auto: {} is the fastest here (remembered in {})", std::string(formats[key]),
                          file.string()));
    return measured;
  } catch (const Error& error) {
    log_debug(fmt::format("--precision auto stays fp32: {}", error.what()));
    return WeightFormat::kFloat;
  }
}

}  // namespace translate
