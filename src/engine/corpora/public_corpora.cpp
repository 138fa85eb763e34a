#include "corpora/public_corpora.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace translate {

namespace fs = std::filesystem;

namespace {

/// The corpora that scripts/get-data can download.
constexpr std::array<std::string_view, 7> kCorpora = {"multi30k-en-fr",     "multi30k-en-fr-tok", "multi30k-en-de",
                                                      "multi30k-en-de-tok", "tatoeba-en-fr",      "wmt14-en-de",
                                                      "wmt14-en-fr"};

/// The command that works from the current folder: with the path of the checkout if that is another folder.
std::string command_for(const fs::path& missing) {
  const auto root = missing.parent_path().parent_path().parent_path();
  const fs::path script = fs::path("scripts") / "get-data";
  std::error_code ignored;
  const bool elsewhere = fs::exists(root / script, ignored) && !fs::equivalent(root, fs::current_path(), ignored);
  return fmt::format("{} {}", (elsewhere ? root / script : script).string(), missing.parent_path().filename().string());
}

}  // namespace

std::string how_to_get(std::span<const fs::path> missing) {
  std::vector<std::string> commands;
  for (const auto& path : missing) {
    const auto folder = path.parent_path();
    if (folder.parent_path().filename() != "data" ||
        std::ranges::find(kCorpora, folder.filename().string()) == kCorpora.end()) {
      continue;
    }
    auto command = command_for(path);
    if (std::ranges::find(commands, command) == commands.end()) {
      commands.push_back(std::move(command));
    }
  }
  std::string joined;
  for (const auto& command : commands) {
    joined += (joined.empty() ? "" : " && ") + command;
  }
  return joined.empty() ? "" : fmt::format("; {} downloads what is missing", joined);
}

}  // namespace translate
