#include "checkpoint/card_license.h"

#include <algorithm>
#include <fstream>
#include <ios>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "checkpoint/model_card.h"

namespace translate {

namespace {

constexpr std::string_view kLicenseKey = "license:";
constexpr std::string_view kFrontMatterFence = "---";
constexpr std::streamsize kLongestFrontMatter = 65536;  // of the front matter

/// A scalar of YAML without the spaces and quotes around it.
std::string without_quotes(std::string_view value) {
  constexpr std::string_view kAround = " \t\r\"'";
  const auto begin = std::min(value.find_first_not_of(kAround), value.size());
  value.remove_prefix(begin);
  return std::string(value.substr(0, value.find_last_not_of(kAround) + 1));
}

}  // namespace

std::string license_of_card(const std::filesystem::path& model) {
  std::error_code ignored;
  const auto card = model / kCardFile;
  if (!std::filesystem::is_regular_file(card, ignored)) {
    return "";
  }
  std::ifstream file(card, std::ios::binary);
  std::string begin(kLongestFrontMatter, '\0');
  file.read(begin.data(), kLongestFrontMatter);
  begin.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream lines(std::move(begin));
  std::string line;
  for (bool is_first = true; std::getline(lines, line); is_first = false) {
    if (line.starts_with(kFrontMatterFence) != is_first) {
      return "";  // no front matter, or its end
    }
    if (line.starts_with(kLicenseKey)) {
      return without_quotes(std::string_view(line).substr(kLicenseKey.size()));
    }
  }
  return "";
}

}  // namespace translate
