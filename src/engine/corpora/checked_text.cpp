#include "corpora/checked_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "config/json.h"
#include "config/json_value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_descriptor.h"
#include "core/logging.h"
#include "core/utf8.h"
#include "corpora/corpus_reader.h"
#include "corpora/public_corpora.h"

namespace translate {

namespace {

TextSum sum_of(const TextFile& file) { return {.path = file.path, .size = file.size, .crc32 = file.crc32}; }

Json to_json(const TextSum& sum) { return {{"path", sum.path.string()}, {"size", sum.size}, {"crc32", sum.crc32}}; }

Json to_json(const std::vector<CorpusSum>& corpora) {
  Json json = Json::array();
  for (const auto& corpus : corpora) {
    json.push_back({{"source", to_json(corpus.source)}, {"target", to_json(corpus.target)}});
  }
  return json;
}

TextSum sum_from(const JsonValue& json) {
  return {.path = json.member("path").text(),
          .size = json.member("size").integer<std::uint64_t>(),
          .crc32 = json.member("crc32").integer<std::uint32_t>()};
}

std::vector<CorpusSum> corpora_from(const JsonValue& json) {
  std::vector<CorpusSum> corpora;
  for (const auto& each : json.elements()) {
    corpora.push_back({.source = sum_from(each.member("source")), .target = sum_from(each.member("target"))});
  }
  return corpora;
}

}  // namespace

std::vector<CorpusSum> sums_of(const CheckedText& text) {
  std::vector<CorpusSum> corpora;
  for (const auto& corpus : text.corpora) {
    corpora.push_back({.source = sum_of(corpus.source), .target = sum_of(corpus.target)});
  }
  return corpora;
}

std::optional<TextSum> sum_of_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return std::nullopt;
  }
  const auto size = std::filesystem::file_size(path, error);
  if (error) {
    return std::nullopt;
  }
  try {
    return TextSum{
        .path = std::filesystem::absolute(path).lexically_normal(), .size = size, .crc32 = crc32_of_file(path)};
  } catch (const RuntimeError&) {
    return std::nullopt;
  }
}

std::vector<CorpusSum> sums_of_files(const std::vector<CorpusFiles>& files) {
  std::vector<CorpusSum> corpora;
  for (const auto& corpus : files) {
    auto source = sum_of_file(corpus.source);
    auto target = sum_of_file(corpus.target);
    if (!source || !target) {
      return {};
    }
    corpora.push_back({.source = *std::move(source), .target = *std::move(target)});
  }
  return corpora;
}

std::string text_sums_to_json(const TextSums& sums) {
  const Json json = {
      {"train", to_json(sums.train)}, {"validation", to_json(sums.validation)}, {"test", to_json(sums.test)}};
  try {
    return json.dump(/*indent=*/2) + "\n";
  } catch (const Json::type_error& error) {
    throw RuntimeError(
        fmt::format("the paths of the text cannot be written, one is not valid UTF-8: {}", error.what()));
  }
}

TextSums text_sums_from_json(const std::string& json, const std::string& name) {
  try {
    const JsonValue sums(parse_json(json));
    return {.train = corpora_from(sums.member("train")),
            .validation = corpora_from(sums.member("validation")),
            .test = corpora_from(sums.member("test"))};
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: expected sizes and CRC-32 of the run's text files: {}", name, error.what()));
  }
}

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

/// Returns the size and time of a file, without its CRC-32.
TextFile look_at(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    throw_read_error(fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(error)), error);
  }
  if (!S_ISREG(status.st_mode)) {
    throw DataError(fmt::format("cannot read {}: {}; training text is read more than once: give a file", path.string(),
                                S_ISDIR(status.st_mode) ? "Is a directory" : "not a file"));
  }
  return {.path = std::filesystem::absolute(path).lexically_normal(),
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec,
          .crc32 = 0};
}

bool same_time(const TextFile& known, const TextFile& now) {
  return known.path == now.path && known.size == now.size && known.modified == now.modified;
}

bool same_content(const TextFile& known, const TextFile& now) {
  return known.size == now.size && known.crc32 == now.crc32;
}

std::uint32_t read_crc32(const std::filesystem::path& path) {
  try {
    return crc32_of_file(path);
  } catch (const PathError& error) {
    throw DataError(error.what());
  }
}

