#include "translate/data/text_record.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "translate/config/json_view.h"
#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/core/utf8.h"
#include "translate/data/pair_reader.h"

namespace translate {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

/// Size and time of a file; no CRC-32 yet.
TextFile look_at(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw DataError(fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(errno)));
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
  } catch (const RuntimeError& error) {
    throw DataError(error.what());
  }
}

/// A file may change again within the clock's resolution and keep its time: a time that is younger than this many
/// seconds is not relied on.
void doubt_young_time(TextFile& file) {
  constexpr std::int64_t kYoung = 2 * kNanoseconds;
  if (file.modified > std::time(nullptr) * kNanoseconds - kYoung) file.modified = 0;
}

Json to_json(const TextFile& file) {
  return {{"path", file.path.string()}, {"size", file.size}, {"modified", file.modified}, {"crc32", file.crc32}};
}

TextFile file_from(const JsonView& json) {
  return {.path = json.member("path").text(),
          .size = json.member("size").integer<std::uint64_t>(),
          .modified = json.member("modified").integer<std::int64_t>(),
          .crc32 = json.member("crc32").integer<std::uint32_t>()};
}

/// Throws DataError if the record has another form, RuntimeError if it has more lines than the files can have: memory
/// is allocated by these numbers.
CheckedCorpus corpus_from(const JsonView& json) {
  constexpr std::uint64_t kMostLinesAByte = 1032;  // packed by deflate
  const CheckedCorpus corpus{.source = file_from(json.member("source")),
                             .target = file_from(json.member("target")),
                             .lines = json.member("lines").integer<std::uint64_t>(),
                             .blank = json.member("blank").integer<std::uint64_t>()};
  const std::uint64_t bytes = std::min(corpus.source.size, corpus.target.size);
  if (corpus.lines / kMostLinesAByte > bytes || corpus.blank > corpus.lines) {
    throw RuntimeError("more lines than bytes");
  }
  return corpus;
}

}  // namespace

std::uint64_t CheckedText::lines() const {
  std::uint64_t sum = 0;
  for (const CheckedCorpus& corpus : corpora) sum += corpus.lines;
  return sum;
}

std::uint64_t CheckedText::blank() const {
  std::uint64_t sum = 0;
  for (const CheckedCorpus& corpus : corpora) sum += corpus.blank;
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
  if (!std::filesystem::is_regular_file(file_, ignored)) return;
  try {
    const Json record = parse_json(read_file(file_));
    for (const auto& corpus : JsonView(record).member("checked").elements()) known_.push_back(corpus_from(corpus));
  } catch (const DataError&) {
    known_.clear();  // the file is written again
  } catch (const RuntimeError&) {
    known_.clear();
  }
}

CheckedText TextRecord::check(std::span<const CorpusFiles> corpora) {
  CheckedText text;
  for (const CorpusFiles& files : corpora) text.corpora.push_back(check(files));
  return text;
}

CheckedCorpus TextRecord::check(const CorpusFiles& files) {
  CheckedCorpus checked{.source = look_at(files.source), .target = look_at(files.target)};
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const CheckedCorpus& corpus) {
    return corpus.source.path == checked.source.path && corpus.target.path == checked.target.path;
  });
  if (known != known_.end() && same_time(known->source, checked.source) && same_time(known->target, checked.target)) {
    return *known;
  }
  // Before the lines, so that a change meanwhile shows as another CRC-32 the next time.
  checked.source.crc32 = read_crc32(files.source);
  checked.target.crc32 = read_crc32(files.target);
  const auto same = std::find_if(known_.begin(), known_.end(), [&](const CheckedCorpus& corpus) {
    return same_content(corpus.source, checked.source) && same_content(corpus.target, checked.target);
  });
  if (same != known_.end()) {  // at this path or, where the files were moved, at another
    checked.lines = same->lines;
    checked.blank = same->blank;
  } else {
    PairReader reader({&files, 1});
    for (TextPair pair; reader.next(pair); ++checked.lines) {
      if (is_blank(pair.source) || is_blank(pair.target)) ++checked.blank;
    }
  }
  doubt_young_time(checked.source);
  doubt_young_time(checked.target);
  if (known != known_.end()) known_.erase(known);
  known_.push_back(checked);
  changed_ = true;
  return checked;
}

void TextRecord::save() const {
  if (!changed_) return;
  Json corpora = Json::array();
  for (const CheckedCorpus& corpus : known_) {
    corpora.push_back({{"source", to_json(corpus.source)},
                       {"target", to_json(corpus.target)},
                       {"lines", corpus.lines},
                       {"blank", corpus.blank}});
  }
  make_folder(file_.parent_path());
  write_file_atomically(
      file_, Json{{"checked", std::move(corpora)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace translate
