#include "data/encoded/encoded_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/threads.h"

namespace translate::trainer {

namespace {

/// The numbers of a section of a chunk. Chunks are read to aligned addresses, and sections of such numbers begin at
/// multiples of 4.
template <typename Number>
std::span<const Number> numbers(std::string_view bytes, std::uint64_t part, std::uint64_t count) {
  return {reinterpret_cast<const Number*>(bytes.data() + part), count};
}

/// True if the numbers begin with 0, end with `last`, and never decrease. (The loop visits every pair and has no early
/// exit, so that it can be vectorised.)
bool rise(std::span<const std::uint32_t> begins, std::uint64_t last) {
  unsigned falls = 0;
  for (std::size_t i = 1; i < begins.size(); ++i) {
    falls |= static_cast<unsigned>(begins[i] < begins[i - 1]);
  }
  return falls == 0 && begins.front() == 0 && begins.back() == last;
}

template <typename Id>
std::uint32_t largest(std::span<const Id> ids) {
  Id most = 0;
  for (const Id id : ids) {
    most = std::max(most, id);
  }
  return most;
}

template <typename Id>
void check_ids(std::span<const Id> ids, std::span<const std::uint32_t> bounds, const CorpusLimits& limits) {
  // This one check is nearly always enough.
  if (largest(ids) < std::min(limits.source_vocabulary, limits.target_vocabulary)) {
    return;
  }
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const bool source = i % 2 == 0;
    const std::int64_t size = source ? limits.source_vocabulary : limits.target_vocabulary;
    const auto sentence = ids.subspan(bounds[i], bounds[i + 1] - bounds[i]);
    if (!sentence.empty() && largest(sentence) >= size) {
      throw RuntimeError(fmt::format("the {} of its pair {} holds the id {}, and the vocabulary has {} entries",
                                     source ? "source" : "target", i / 2 + 1, largest(sentence), size));
    }
  }
}

ChunkTotals totals_of(std::span<const std::uint32_t> bounds) {
  ChunkTotals totals;
  for (std::size_t i = 0; i + 2 < bounds.size(); i += 2) {
    const std::int64_t source = bounds[i + 1] - bounds[i];
    const std::int64_t target = bounds[i + 2] - bounds[i + 1];
    totals.source_subwords += source;
    totals.target_subwords += target;
    totals.longest_source = std::max(totals.longest_source, source);
    totals.longest_target = std::max(totals.longest_target, target);
  }
  return totals;
}

}  // namespace

ChunkTotals check_chunk(std::string_view bytes, const CorpusChunk& chunk, const CorpusLimits& limits) {
  const ChunkLayout layout(chunk, limits.format);
  if (crc32(bytes) != chunk.crc32) {
    throw RuntimeError("its checksum is wrong");
  }
  if (chunk.corpus >= limits.corpora) {
    throw RuntimeError(fmt::format("it is from corpus {} of {}", chunk.corpus + 1, limits.corpora));
  }
  const auto bounds = numbers<std::uint32_t>(bytes, layout.bounds, 2 * chunk.pairs + 1);
  if (!rise(bounds, chunk.subwords)) {
    throw RuntimeError("the bounds of its sentences do not rise to its end");
  }
  const auto check_texts = [&](bool kept, std::uint64_t begins, std::uint64_t size, const char* side) {
    if (kept && !rise(numbers<std::uint32_t>(bytes, begins, chunk.pairs + 1), size)) {
      throw RuntimeError(fmt::format("the bounds of its {} texts do not rise to their end", side));
    }
  };
  check_texts(limits.format.source_text, layout.source_begins, chunk.source_text_bytes, "source");
  check_texts(limits.format.target_text, layout.target_begins, chunk.target_text_bytes, "target");
  if (limits.format.wide_ids) {
    check_ids(numbers<std::uint32_t>(bytes, layout.subwords, chunk.subwords), bounds, limits);
  } else {
    check_ids(numbers<std::uint16_t>(bytes, layout.subwords, chunk.subwords), bounds, limits);
  }
  return totals_of(bounds);
}