/// Marks a file's time as unreliable if it is less than two seconds old: the file may change again within the clock's
/// resolution and keep its time.
void doubt_young_time(TextFile& file) {
  constexpr std::int64_t kYoung = 2 * kNanoseconds;
  if (file.modified > std::time(nullptr) * kNanoseconds - kYoung) {
    file.modified = 0;
  }
}

Json to_json(const TextFile& file) {
  return {{"path", file.path.string()}, {"size", file.size}, {"modified", file.modified}, {"crc32", file.crc32}};
}

TextFile file_from(const JsonValue& json) {
  return {.path = json.member("path").text(),
          .size = json.member("size").integer<std::uint64_t>(),
          .modified = json.member("modified").integer<std::int64_t>(),
          .crc32 = json.member("crc32").integer<std::uint32_t>()};
}

/// Throws DataError if the record has another form, RuntimeError if it has more lines than the files can have: memory
/// is allocated by these numbers.
CheckedCorpus corpus_from(const JsonValue& json) {
  constexpr std::uint64_t kMostLinesAByte = 1032;  // compressed by deflate
  const CheckedCorpus corpus{.source = file_from(json.member("source")),
                             .target = file_from(json.member("target")),
                             .lines = json.member("lines").integer<std::uint64_t>(),
                             .blank = json.member("blank").integer<std::uint64_t>(),
                             .markup = json.has("markup") ? Markup::kHtml : Markup::kNone};
  const std::uint64_t bytes = std::min(corpus.source.size, corpus.target.size);
  if (corpus.lines / kMostLinesAByte > bytes || corpus.blank > corpus.lines) {
    throw RuntimeError("more lines than bytes");
  }
  return corpus;
}

}  // namespace

std::uint64_t CheckedText::lines() const {
  std::uint64_t sum = 0;
  for (const CheckedCorpus& corpus : corpora) {
    sum += corpus.lines;
  }
  return sum;
}

std::uint64_t CheckedText::blank() const {
  std::uint64_t sum = 0;
  for (const CheckedCorpus& corpus : corpora) {
    sum += corpus.blank;
  }
  return sum;
}

std::string CheckedText::fingerprint() const {
  std::string text;
  for (const CheckedCorpus& corpus : corpora) {
    text += fmt::format("{}{}:{:08x}+{}:{:08x}", text.empty() ? "" : " ", corpus.source.size, corpus.source.crc32,
                        corpus.target.size, corpus.target.crc32);
  }
  return text;
}

TextRecord::TextRecord(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file_, ignored)) {
    return;
  }
  try {
    const JsonValue record(parse_json(read_file(file_)));
    for (const auto& corpus : record.member("checked").elements()) {
      known_.push_back(corpus_from(corpus));
    }
  } catch (const DataError&) {
    known_.clear();  // the file will be rewritten
  } catch (const RuntimeError&) {
    known_.clear();
  }
}

CheckedText TextRecord::check(std::span<const CorpusFiles> corpora) {
  CheckedText text;
  for (const CorpusFiles& files : corpora) {
    text.corpora.push_back(check(files));
  }
  return text;
}

CheckedCorpus TextRecord::check(const CorpusFiles& files) {
  CheckedCorpus checked{.source = look_at(files.source), .target = look_at(files.target), .markup = files.markup};
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const CheckedCorpus& corpus) {
    return corpus.source.path == checked.source.path && corpus.target.path == checked.target.path &&
           corpus.markup == checked.markup;
  });
  if (known != known_.end() && same_time(known->source, checked.source) && same_time(known->target, checked.target)) {
    return *known;
  }
  // Before the lines are read, so that a change meanwhile gives another CRC-32 the next time.
  checked.source.crc32 = read_crc32(files.source);
  checked.target.crc32 = read_crc32(files.target);
  const auto same = std::find_if(known_.begin(), known_.end(), [&](const CheckedCorpus& corpus) {
    return same_content(corpus.source, checked.source) && same_content(corpus.target, checked.target) &&
           corpus.markup == checked.markup;
  });
  if (same != known_.end()) {  // at this path, or at another if the files were moved
    checked.lines = same->lines;
    checked.blank = same->blank;
  } else {
    PairReader reader({&files, 1});
    for (TextPair pair; reader.next(pair); ++checked.lines) {
      if (is_blank(pair.source) || is_blank(pair.target)) {
        ++checked.blank;
      }
    }
  }
  doubt_young_time(checked.source);
  doubt_young_time(checked.target);
  if (known != known_.end()) {
    known_.erase(known);
  }
  known_.push_back(checked);
  changed_ = true;
  return checked;
}

