#include "interop/marian/firefox_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/foreign_text.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGzip = ".gz";
constexpr std::string_view kZstd = ".zst";

/// A name that begins and ends in certain ways.
struct Pattern {
  std::string_view begin;
  std::string_view end;

  [[nodiscard]] bool matches(std::string_view name) const {
    return name.size() >= begin.size() + end.size() - 1 && name.starts_with(begin) && name.ends_with(end);
  }
};

// The dots of beginning and ending may be the same one, as in "vocab.spm".
constexpr Pattern kBinWeights = {"model.", ".bin"};
constexpr Pattern kNpzWeights = {"model.", ".npz"};
constexpr Pattern kVocabulary = {"vocab.", ".spm"};
constexpr Pattern kSourceVocabulary = {"srcvocab.", ".spm"};
constexpr Pattern kTargetVocabulary = {"trgvocab.", ".spm"};
constexpr Pattern kShortlist = {"lex.", ".bin"};

std::string without(std::string name, std::string_view ending) {
  if (name.ends_with(ending)) {
    name.resize(name.size() - ending.size());
  }
  return name;
}

/// The names in a folder, sorted, without ".gz" and, if `of_packed`, without ".zst". Empty if it cannot be read.
std::vector<std::string> names_in(const fs::path& folder, bool of_packed = false) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    auto name = without(entry->path().filename().string(), kGzip);
    names.push_back(of_packed ? without(std::move(name), kZstd) : std::move(name));
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

std::vector<std::string> matching(const std::vector<std::string>& names, const std::vector<Pattern>& patterns) {
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), [&](const std::string& name) {
    return std::ranges::any_of(patterns, [&](const Pattern& pattern) { return pattern.matches(name); }) &&
           !name.ends_with(".optimizer.npz");
  });
  return found;
}

bool has_model(const std::vector<std::string>& names) {
  return !matching(names, {kBinWeights, kNpzWeights}).empty() &&
         !matching(names, {kVocabulary, kSourceVocabulary, kTargetVocabulary}).empty();
}

/// Finds the one file of a kind; empty if there is none.
std::string find_one(const fs::path& folder, const std::vector<std::string>& names,
                     const std::vector<Pattern>& patterns) {
  const auto found = matching(names, patterns);
  if (found.size() > 1) {
    throw CheckpointError(
        fmt::format("{}: it has \"{}\" and \"{}\", expected the files of one model; put each model into a folder of "
                    "its own, or name the one in a decoder.yml",
                    folder.string(), shown(found[0]), shown(found[1])));
  }
  return found.empty() ? "" : found.front();
}

std::vector<std::string> find_vocabularies(const fs::path& folder, const std::vector<std::string>& names) {
  const auto shared = find_one(folder, names, {kVocabulary});
  const auto source = find_one(folder, names, {kSourceVocabulary});
  const auto target = find_one(folder, names, {kTargetVocabulary});
  if (source.empty() && target.empty() && !shared.empty()) {
    return {shared, shared};
  }
  if (source.empty() || target.empty() || !shared.empty()) {
    throw CheckpointError(fmt::format(
        "{}: expected one file vocab.*.spm for both languages, or srcvocab.*.spm and trgvocab.*.spm", folder.string()));
  }
  return {source, target};
}

/// The part of a name between its first two dots: "enfr" of "model.enfr.intgemm8.bin".
std::string second_part(const std::string& name) {
  const auto begin = std::min(name.find('.'), name.size() - 1) + 1;
  return name.substr(begin, std::min(name.find('.', begin), name.size()) - begin);
}

/// The languages in the names of weights and vocabulary, if both have the same two codes of two letters.
std::pair<std::string, std::string> languages_of(const MarianDecoder& files) {
  const auto pair = second_part(files.model);
  const bool is_pair = pair.size() == 4 && std::ranges::all_of(pair, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_pair || second_part(files.vocabularies.front()) != pair) {
    return {};
  }
  return {pair.substr(0, 2), pair.substr(2)};
}

}  // namespace

bool is_firefox_model(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && has_model(names_in(path, /*of_packed=*/true));
}

FirefoxFiles find_firefox_files(const fs::path& folder) {
  const auto names = names_in(folder);
  if (!has_model(names)) {
    throw CheckpointError(fmt::format(
        "{}: its files are packed by zstd, which is not supported: unpack them with zstd -d", folder.string()));
  }
  FirefoxFiles files;
  auto& decoder = files.decoder;
  decoder.model = find_one(folder, names, {kBinWeights, kNpzWeights});
  decoder.vocabularies = find_vocabularies(folder, names);
  decoder.shortlist = find_one(folder, names, {kShortlist});
  // The search of Firefox (translations-engine.worker.mjs in mozilla/translations).
  decoder.decoding.beam_size = 1;
  decoder.decoding.length_penalty_kind = LengthPenaltyKind::kAverage;
  decoder.decoding.length_penalty = 1.0;
  decoder.decoding.max_length_ratio = 2.0;
  decoder.decoding.max_length = kMarianMaxLength;
  std::tie(files.source_language, files.target_language) = languages_of(decoder);
  return files;
}

}  // namespace translate::tools
