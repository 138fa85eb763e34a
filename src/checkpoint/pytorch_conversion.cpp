#include "translate/checkpoint/pytorch_conversion.h"

#include <fmt/format.h>

namespace translate {
namespace {

/// The text as a Python string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string pytorch_conversion(const std::filesystem::path& file, const PytorchConversion& conversion) {
  const std::filesystem::path converted = file.stem().string() + "-weights.pt";
  return fmt::format("  import torch; state = {}\n  torch.save({}, {})",
                     fmt::format(fmt::runtime(conversion.load), quoted(file.string())), conversion.weights,
                     quoted(converted.string()));
}

}  // namespace translate
