#include "translate/data/encoded_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/kernels/parallel.h"

namespace translate {

namespace {

template <typename Id>
std::vector<std::int32_t> read_ids(const char* bytes, std::size_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    Id id = 0;
    std::memcpy(&id, bytes + i * sizeof(Id), sizeof(Id));
    ids[i] = static_cast<std::int32_t>(id);
  }
  return ids;
}

}  // namespace

EncodedCorpus::EncodedCorpus(const std::filesystem::path& path) : file_(path, MappedAccess::kReadOnly) {
  try {
    index_ = parse_corpus_index(file_.bytes());
    verify();
  } catch (const RuntimeError& error) {
    throw RuntimeError(fmt::format("{} is damaged: {}", path.string(), error.what()));
  }
}

void EncodedCorpus::verify() const {
  const std::size_t count = index_.chunks.size();
  parallel_chunks(static_cast<std::int64_t>(count), [&](std::int64_t chunk) {
    if (!chunk_is_whole(static_cast<std::size_t>(chunk))) {
      throw RuntimeError(fmt::format("the checksum of its part {} of {} is wrong", chunk + 1, count));
    }
  });
  const std::uint64_t pairs = count == 0 ? 0 : index_.chunks.back().first_pair + index_.chunks.back().pairs;
  if (pairs != index_.statistics.pairs) {
    throw RuntimeError(fmt::format("it holds {} pairs in place of {}", pairs, index_.statistics.pairs));
  }
}

bool EncodedCorpus::chunk_is_whole(std::size_t chunk) const {
  const CorpusChunk& whole = index_.chunks[chunk];
  const std::uint64_t size = ChunkLayout(whole, index_.format).size;
  return crc32(file_.bytes().substr(whole.offset, size)) == whole.crc32;
}

EncodedCorpus::Place EncodedCorpus::place_of(std::size_t pair) const {
  const auto behind =
      std::upper_bound(index_.chunks.begin(), index_.chunks.end(), pair,
                       [](std::size_t wanted, const CorpusChunk& chunk) { return wanted < chunk.first_pair; });
  const CorpusChunk& chunk = *(behind - 1);
  return {.chunk = chunk, .layout = ChunkLayout(chunk, index_.format), .row = pair - chunk.first_pair};
}

const std::uint32_t* EncodedCorpus::numbers(const Place& place, std::uint64_t part) const {
  // Chunks and these parts of them begin at multiples of 4, and the mapping at one of the page size.
  return reinterpret_cast<const std::uint32_t*>(file_.data() + place.chunk.offset + part);
}

const std::uint32_t* EncodedCorpus::piece_bounds(const Place& place, Side side) const {
  return numbers(place, place.layout.bounds) + 2 * place.row + (side == Side::kSource ? 0 : 1);
}

std::vector<std::int32_t> EncodedCorpus::pieces(Side side, std::size_t pair) const {
  const Place place = place_of(pair);
  const std::uint32_t* const bounds = piece_bounds(place, side);
  const char* const first = file_.data() + place.chunk.offset + place.layout.pieces;
  const std::size_t count = bounds[1] - bounds[0];
  return index_.format.wide_ids ? read_ids<std::uint32_t>(first + bounds[0] * sizeof(std::uint32_t), count)
                                : read_ids<std::uint16_t>(first + bounds[0] * sizeof(std::uint16_t), count);
}

std::int64_t EncodedCorpus::length(Side side, std::size_t pair) const {
  const std::uint32_t* const bounds = piece_bounds(place_of(pair), side);
  return bounds[1] - bounds[0];
}

std::string_view EncodedCorpus::text(Side side, std::size_t pair) const {
  const Place place = place_of(pair);
  const bool source = side == Side::kSource;
  const std::uint32_t* const begins =
      numbers(place, source ? place.layout.source_begins : place.layout.target_begins) + place.row;
  const char* const first =
      file_.data() + place.chunk.offset + (source ? place.layout.source_text : place.layout.target_text);
  return {first + begins[0], begins[1] - begins[0]};
}

PairOrigin EncodedCorpus::origin(std::size_t pair) const {
  const Place place = place_of(pair);
  return {.corpus = place.chunk.corpus, .line = numbers(place, place.layout.lines)[place.row]};
}

}  // namespace translate