void TextRecord::save() const {
  if (!changed_) {
    return;
  }
  Json corpora = Json::array();
  for (const CheckedCorpus& corpus : known_) {
    corpora.push_back({{"source", to_json(corpus.source)},
                       {"target", to_json(corpus.target)},
                       {"lines", corpus.lines},
                       {"blank", corpus.blank}});
    if (corpus.markup == Markup::kHtml) {
      corpora.back()["markup"] = "html";
    }
  }
  make_folder(file_.parent_path());
  write_file_atomically(
      file_, Json{{"checked", std::move(corpora)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void follow(fs::path& path, const RunPlaces& run) {
  if (path.empty()) {
    return;
  }
  const auto places = places_of(path, run);
  const auto found = std::ranges::find_if(places, is_there);
  if (found == places.end() || *found == path) {
    return;
  }
  log_info(fmt::format("{} is now read from {}", path.string(), found->string()));
  path = *found;
}

/// Returns the first place with that content, or nothing.
std::optional<fs::path> place_with(const TextSum& content, const std::vector<fs::path>& places) {
  for (const auto& place : places) {
    std::error_code error;
    if (fs::file_size(place, error) != content.size || error) {
      continue;
    }
    if (const auto sum = sum_of_file(place); sum && sum->has_content_of(content)) {
      return place;
    }
  }
  return std::nullopt;
}

fs::path find_file(const fs::path& path, const TextSum* content, const RunPlaces& run, const std::string& key) {
  const auto places = places_of(path, run);
  const auto with_content = content != nullptr ? place_with(*content, places) : std::nullopt;
  const auto found = std::ranges::find_if(places, is_there);
  if (!with_content && found == places.end()) {
    std::vector<std::string> names;
    for (const auto& place : places) {
      names.push_back(place.string());
    }
    throw DataError(fmt::format("{}: the file no longer exists; looked for {}{}", key, fmt::join(names, ", "),
                                how_to_get({&path, 1})));
  }
  const auto& place = with_content ? *with_content : *found;
  if (place != path) {
    log_info(fmt::format("{}: {} is now read from {}", key, path.string(), place.string()));
  }
  if (content != nullptr && !with_content) {
    log_warning(fmt::format("{}: {} is not the text that the run was configured with: its content has changed", key,
                            place.string()));
  }
  return place;
}

}  // namespace

std::vector<fs::path> places_of(const fs::path& path, const RunPlaces& run) {
  std::vector<fs::path> places = {path};
  const auto add = [&](const fs::path& base_then, const fs::path& base_now) {
    const auto relative = path.lexically_relative(base_then);
    if (relative.empty()) {
      return;
    }
    auto place = (fs::absolute(base_now) / relative).lexically_normal();
    if (std::ranges::find(places, place) == places.end()) {
      places.push_back(std::move(place));
    }
  };
  const auto then = normalized_path(run.then);
  if (!run.now.empty()) {
    add(then, run.now);
  }
  if (then.parent_path().filename() == "runs") {
    add(then.parent_path().parent_path(), fs::current_path());
  }
  return places;
}

void follow_moved_run(Config& config, const RunPlaces& run) {
  for (auto* corpora : {&config.data.train, &config.data.validation.files, &config.data.test}) {
    for (auto& files : *corpora) {
      follow(files.source, run);
      follow(files.target, run);
      follow(files.alignment, run);
    }
  }
  for (auto* path : {&config.data.cache_dir, &config.tokenizer.source_model, &config.tokenizer.target_model,
                     &config.tokenizer.source_vocabulary, &config.tokenizer.target_vocabulary}) {
    follow(*path, run);
  }
}

std::vector<CorpusFiles> find_moved_text(const std::vector<CorpusFiles>& files, const std::vector<CorpusSum>& sums,
                                         const RunPlaces& run, const std::string& key) {
  const bool known = sums.size() == files.size();
  std::vector<CorpusFiles> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto& now = found.emplace_back(files[i]);
    now.source = find_file(files[i].source, known ? &sums[i].source : nullptr, run, key);
    now.target = find_file(files[i].target, known ? &sums[i].target : nullptr, run, key);
  }
  return found;
}

}  // namespace translate
