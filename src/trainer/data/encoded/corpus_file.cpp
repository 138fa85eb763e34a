#include "data/encoded/corpus_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "config/json.h"
#include "config/json_value.h"
#include "core/error.h"
#include "core/file.h"

namespace translate::trainer {

static_assert(std::endian::native == std::endian::little, "files of encoded pairs are little endian");

namespace {

constexpr std::string_view kEndMark = "PAIRSEND";

/// The last bytes of the file.
struct Trailer {
  std::uint64_t index_offset = 0;
  std::uint64_t index_size = 0;
  std::uint64_t index_crc32 = 0;
  std::array<char, 8> mark = {};
};

Json to_json(const LeftOut& left_out) { return {left_out.count, left_out.first.corpus, left_out.first.line}; }

LeftOut left_out_from(const JsonValue& json) {
  const auto numbers = json.elements(3);
  return {.count = numbers[0].integer<std::size_t>(),
          .first = {numbers[1].integer<std::uint32_t>(), numbers[2].integer<std::uint32_t>()}};
}

Json to_json(const CorpusStatistics& statistics) {
  return {{"pairs", statistics.pairs},
          {"source_pieces", statistics.source_subwords},
          {"target_pieces", statistics.target_subwords},
          {"longest_source", statistics.longest_source},
          {"longest_target", statistics.longest_target},
          {"blank", to_json(statistics.blank)},
          {"too_long", to_json(statistics.too_long)},
          {"uneven", to_json(statistics.uneven)},
          {"empty", to_json(statistics.empty)}};
}

CorpusStatistics statistics_from(const JsonValue& json) {
  return {.pairs = json.member("pairs").integer<std::uint64_t>(),
          .source_subwords = json.member("source_pieces").integer<std::int64_t>(),
          .target_subwords = json.member("target_pieces").integer<std::int64_t>(),
          .longest_source = json.member("longest_source").integer<std::int64_t>(),
          .longest_target = json.member("longest_target").integer<std::int64_t>(),
          .blank = left_out_from(json.member("blank")),
          .too_long = left_out_from(json.member("too_long")),
          .uneven = left_out_from(json.member("uneven")),
          .empty = left_out_from(json.member("empty"))};
}

Json to_json(const CorpusChunk& chunk) {
  return {chunk.crc32, chunk.corpus, chunk.pairs, chunk.subwords, chunk.source_text_bytes, chunk.target_text_bytes};
}

/// Chunks are contiguous, so their offsets need not be stored. Each count is compared with the file's size before it is
/// used, so that no sum overflows.
std::vector<CorpusChunk> chunks_from(const JsonValue& json, const CorpusFormat& format, std::uint64_t end) {
  std::vector<CorpusChunk> chunks;
  std::uint64_t offset = kCorpusFileBegin.size();
  std::uint64_t first_pair = 0;
  for (const JsonValue& each : json.elements()) {
    const auto numbers = each.elements(6);
    const CorpusChunk chunk{.offset = offset,
                            .crc32 = numbers[0].integer<std::uint32_t>(),
                            .corpus = numbers[1].integer<std::uint32_t>(),
                            .first_pair = first_pair,
                            .pairs = numbers[2].integer<std::uint64_t>(),
                            .subwords = numbers[3].integer<std::uint64_t>(),
                            .source_text_bytes = numbers[4].integer<std::uint64_t>(),
                            .target_text_bytes = numbers[5].integer<std::uint64_t>()};
    const std::uint64_t most =
        std::max({chunk.pairs, chunk.subwords, chunk.source_text_bytes, chunk.target_text_bytes});
    if (most > end || ChunkLayout(chunk, format).size > end - offset) {
      throw RuntimeError(fmt::format("part {} reaches beyond byte {}", chunks.size() + 1, end));
    }
    offset += ChunkLayout(chunk, format).size;
    first_pair += chunk.pairs;
    chunks.push_back(chunk);
  }
  if (offset != end) {
    throw RuntimeError(fmt::format("its parts end at byte {} in place of {}", offset, end));
  }
  return chunks;
}

using Read = std::function<void(std::uint64_t offset, std::span<char> to)>;

/// Returns the words that end at `end`; none in a file of an older version.
std::string words_from(const JsonValue& json, std::uint64_t end, const Read& read) {
  if (!json.has("source_words")) {
    return {};
  }
  const auto numbers = json.member("source_words").elements(2);
  const auto size = numbers[0].integer<std::uint64_t>();
  if (size > end) {
    throw RuntimeError("its words are damaged");
  }
  std::string words(size, '\0');
  read(end - size, words);
  if (crc32(words) != numbers[1].integer<std::uint32_t>()) {
    throw RuntimeError("its words are damaged");
  }
  return words;
}

void check_pairs(const CorpusIndex& index) {
  const std::uint64_t pairs = index.chunks.empty() ? 0 : index.chunks.back().first_pair + index.chunks.back().pairs;
  if (pairs != index.statistics.pairs || pairs > kMostPairs) {
    throw RuntimeError(fmt::format("it holds {} pairs in place of {}", pairs, index.statistics.pairs));
  }
}

}  // namespace

ChunkLayout::ChunkLayout(const CorpusChunk& chunk, const CorpusFormat& format) {
  constexpr std::uint64_t kNumber = sizeof(std::uint32_t);
  lines = bounds + (2 * chunk.pairs + 1) * kNumber;
  source_begins = lines + chunk.pairs * kNumber;
  target_begins = source_begins + (format.source_text ? (chunk.pairs + 1) * kNumber : 0);
  subwords = target_begins + (format.target_text ? (chunk.pairs + 1) * kNumber : 0);
  source_text = subwords + chunk.subwords * (format.wide_ids ? sizeof(std::uint32_t) : sizeof(std::uint16_t));
  target_text = source_text + chunk.source_text_bytes;
  size = (target_text + chunk.target_text_bytes + 7) / 8 * 8;
}

std::string format_corpus_index(const CorpusIndex& index, std::uint64_t offset) {
  Json chunks = Json::array();
  for (const CorpusChunk& chunk : index.chunks) {
    chunks.push_back(to_json(chunk));
  }
  Json json = {{"wide_ids", index.format.wide_ids},       {"source_text", index.format.source_text},
               {"target_text", index.format.target_text}, {"made_from", index.made_from},
               {"statistics", to_json(index.statistics)}, {"chunks", std::move(chunks)}};
  if (!index.source_words.empty()) {
    json["source_words"] = {index.source_words.size(), crc32(index.source_words)};
  }
  std::string bytes = index.source_words + json.dump();
  const auto text = std::string_view(bytes).substr(index.source_words.size());
  Trailer trailer{
      .index_offset = offset + index.source_words.size(), .index_size = text.size(), .index_crc32 = crc32(text)};
  kEndMark.copy(trailer.mark.data(), trailer.mark.size());
  bytes.append(reinterpret_cast<const char*>(&trailer), sizeof(trailer));
  return bytes;
}

CorpusIndex read_corpus_index(std::uint64_t size,
                              const std::function<void(std::uint64_t offset, std::span<char> to)>& read) {
  std::string begin(std::min<std::uint64_t>(size, kCorpusFileBegin.size()), '\0');
  read(0, begin);
  if (begin != kCorpusFileBegin) {
    throw RuntimeError("no file of encoded pairs, or one of another version");
  }
  Trailer trailer;
  if (size >= begin.size() + sizeof(trailer)) {
    read(size - sizeof(trailer), {reinterpret_cast<char*>(&trailer), sizeof(trailer)});
  }
  if (std::string_view(trailer.mark.data(), trailer.mark.size()) != kEndMark) {
    throw RuntimeError("its end is missing");
  }
  const std::uint64_t end = size - sizeof(trailer);
  if (trailer.index_offset > end || trailer.index_size != end - trailer.index_offset) {
    throw RuntimeError("its index is damaged");
  }
  std::string text(trailer.index_size, '\0');
  read(trailer.index_offset, text);
  if (trailer.index_crc32 != crc32(text)) {
    throw RuntimeError("its index is damaged");
  }
  try {
    const JsonValue json(parse_json(text));
    CorpusIndex index;
    index.format = {.wide_ids = json.member("wide_ids").boolean(),
                    .source_text = json.member("source_text").boolean(),
                    .target_text = json.member("target_text").boolean()};
    index.made_from = json.member("made_from").text();
    index.statistics = statistics_from(json.member("statistics"));
    index.source_words = words_from(json, trailer.index_offset, read);
    index.chunks = chunks_from(json.member("chunks"), index.format, trailer.index_offset - index.source_words.size());
    check_pairs(index);
    return index;
  } catch (const DataError& error) {  // a damaged file is not the user's fault
    throw RuntimeError(fmt::format("its index is not as expected: {}", error.what()));
  }
}

namespace {

// A chunk is a few MiB of ordinary sentences.
constexpr std::size_t kPairsAChunk = std::size_t{1} << 16U;
constexpr std::size_t kBytesAChunk = std::size_t{1} << 25U;

std::string_view bytes_of(const std::vector<std::uint32_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)};
}

