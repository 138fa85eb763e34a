#include "training/sample_table.h"

#include <fmt/format.h>

#include <string_view>

namespace translate::trainer {

namespace {

std::string escaped(const std::string& text) {
  constexpr std::string_view kSpecial = R"(\`*_{}[]()<>#+-!|&~^=:"')";
  std::string result;
  for (const char byte : text) {
    if (static_cast<unsigned char>(byte) < 0x20) {
      result += ' ';  // a row is one line
    } else if (kSpecial.find(byte) != std::string_view::npos) {
      result += fmt::format("&#{};", static_cast<int>(byte));
    } else {
      result += byte;
    }
  }
  return result;
}

}  // namespace

std::string sample_table(std::span<const ShownTranslation> samples) {
  std::string table = "| source | reference | translation |\n|---|---|---|\n";
  for (const auto& [source, reference, translation] : samples) {
    table += fmt::format("| {} | {} | {} |\n", escaped(source), escaped(reference), escaped(translation));
  }
  return table;
}

}  // namespace translate::trainer
