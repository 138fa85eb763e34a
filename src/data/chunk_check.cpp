#include "translate/data/chunk_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "translate/core/error.h"
#include "translate/core/file.h"

namespace translate {
namespace {

/// The numbers of a part of a chunk: chunks are read to addresses that are aligned for them, and their parts of such
/// numbers begin at multiples of 4.
template <typename Number>
std::span<const Number> numbers(std::string_view bytes, std::uint64_t part, std::uint64_t count) {
  return {reinterpret_cast<const Number*>(bytes.data() + part), count};
}

/// Whether the numbers are 0 first and `last` last, and none is less than the one before. (Every pair is looked at, so
/// that the loop has no way out and can be computed with vectors.)
bool rise(std::span<const std::uint32_t> begins, std::uint64_t last) {
  unsigned falls = 0;
  for (std::size_t i = 1; i < begins.size(); ++i) falls |= static_cast<unsigned>(begins[i] < begins[i - 1]);
  return falls == 0 && begins.front() == 0 && begins.back() == last;
}

template <typename Id>
std::uint32_t largest(std::span<const Id> ids) {
  Id most = 0;
  for (const Id id : ids) most = std::max(most, id);
  return most;
}

template <typename Id>
void check_ids(std::span<const Id> ids, std::span<const std::uint32_t> bounds, const CorpusLimits& limits) {
  // Nearly always this one look is enough.
  if (largest(ids) < std::min(limits.source_vocabulary, limits.target_vocabulary)) return;
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
    totals.source_pieces += source;
    totals.target_pieces += target;
    totals.longest_source = std::max(totals.longest_source, source);
    totals.longest_target = std::max(totals.longest_target, target);
  }
  return totals;
}

}  // namespace

ChunkTotals check_chunk(std::string_view bytes, const CorpusChunk& chunk, const CorpusLimits& limits) {
  const ChunkLayout layout(chunk, limits.format);
  if (crc32(bytes) != chunk.crc32) throw RuntimeError("its checksum is wrong");
  if (chunk.corpus >= limits.corpora) {
    throw RuntimeError(fmt::format("it is from corpus {} of {}", chunk.corpus + 1, limits.corpora));
  }
  const auto bounds = numbers<std::uint32_t>(bytes, layout.bounds, 2 * chunk.pairs + 1);
  if (!rise(bounds, chunk.pieces)) throw RuntimeError("the bounds of its sentences do not rise to its end");
  const auto check_texts = [&](bool kept, std::uint64_t begins, std::uint64_t size, const char* side) {
    if (kept && !rise(numbers<std::uint32_t>(bytes, begins, chunk.pairs + 1), size)) {
      throw RuntimeError(fmt::format("the bounds of its {} texts do not rise to their end", side));
    }
  };
  check_texts(limits.format.source_text, layout.source_begins, chunk.source_text_bytes, "source");
  check_texts(limits.format.target_text, layout.target_begins, chunk.target_text_bytes, "target");
  if (limits.format.wide_ids) {
    check_ids(numbers<std::uint32_t>(bytes, layout.pieces, chunk.pieces), bounds, limits);
  } else {
    check_ids(numbers<std::uint16_t>(bytes, layout.pieces, chunk.pieces), bounds, limits);
  }
  return totals_of(bounds);
}

void check_totals(std::span<const ChunkTotals> chunks, const CorpusStatistics& statistics) {
  ChunkTotals sum;
  for (const ChunkTotals& chunk : chunks) {
    sum.source_pieces += chunk.source_pieces;
    sum.target_pieces += chunk.target_pieces;
    sum.longest_source = std::max(sum.longest_source, chunk.longest_source);
    sum.longest_target = std::max(sum.longest_target, chunk.longest_target);
  }
  if (sum.source_pieces != statistics.source_pieces || sum.target_pieces != statistics.target_pieces ||
      sum.longest_source != statistics.longest_source || sum.longest_target != statistics.longest_target) {
    throw RuntimeError("the lengths of its sentences are not those that its index tells");
  }
}

}  // namespace translate
