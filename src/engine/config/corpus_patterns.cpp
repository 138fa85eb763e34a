#include "config/corpus_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace translate {

namespace {

namespace fs = std::filesystem;

/// Files by the text that the star of their pattern stands for.
using Matches = std::map<std::string, fs::path>;

bool is_pattern(const fs::path& path) {
  std::error_code ignored;
  return path.native().find('*') != std::string::npos && !fs::exists(path, ignored);
}

/// The parts of "text/part-*.en/a.gz": the folder "text", the name's beginning "part-" and end ".en", the rest "/a.gz".
struct Pattern {
  fs::path folder;
  std::string begin;
  std::string end;
  std::string rest;
};

Pattern parse(const fs::path& path) {
  const std::string& text = path.native();
  const auto star = text.find('*');
  if (text.find('*', star + 1) != std::string::npos) {
    throw ConfigError(fmt::format("{}: has several stars; expected one, which tells the files apart", text));
  }
  const auto name = text.rfind('/', star) + 1;  // 0 if there is no slash
  const auto rest = std::min(text.find('/', star), text.size());
  return {.folder = name == 0 ? fs::path(".") : fs::path(text.substr(0, name)),
          .begin = text.substr(name, star - name),
          .end = text.substr(star + 1, rest - star - 1),
          .rest = text.substr(rest)};
}

Matches find_matches(const fs::path& path) {
  const Pattern pattern = parse(path);
  Matches matches;
  std::error_code error;
  for (fs::directory_iterator entry(pattern.folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() < pattern.begin.size() + pattern.end.size() || !name.starts_with(pattern.begin) ||
        !name.ends_with(pattern.end) || (pattern.begin.empty() && name.starts_with('.'))) {
      continue;
    }
    fs::path file = pattern.folder / (name + pattern.rest);
    std::error_code ignored;
    if (!fs::exists(file, ignored) || fs::is_directory(file, ignored)) {
      continue;
    }
    const auto length = name.size() - pattern.begin.size() - pattern.end.size();
    matches.emplace(name.substr(pattern.begin.size(), length), std::move(file));
  }
  if (error) {
    throw ConfigError(fmt::format("{}: matches no file: {}", path.string(), error.message()));
  }
  if (matches.empty()) {
    throw ConfigError(fmt::format("{}: matches no file", path.string()));
  }
  return matches;
}

/// Throws if a file of one side has no counterpart on the other.
void check_counterparts(const Matches& files, const Matches& others, const fs::path& other_pattern) {
  const auto is_alone = [&](const auto& match) { return !others.contains(match.first); };
  const auto alone = std::ranges::find_if(files, is_alone);
  if (alone == files.end()) {
    return;
  }
  const auto count = std::ranges::count_if(files, is_alone);
  std::string wanted = other_pattern.string();
  wanted.replace(wanted.find('*'), 1, alone->first);
  throw ConfigError(fmt::format("{} has no counterpart: there is no {}{}", alone->second.string(), wanted,
                                count == 1 ? "" : fmt::format(" ({} files lack theirs)", count)));
}

void expand(const CorpusFiles& patterns, std::vector<CorpusFiles>& files) {
  const bool source_is_pattern = is_pattern(patterns.source);
  if (source_is_pattern != is_pattern(patterns.target)) {
    const auto& with_star = source_is_pattern ? patterns.source : patterns.target;
    const auto& without = source_is_pattern ? patterns.target : patterns.source;
    throw ConfigError(
        fmt::format("{} has a star and {} has none: expected one on both sides, which stands for the same text",
                    with_star.string(), without.string()));
  }
  if (!source_is_pattern) {
    files.push_back(patterns);
    return;
  }
  const Matches sources = find_matches(patterns.source);
  const Matches targets = find_matches(patterns.target);
  check_counterparts(sources, targets, patterns.target);
  check_counterparts(targets, sources, patterns.source);
  bool continues = patterns.continues;
  for (const auto& [star, source] : sources) {
    auto& found = files.emplace_back(patterns);
    found.source = source;
    found.target = targets.at(star);
    if (is_pattern(patterns.alignment)) {
      found.alignment = replace_all(patterns.alignment.string(), "*", star);
    }
    found.continues = std::exchange(continues, true);
  }
}

}  // namespace

std::vector<CorpusFiles> expand_patterns(const std::vector<CorpusFiles>& corpora) {
  std::vector<CorpusFiles> files;
  for (const CorpusFiles& patterns : corpora) {
    expand(patterns, files);
  }
  return files;
}

std::vector<KeyFault> expand_patterns(DataOptions& data) {
  std::vector<KeyFault> faults;
  const auto expand_key = [&](const char* key, std::vector<CorpusFiles>& corpora) {
    try {
      corpora = expand_patterns(corpora);
    } catch (const ConfigError& error) {
      faults.push_back({key, error.what(), {}});
    }
  };
  expand_key("data.train", data.train);
  expand_key("data.validation", data.validation.files);
  expand_key("data.test", data.test);
  return faults;
}

}  // namespace translate
