#include "corpora/corpus_reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <numeric>
#include <random>
#include <system_error>
#include <utility>

#include "core/counted.h"
#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/pages.h"
#include "core/random_numbers.h"
#include "core/text_format.h"
#include "core/utf8.h"
#include "corpora/html_pairs.h"

namespace translate {

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

ParallelCorpus read_parallel_corpus(std::span<const CorpusFiles> files) {
  SelectedPairs pairs(files, Selection::kAll);
  return read_pairs(pairs);
}

bool are_there(std::span<const CorpusFiles> corpora) {
  return !corpora.empty() && std::ranges::all_of(corpora, [](const CorpusFiles& files) {
    std::error_code error;
    return std::filesystem::exists(files.source, error) && std::filesystem::exists(files.target, error);
  });
}

std::string describe_origin(const PairOrigin& origin, std::span<const CorpusFiles> files) {
  return fmt::format("{}:{}", files[origin.corpus].source.string(), origin.line);
}

void LeftOut::add(const PairOrigin& origin) {
  if (count++ == 0) {
    first = origin;
  }
}

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 18U;

[[noreturn]] void fail_to_read(const std::filesystem::path& path, const std::error_code& error) {
  throw_read_error(fmt::format("cannot read {}: {}", path.string(), error.message()), error.value());
}

FileDescriptor open_text(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) {
    fail_to_read(path, {errno, std::generic_category()});
  }
  return file;
}

}  // namespace

GzipReader::GzipReader(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(open_text(path_)), file_(descriptor_.number()), buffer_(kBufferSize) {}

std::string_view GzipReader::read() {
  try {
    const std::string_view bytes(buffer_.data(), file_.read(buffer_));
    lines_ += static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
    return bytes;
  } catch (const std::system_error& error) {
    fail_to_read(path_, error.code());
  } catch (const GzipFault& fault) {
    throw DataError(fmt::format("{}:{}: {}; check it with gzip -t", path_.string(), lines_ + 1, fault.what()));
  }
}

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void check_format(std::string_view first_line, const std::filesystem::path& path) {
  if (const auto format = other_format(first_line.substr(0, kFormatBytes))) {
    throw DataError(fmt::format("{}: {}", path.string(), *format));
  }
}

void check_line(const std::string& line, const std::filesystem::path& path, std::size_t number) {
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

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, LineCheck check)
    : LineReader(std::make_unique<GzipReader>(path), path, check) {}

LineReader::LineReader(std::unique_ptr<ByteReader> bytes, std::filesystem::path path, LineCheck check)
    : path_(std::move(path)), reader_(std::move(bytes)), check_(check) {}

bool LineReader::next(std::string& line) {
  const bool ended = !read_raw(line);
  // A file that holds only a byte order mark has no line.
  if (ended && (line.empty() || (lines_ == 0 && line == kByteOrderMark))) {
    return false;
  }
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  if (lines_ == 0 && line.starts_with(kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
  }
  ++lines_;
  if (lines_ == 1) {
    check_format(line, path_);
  }
  if (check_ == LineCheck::kUtf8) {
    check_line(line, path_, lines_);
  }
  return true;
}

bool LineReader::read_raw(std::string& line) {
  line.clear();
  while (true) {
    const std::size_t newline = rest_.find('\n');
    line.append(rest_.substr(0, newline));
    if (line.size() > kLongestLine) {
      throw DataError(fmt::format("{}:{}: {}", path_.string(), lines_ + 1, longest_line_text()));
    }
    if (newline != std::string_view::npos) {
      rest_.remove_prefix(newline + 1);
      return true;
    }
    rest_ = reader_->read();
    if (rest_.empty()) {
      return false;
    }
  }
}

void throw_unequal_lines(LineReader& source, LineReader& target) {
  for (std::string line; source.next(line) || target.next(line);) {
  }
  throw DataError(fmt::format("{} has {} but {} has {}: line N of one must be the translation of line N of the other",
                              source.path().string(), counted(source.lines(), "line"), target.path().string(),
                              target.lines()));
}

PairReader::PairReader(std::span<const CorpusFiles> files, LineCheck check)
    : files_(files.begin(), files.end()), check_(check) {}

bool PairReader::next(TextPair& pair) {
  for (; corpus_ < files_.size(); ++corpus_) {
    if (!source_) {
      source_.emplace(files_[corpus_].source, check_);
      target_.emplace(files_[corpus_].target, check_);
    }
    const bool source = source_->next(pair.source);
    const bool target = target_->next(pair.target);
    if (source != target) {
      throw_unequal_lines(*source_, *target_);
    }
    if (source) {
      if (source_->lines() > kMostPairs) {
        throw DataError(
            fmt::format("{}: more than {} lines; split the file", files_[corpus_].source.string(), kMostPairs));
      }
      if (files_[corpus_].markup == Markup::kHtml) {
        read_html(pair.source, pair.target);
      }
      pair.origin = {static_cast<std::uint32_t>(corpus_), static_cast<std::uint32_t>(source_->lines())};
      return true;
    }
    source_.reset();
    target_.reset();
  }
  return false;
}

void check_held_out(const HeldOutShare& share) {
  if (share.fraction == 0.0) {
    return;
  }
  if (share.pairs < 2 || share.pairs > kMostPairs) {
    throw DataError(
        fmt::format("data.validation.fraction: the training data has {}; a split needs 2 at least "
                    "and {} at most",
                    counted(share.pairs, "pair"), kMostPairs));
  }
}

std::vector<bool> draw_held_out(const HeldOutShare& share) {
  check_held_out(share);
  if (share.fraction == 0.0) {
    return {};
  }
  const auto wanted = static_cast<std::uint64_t>(std::llround(share.fraction * static_cast<double>(share.pairs)));
  const std::uint64_t count = std::clamp<std::uint64_t>(wanted, 1, share.pairs - 1);
  PageBlock<std::uint32_t> block(share.pairs);
  const std::span<std::uint32_t> order = block.span();
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(mix_seeds({share.seed}));
  shuffle(order, random);
  std::vector<bool> held_out(share.pairs, false);
  for (const std::uint32_t pair : order.first(count)) {
    held_out[pair] = true;
  }
  return held_out;
}

SelectedPairs::SelectedPairs(std::span<const CorpusFiles> files, Selection selection, const HeldOutShare& share)
    : reader_(files), selection_(selection), held_out_(draw_held_out(share)) {}

bool SelectedPairs::next(TextPair& pair) {
  while (reader_.next(pair)) {
    if (selection_ == Selection::kAll) {
      return true;
    }
    if (is_blank(pair.source) || is_blank(pair.target)) {
      blank_.add(pair.origin);
      continue;
    }
    const std::size_t position = position_++;
    const bool held_out = position < held_out_.size() && held_out_[position];
    if (held_out == (selection_ == Selection::kHeldOut)) {
      return true;
    }
  }
  return false;
}

ParallelCorpus read_pairs(SelectedPairs& pairs) {
  ParallelCorpus corpus;
  for (TextPair pair; pairs.next(pair);) {
    corpus.source.push_back(std::move(pair.source));
    corpus.target.push_back(std::move(pair.target));
    corpus.origin.push_back(pair.origin);
  }
  return corpus;
}

}  // namespace translate
