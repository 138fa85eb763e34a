#include "translate/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/utf8.h"
#include "translate/data/gzip_reader.h"
#include "translate/data/seeded_random.h"

namespace translate {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void check_line(const std::string& line, const std::filesystem::path& path, std::size_t number) {
  if (number == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))) {
    throw DataError(fmt::format("{}:1: the file is UTF-16; convert it: iconv -f utf-16 -t utf-8", path.string()));
  }
  if (const std::size_t position = line.find('\0'); position != std::string::npos) {
    throw DataError(fmt::format("{}:{}: NUL byte at byte {} of the line: expected a text file in UTF-8", path.string(),
                                number, position + 1));
  }
  if (const auto position = first_invalid_utf8(line)) {
    throw DataError(
        fmt::format("{}:{}: invalid UTF-8 at byte {} of the line (0x{:02X}): expected a text file in UTF-8; convert "
                    "it, e.g. iconv -f latin1 -t utf-8",
                    path.string(), number, *position + 1, static_cast<unsigned char>(line[*position])));
  }
}

/// Cuts a stream of bytes into checked lines.
class LineSplitter {
 public:
  explicit LineSplitter(std::filesystem::path path) : path_(std::move(path)) {}

  void add(std::string_view bytes) {
    for (std::size_t newline = 0; (newline = bytes.find('\n')) != std::string_view::npos;) {
      unfinished_.append(bytes.substr(0, newline));
      end_line();
      bytes.remove_prefix(newline + 1);
    }
    unfinished_.append(bytes);
  }

  [[nodiscard]] std::vector<std::string> finish() {
    // A file that holds a byte order mark alone has no line.
    const bool only_mark = lines_.empty() && unfinished_ == kByteOrderMark;
    if (!unfinished_.empty() && !only_mark) end_line();
    return std::move(lines_);
  }

 private:
  void end_line() {
    if (unfinished_.ends_with('\r')) unfinished_.pop_back();
    if (lines_.empty() && unfinished_.starts_with(kByteOrderMark)) unfinished_.erase(0, kByteOrderMark.size());
    check_line(unfinished_, path_, lines_.size() + 1);
    lines_.push_back(std::exchange(unfinished_, {}));
  }

  std::filesystem::path path_;
  std::string unfinished_;
  std::vector<std::string> lines_;
};

void append(std::vector<std::string>& to, std::vector<std::string>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void move_pair(ParallelCorpus& from, std::size_t index, ParallelCorpus& to) {
  to.source.push_back(std::move(from.source[index]));
  to.target.push_back(std::move(from.target[index]));
  to.origin.push_back(from.origin[index]);
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  GzipReader reader(path);
  LineSplitter splitter(path);
  for (std::string_view bytes = reader.read(); !bytes.empty(); bytes = reader.read()) splitter.add(bytes);
  return splitter.finish();
}

ParallelCorpus read_parallel_corpus(std::span<const CorpusFiles> files) {
  ParallelCorpus corpus;
  for (std::size_t index = 0; index < files.size(); ++index) {
    std::vector<std::string> source = read_lines(files[index].source);
    std::vector<std::string> target = read_lines(files[index].target);
    if (source.size() != target.size()) {
      throw DataError(
          fmt::format("{} has {} lines but {} has {}: line N of one must be the translation of line N of the other",
                      files[index].source.string(), source.size(), files[index].target.string(), target.size()));
    }
    if (source.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw DataError(fmt::format("{}: more than 4294967295 lines; split the file", files[index].source.string()));
    }
    for (std::size_t line = 1; line <= source.size(); ++line) {
      corpus.origin.push_back({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(line)});
    }
    append(corpus.source, std::move(source));
    append(corpus.target, std::move(target));
  }
  return corpus;
}

std::string describe_origin(const PairOrigin& origin, std::span<const CorpusFiles> files) {
  return fmt::format("{}:{}", files[origin.corpus].source.string(), origin.line);
}

void LeftOut::add(const PairOrigin& origin) {
  if (count++ == 0) first = origin;
}

LeftOut remove_blank_pairs(ParallelCorpus& corpus) {
  LeftOut left_out;
  ParallelCorpus kept;
  for (std::size_t index = 0; index < corpus.size(); ++index) {
    if (is_blank(corpus.source[index]) || is_blank(corpus.target[index])) {
      left_out.add(corpus.origin[index]);
    } else {
      move_pair(corpus, index, kept);
    }
  }
  corpus = std::move(kept);
  return left_out;
}

ParallelCorpus split_off(ParallelCorpus& corpus, double fraction, std::uint64_t seed) {
  if (corpus.size() < 2) {
    throw DataError(fmt::format("data.validation.fraction: the training data has {} pairs; a split needs 2 at least",
                                corpus.size()));
  }
  const auto wanted = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(corpus.size())));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, corpus.size() - 1);
  std::vector<std::size_t> order(corpus.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(mix_seeds({seed}));
  shuffle(order, random);
  std::vector<bool> chosen(corpus.size(), false);
  for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = true;

  ParallelCorpus moved;
  ParallelCorpus kept;
  for (std::size_t index = 0; index < corpus.size(); ++index) {
    move_pair(corpus, index, chosen[index] ? moved : kept);
  }
  corpus = std::move(kept);
  return moved;
}

}  // namespace translate
