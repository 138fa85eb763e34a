#include "translate/apps/unknown_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "translate/core/text_distance.h"

namespace translate {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const auto& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

/// The one option that begins with `name`, as in --check for --checkpoint.
std::optional<std::string> only_completion(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t kShortest = 4;  // "--" and two letters
  std::optional<std::string> completion;
  for (const auto& candidate : names) {
    if (name.size() >= kShortest && candidate.starts_with(name)) {
      if (completion) {
        return std::nullopt;
      }
      completion = candidate;
    }
  }
  return completion;
}

std::string describe_unknown(const std::string& argument, const std::vector<std::string>& names) {
  const auto name = argument.substr(0, argument.find('='));
  if (name.find(' ') != std::string::npos) {
    return fmt::format("unknown option {}; put -- before text that begins with a dash", argument);
  }
  auto meant = only_completion(name, names);
  if (!meant) {
    meant = nearest_name(name, names);
  }
  return fmt::format("unknown option {}{}", name, meant ? fmt::format("; did you mean {}?", *meant) : "");
}

}  // namespace

std::string unknown_options(const CLI::App& app) {
  const auto names = option_names(app);
  std::string options;
  std::string others;
  for (const auto& argument : app.remaining()) {
    const bool is_option = argument.size() > 1 && argument.front() == '-' && argument != "--";
    auto& lines = is_option ? options : others;
    lines += lines.empty() ? "" : "\n";
    lines += is_option ? describe_unknown(argument, names) : fmt::format("unexpected argument \"{}\"", argument);
  }
  return options.empty() ? others : options;
}

}  // namespace translate
