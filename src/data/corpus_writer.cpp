#include "translate/data/corpus_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/file.h"

namespace translate {

namespace {

// A chunk is a few MiB of ordinary sentences.
constexpr std::size_t kPairsAChunk = std::size_t{1} << 16U;
constexpr std::size_t kBytesAChunk = std::size_t{1} << 25U;

std::string_view bytes_of(const std::vector<std::uint32_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)};
}

template <typename Id>
void append_as(std::span<const std::int32_t> pieces, std::string& bytes) {
  for (const std::int32_t piece : pieces) {
    const auto id = static_cast<Id>(piece);
    bytes.append(reinterpret_cast<const char*>(&id), sizeof(id));
  }
}

/// Texts and pieces of one pair fit in 32 bits unless a line has gigabytes.
std::uint32_t position(std::size_t bytes, const PairOrigin& origin) {
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw DataError(fmt::format("line {} of training corpus {} is longer than 4 GiB", origin.line, origin.corpus + 1));
  }
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

CorpusWriter::CorpusWriter(const std::filesystem::path& path, const CorpusFormat& format)
    : path_(path), partial_(path.string() + ".partial") {
  index_.format = format;
  file_.emplace(partial_);
  file_->write(kCorpusFileBegin);
  offset_ = kCorpusFileBegin.size();
}

CorpusWriter::~CorpusWriter() {
  std::error_code ignored;
  if (file_) std::filesystem::remove(partial_, ignored);
}

void CorpusWriter::append(const EncodedPair& pair) {
  if (index_.statistics.pairs == kMostPairs) throw DataError(fmt::format("more than {} training pairs", kMostPairs));
  const std::size_t bytes = pieces_.size() + source_text_.size() + target_text_.size();
  if (lines_.size() == kPairsAChunk || bytes >= kBytesAChunk || pair.origin.corpus != corpus_) write_chunk();
  corpus_ = pair.origin.corpus;
  lines_.push_back(pair.origin.line);
  append_pieces(pair.source);
  append_pieces(pair.target);
  if (index_.format.source_text) {
    source_text_ += pair.source_text;
    source_begins_.push_back(position(source_text_.size(), pair.origin));
  }
  if (index_.format.target_text) {
    target_text_ += pair.target_text;
    target_begins_.push_back(position(target_text_.size(), pair.origin));
  }
  CorpusStatistics& statistics = index_.statistics;
  ++statistics.pairs;
  statistics.source_pieces += std::ssize(pair.source);
  statistics.target_pieces += std::ssize(pair.target);
  statistics.longest_source = std::max(statistics.longest_source, std::ssize(pair.source));
  statistics.longest_target = std::max(statistics.longest_target, std::ssize(pair.target));
}

void CorpusWriter::append_pieces(std::span<const std::int32_t> pieces) {
  if (index_.format.wide_ids) {
    append_as<std::uint32_t>(pieces, pieces_);
  } else {
    append_as<std::uint16_t>(pieces, pieces_);
  }
  bounds_.push_back(bounds_.back() + static_cast<std::uint32_t>(pieces.size()));
}

void CorpusWriter::write_chunk() {
  if (lines_.empty()) return;
  CorpusChunk chunk{.offset = offset_,
                    .crc32 = 0,
                    .corpus = corpus_,
                    .first_pair = index_.statistics.pairs - lines_.size(),
                    .pairs = lines_.size(),
                    .pieces = bounds_.back(),
                    .source_text_bytes = source_text_.size(),
                    .target_text_bytes = target_text_.size()};
  std::string bytes;
  bytes.reserve(ChunkLayout(chunk, index_.format).size);
  bytes += bytes_of(bounds_);
  bytes += bytes_of(lines_);
  if (index_.format.source_text) bytes += bytes_of(source_begins_);
  if (index_.format.target_text) bytes += bytes_of(target_begins_);
  bytes += pieces_;
  bytes += source_text_;
  bytes += target_text_;
  bytes.resize(ChunkLayout(chunk, index_.format).size, '\0');
  chunk.crc32 = crc32(bytes);
  file_->write(bytes);
  offset_ += bytes.size();
  index_.chunks.push_back(chunk);
  for (auto* numbers : {&bounds_, &source_begins_, &target_begins_}) numbers->assign(1, 0);
  lines_.clear();
  for (auto* text : {&pieces_, &source_text_, &target_text_}) text->clear();
}

void CorpusWriter::finish(const std::string& made_from) {
  write_chunk();
  index_.made_from = made_from;
  file_->write(format_corpus_index(index_, offset_));
  static_cast<void>(file_->finish());
  std::error_code error;
  std::filesystem::rename(partial_, path_, error);
  if (error) throw RuntimeError(fmt::format("cannot write {}: {}", path_.string(), error.message()));
  file_.reset();
}

}  // namespace translate