void check_totals(std::span<const ChunkTotals> chunks, const CorpusStatistics& statistics) {
  ChunkTotals sum;
  for (const ChunkTotals& chunk : chunks) {
    sum.source_subwords += chunk.source_subwords;
    sum.target_subwords += chunk.target_subwords;
    sum.longest_source = std::max(sum.longest_source, chunk.longest_source);
    sum.longest_target = std::max(sum.longest_target, chunk.longest_target);
  }
  if (sum.source_subwords != statistics.source_subwords || sum.target_subwords != statistics.target_subwords ||
      sum.longest_source != statistics.longest_source || sum.longest_target != statistics.longest_target) {
    throw RuntimeError("the lengths of its sentences are not those that its index tells");
  }
}

namespace {

template <typename Id>
std::vector<std::int32_t> ids_of(const char* bytes, std::size_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    Id id = 0;
    std::memcpy(&id, bytes + i * sizeof(Id), sizeof(Id));
    ids[i] = static_cast<std::int32_t>(id);
  }
  return ids;
}

std::vector<std::int32_t> ids_of(const CorpusFormat& format, const char* bytes, std::size_t count) {
  return format.wide_ids ? ids_of<std::uint32_t>(bytes, count) : ids_of<std::uint16_t>(bytes, count);
}

/// Reads the end of the file, which holds the index and then the trailer.
CorpusIndex read_index(const StableFile& file) {
  return read_corpus_index(file.size(), [&](std::uint64_t offset, std::span<char> to) { file.read(offset, to); });
}

[[noreturn]] void fail_damaged(const std::filesystem::path& path, const std::string& what) {
  throw RuntimeError(fmt::format("{} is damaged: {}", path.string(), what));
}

}  // namespace

std::string corpus_made_from(const std::filesystem::path& path) {
  const StableFile file(path);
  try {
    return read_index(file).made_from;
  } catch (const RuntimeError& error) {
    fail_damaged(path, error.what());
  }
}

EncodedCorpus::EncodedCorpus(const std::filesystem::path& path, const CorpusLimits& limits)
    : file_(path), limits_(limits) {
  try {
    index_ = read_index(file_);
    check_index();
    verify();
  } catch (const RuntimeError& error) {
    fail_damaged(path, error.what());
  }
}

void EncodedCorpus::check_index() const {
  if (index_.format != limits_.format) {
    throw RuntimeError("it keeps its pairs in another way than its index says");
  }
  const CorpusStatistics& found = index_.statistics;
  for (const LeftOut* left_out : {&found.blank, &found.too_long, &found.uneven, &found.empty}) {
    if (left_out->count > 0 && left_out->first.corpus >= limits_.corpora) {
      throw RuntimeError(fmt::format("it names a corpus {} of {}", left_out->first.corpus + 1, limits_.corpora));
    }
  }
}

void EncodedCorpus::verify() const {
  const std::size_t count = index_.chunks.size();
  std::vector<ChunkTotals> totals(count);
  parallel_chunks(static_cast<std::int64_t>(count), [&](std::int64_t number) {
    const auto place = static_cast<std::size_t>(number);
    const CorpusChunk& chunk = index_.chunks[place];
    const std::uint64_t size = ChunkLayout(chunk, index_.format).size;
    const std::unique_ptr<char[]> bytes(new char[size]);
    file_.read_unchecked(chunk.offset, {bytes.get(), size});
    try {
      totals[place] = check_chunk({bytes.get(), size}, chunk, limits_);
    } catch (const RuntimeError& error) {
      throw RuntimeError(fmt::format("part {} of {}: {}", number + 1, count, error.what()));
    }
  });
  file_.check_unchanged();
  check_totals(totals, index_.statistics);
}

void EncodedCorpus::check_unchanged() const { file_.check_unchanged(); }