template <typename Id>
void append_as(std::span<const std::int32_t> subwords, std::string& bytes) {
  for (const std::int32_t subword : subwords) {
    const auto id = static_cast<Id>(subword);
    bytes.append(reinterpret_cast<const char*>(&id), sizeof(id));
  }
}

/// An offset as 32 bits, which suffice unless a line has gigabytes.
std::uint32_t position(std::size_t bytes, const PairOrigin& origin) {
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw DataError(fmt::format("line {} of training corpus {} is longer than 4 GiB", origin.line, origin.corpus + 1));
  }
  return static_cast<std::uint32_t>(bytes);
}

void remove_quietly(const std::filesystem::path& file) {
  std::error_code ignored;  // the user must see the earlier error
  std::filesystem::remove(file, ignored);
}

}  // namespace

CorpusWriter::CorpusWriter(const std::filesystem::path& path, const CorpusFormat& format)
    : path_(path), partial_(path.string() + ".partial") {
  index_.format = format;
  file_.emplace(partial_);
  try {
    file_->write(kCorpusFileBegin);
  } catch (...) {
    remove_quietly(partial_);
    throw;
  }
  offset_ = kCorpusFileBegin.size();
}

CorpusWriter::~CorpusWriter() {
  if (file_) {
    remove_quietly(partial_);
  }
}

