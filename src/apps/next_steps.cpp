#include "translate/apps/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "translate/apps/program.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

/// Relative where it is in the current folder, as a user would write it.
fs::path as_written(const fs::path& path) {
  const auto absolute = fs::absolute(path).lexically_normal();
  const auto relative = absolute.lexically_relative(fs::current_path());
  if (relative.empty() || *relative.begin() == "..") return absolute;
  return relative.string().starts_with('-') ? "." / relative : relative;  // not to be taken for an option
}

bool all_there(const std::vector<CorpusFiles>& corpora) {
  return !corpora.empty() && std::ranges::all_of(corpora, [](const CorpusFiles& files) {
    std::error_code ignored;
    return fs::exists(files.source, ignored) && fs::exists(files.target, ignored);
  });
}

/// How the same command must be changed to go on, empty where it need not be.
std::string without(const StartOptions& start) {
  if (!start.init.empty()) return " without --init";
  return start.resume == "auto" ? "" : fmt::format(" without --resume {}", shell_word(start.resume));
}

}  // namespace

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || std::string_view("_./:@%+=,-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_of(const std::string& program, const fs::path& executable_dir, const std::string& search_path) {
  const auto path = executable_dir / program;
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    const auto found = fs::path(folder) / program;
    if (folder.empty() || !fs::exists(found, error)) continue;
    if (fs::equivalent(found, path, error)) return program;
    break;  // another program of that name comes first
  }
  const auto written = as_written(path);
  return shell_word((written.has_parent_path() ? written : "." / written).string());
}

std::string next_steps(const Config& config, const StartOptions& start, const TrainingOutcome& outcome) {
  if (outcome.checkpoint.empty()) return "";
  if (outcome.signal) return fmt::format("the same command{} resumes from here", without(start));
  const char* found = std::getenv("PATH");
  const std::string search_path = found == nullptr ? "" : found;
  const auto run = shell_word(as_written(config.run_dir).string());
  const auto command = [&](const std::string& program) { return command_of(program, executable_dir(), search_path); };
  const bool can_be_measured =
      all_there(config.data.test) || !config.data.validation.files.empty() || config.data.validation.fraction > 0.0;
  const bool skips_test = !config.data.test.empty() && !all_there(config.data.test);
  return fmt::format("next: {}{} --run-dir {} \"...\"",
                     can_be_measured ? fmt::format("{} --run-dir {}{}, or ", command("translate-eval"), run,
                                                   skips_test ? " --split validation" : "")
                                     : "",
                     command("translate-infer"), run);
}

}  // namespace translate