EncodedCorpus::Place EncodedCorpus::place_of(std::size_t pair) const {
  const auto behind =
      std::upper_bound(index_.chunks.begin(), index_.chunks.end(), pair,
                       [](std::size_t wanted, const CorpusChunk& chunk) { return wanted < chunk.first_pair; });
  const CorpusChunk& chunk = *(behind - 1);
  return {.chunk = chunk, .layout = ChunkLayout(chunk, index_.format), .row = pair - chunk.first_pair};
}

std::vector<std::uint32_t> EncodedCorpus::numbers(const CorpusChunk& chunk, std::uint64_t part, std::uint64_t first,
                                                  std::uint64_t count) const {
  std::vector<std::uint32_t> found(count);
  file_.read_unchecked(chunk.offset + part + first * sizeof(std::uint32_t),
                       {reinterpret_cast<char*>(found.data()), count * sizeof(std::uint32_t)});
  return found;
}

PairSubwords EncodedCorpus::unchecked_subwords(std::size_t pair) const {
  const Place place = place_of(pair);
  std::uint32_t bounds[3] = {};  // offsets of source, target and the next pair
  file_.read_unchecked(place.chunk.offset + place.layout.bounds + 2 * place.row * sizeof(std::uint32_t),
                       {reinterpret_cast<char*>(bounds), sizeof(bounds)});
  if (!std::ranges::is_sorted(bounds) || bounds[2] > place.chunk.subwords) {
    check_unchanged();  // bounds rose when the file was opened
    fail_damaged(file_.path(), fmt::format("pair {} has wrong bounds", pair + 1));
  }
  const std::size_t width = index_.format.wide_ids ? sizeof(std::uint32_t) : sizeof(std::uint16_t);
  std::string bytes((bounds[2] - bounds[0]) * width, '\0');
  file_.read_unchecked(place.chunk.offset + place.layout.subwords + bounds[0] * width, bytes);
  const std::size_t sources = bounds[1] - bounds[0];
  return {.source = ids_of(index_.format, bytes.data(), sources),
          .target = ids_of(index_.format, bytes.data() + sources * width, bounds[2] - bounds[1])};
}

std::vector<std::int32_t> EncodedCorpus::subwords(Side side, std::size_t pair) const {
  PairSubwords both = unchecked_subwords(pair);
  check_unchanged();
  return side == Side::kSource ? std::move(both.source) : std::move(both.target);
}

void EncodedCorpus::visit_lengths(std::size_t stride,
                                  const std::function<void(std::size_t, std::int64_t, std::int64_t)>& take) const {
  for (const CorpusChunk& chunk : index_.chunks) {
    const auto bounds = numbers(chunk, ChunkLayout(chunk, index_.format).bounds, 0, 2 * chunk.pairs + 1);
    check_unchanged();
    for (std::uint64_t row = (stride - chunk.first_pair % stride) % stride; row < chunk.pairs; row += stride) {
      const std::uint32_t* const begin = &bounds[2 * row];
      take(chunk.first_pair + row, begin[1] - begin[0], begin[2] - begin[1]);
    }
  }
}

std::vector<std::uint64_t> EncodedCorpus::pairs_of_files() const {
  std::vector<std::uint64_t> pairs(limits_.corpora, 0);
  for (const CorpusChunk& chunk : index_.chunks) {
    pairs[chunk.corpus] += chunk.pairs;
  }
  return pairs;
}

std::string EncodedCorpus::text(Side side, std::size_t pair) const {
  const Place place = place_of(pair);
  const bool source = side == Side::kSource;
  const auto begins =
      numbers(place.chunk, source ? place.layout.source_begins : place.layout.target_begins, place.row, 2);
  check_unchanged();
  std::string text(begins[1] - begins[0], '\0');
  file_.read(place.chunk.offset + (source ? place.layout.source_text : place.layout.target_text) + begins[0], text);
  return text;
}

PairOrigin EncodedCorpus::origin(std::size_t pair) const {
  const Place place = place_of(pair);
  const auto line = numbers(place.chunk, place.layout.lines, place.row, 1);
  check_unchanged();
  return {.corpus = place.chunk.corpus, .line = line[0]};
}

}  // namespace translate::trainer