void CorpusWriter::append(const EncodedPair& pair) {
  if (index_.statistics.pairs == kMostPairs) {
    throw DataError(fmt::format("more than {} training pairs", kMostPairs));
  }
  const std::size_t bytes = subwords_.size() + source_text_.size() + target_text_.size();
  if (lines_.size() == kPairsAChunk || bytes >= kBytesAChunk || pair.origin.corpus != corpus_) {
    write_chunk();
  }
  corpus_ = pair.origin.corpus;
  lines_.push_back(pair.origin.line);
  append_subwords(pair.source);
  append_subwords(pair.target);
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
  statistics.source_subwords += std::ssize(pair.source);
  statistics.target_subwords += std::ssize(pair.target);
  statistics.longest_source = std::max(statistics.longest_source, std::ssize(pair.source));
  statistics.longest_target = std::max(statistics.longest_target, std::ssize(pair.target));
}

void CorpusWriter::append_subwords(std::span<const std::int32_t> subwords) {
  if (index_.format.wide_ids) {
    append_as<std::uint32_t>(subwords, subwords_);
  } else {
    append_as<std::uint16_t>(subwords, subwords_);
  }
  bounds_.push_back(bounds_.back() + static_cast<std::uint32_t>(subwords.size()));
}

void CorpusWriter::write_chunk() {
  if (lines_.empty()) {
    return;
  }
  CorpusChunk chunk{.offset = offset_,
                    .crc32 = 0,
                    .corpus = corpus_,
                    .first_pair = index_.statistics.pairs - lines_.size(),
                    .pairs = lines_.size(),
                    .subwords = bounds_.back(),
                    .source_text_bytes = source_text_.size(),
                    .target_text_bytes = target_text_.size()};
  std::string bytes;
  bytes.reserve(ChunkLayout(chunk, index_.format).size);
  bytes += bytes_of(bounds_);
  bytes += bytes_of(lines_);
  if (index_.format.source_text) {
    bytes += bytes_of(source_begins_);
  }
  if (index_.format.target_text) {
    bytes += bytes_of(target_begins_);
  }
  bytes += subwords_;
  bytes += source_text_;
  bytes += target_text_;
  bytes.resize(ChunkLayout(chunk, index_.format).size, '\0');
  chunk.crc32 = crc32(bytes);
  file_->write(bytes);
  offset_ += bytes.size();
  index_.chunks.push_back(chunk);
  for (auto* numbers : {&bounds_, &source_begins_, &target_begins_}) {
    numbers->assign(1, 0);
  }
  lines_.clear();
  for (auto* text : {&subwords_, &source_text_, &target_text_}) {
    text->clear();
  }
}

void CorpusWriter::finish(const std::string& made_from) {
  write_chunk();
  index_.made_from = made_from;
  file_->write(format_corpus_index(index_, offset_));
  static_cast<void>(file_->finish());
  move_into_place(partial_, path_);
  file_.reset();
}

}  // namespace translate::trainer
