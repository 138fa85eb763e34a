#include "data/encoded/corpus_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"
#include "core/file.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

CorpusIndex sample_index(const CorpusFormat& format) {
  CorpusIndex index;
  index.format = format;
  index.made_from = "{\"text\":\"é\"}";
  index.statistics = {.pairs = 8,
                      .source_subwords = 30,
                      .target_subwords = 32,
                      .longest_source = 9,
                      .longest_target = 11,
                      .blank = {.count = 2, .first = {0, 3}},
                      .too_long = {.count = 1, .first = {1, 4}},
                      .uneven = {},
                      .empty = {.count = 5, .first = {1, 7}}};
  index.source_words = format.wide_ids ? "some words" : "";
  std::uint64_t offset = kCorpusFileBegin.size();
  for (const std::uint64_t pairs : {5U, 3U}) {
    index.chunks.push_back({.offset = offset,
                            .crc32 = 77,
                            .corpus = 1,
                            .first_pair = pairs == 5 ? 0U : 5U,
                            .pairs = pairs,
                            .subwords = 31,
                            .source_text_bytes = format.source_text ? 13U : 0U,
                            .target_text_bytes = format.target_text ? 14U : 0U});
    offset += ChunkLayout(index.chunks.back(), format).size;
  }
  return index;
}

/// A whole file whose chunks are zeroes.
std::string file_of(const CorpusIndex& index) {
  const CorpusChunk& last = index.chunks.back();
  std::string bytes(last.offset + ChunkLayout(last, index.format).size, '\0');
  bytes.replace(0, kCorpusFileBegin.size(), kCorpusFileBegin);
  return bytes + format_corpus_index(index, bytes.size());
}

/// The file with a part of its index replaced, and sizes and checksum that fit.
std::string with_index_text(const std::string& file, const std::string& from, const std::string& to) {
  constexpr std::size_t kTrailer = 32;
  std::uint64_t offset = 0;
  std::memcpy(&offset, file.data() + file.size() - kTrailer, sizeof(offset));
  std::string json = file.substr(offset, file.size() - kTrailer - offset);
  const auto place = json.find(from);
  EXPECT_NE(place, std::string::npos) << json;
  json.replace(place, from.size(), to);
  const std::uint64_t size = json.size();
  const std::uint64_t sum = crc32(json);
  std::string changed = file.substr(0, offset) + json + file.substr(file.size() - kTrailer);
  std::memcpy(changed.data() + changed.size() - kTrailer + 8, &size, sizeof(size));
  std::memcpy(changed.data() + changed.size() - kTrailer + 16, &sum, sizeof(sum));
  return changed;
}

CorpusIndex index_of(std::string_view file) {
  return read_corpus_index(file.size(), [&](std::uint64_t offset, std::span<char> to) {
    ASSERT_LE(offset + to.size(), file.size());
    file.copy(to.data(), to.size(), offset);
  });
}

std::string error_of(std::string_view file) {
  try {
    (void)index_of(file);
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "no error";
}

class CorpusFile : public ::testing::TestWithParam<CorpusFormat> {};

TEST_P(CorpusFile, GivesBackItsIndex) {
  const CorpusIndex index = sample_index(GetParam());
  EXPECT_EQ(index_of(file_of(index)), index);
}

TEST_P(CorpusFile, LaysOutPartsWithoutOverlapAndAligned) {
  const CorpusFormat format = GetParam();
  const CorpusChunk chunk{.offset = 0,
                          .crc32 = 0,
                          .corpus = 0,
                          .first_pair = 0,
                          .pairs = 3,
                          .subwords = 7,
                          .source_text_bytes = format.source_text ? 5U : 0U,
                          .target_text_bytes = format.target_text ? 6U : 0U};
  const ChunkLayout layout(chunk, format);
  EXPECT_EQ(layout.bounds, 0U);
  EXPECT_EQ(layout.lines, 7 * 4U);
  EXPECT_EQ(layout.source_begins, layout.lines + 3 * 4U);
  EXPECT_EQ(layout.target_begins, layout.source_begins + (format.source_text ? 4 * 4U : 0U));
  EXPECT_EQ(layout.subwords, layout.target_begins + (format.target_text ? 4 * 4U : 0U));
  EXPECT_EQ(layout.source_text, layout.subwords + 7 * (format.wide_ids ? 4U : 2U));
  EXPECT_EQ(layout.target_text, layout.source_text + chunk.source_text_bytes);
  EXPECT_GE(layout.size, layout.target_text + chunk.target_text_bytes);
  EXPECT_LT(layout.size, layout.target_text + chunk.target_text_bytes + 8);
  EXPECT_EQ(layout.size % 8, 0U);
}

TEST_P(CorpusFile, NoticesACutAnywhere) {
  const std::string file = file_of(sample_index(GetParam()));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(error_of(std::string_view(file).substr(0, size)), "no error") << size;
  }
}

TEST_P(CorpusFile, NoticesAChangeOfItsIndex) {
  const std::string file = file_of(sample_index(GetParam()));
  const CorpusChunk last = sample_index(GetParam()).chunks.back();
  for (std::size_t place = last.offset + ChunkLayout(last, GetParam()).size; place < file.size(); ++place) {
    std::string changed = file;
    changed[place] = static_cast<char>(changed[place] ^ 4);
    EXPECT_NE(error_of(changed), "no error") << place;
  }
}

INSTANTIATE_TEST_SUITE_P(, CorpusFile,
                         ::testing::Values(CorpusFormat{}, CorpusFormat{.wide_ids = true},
                                           CorpusFormat{.source_text = true},
                                           CorpusFormat{.wide_ids = true, .source_text = true, .target_text = true}));

TEST(CorpusFileErrors, CountsThatTheFileCannotHoldAreRefused) {
  const CorpusIndex right = sample_index({.wide_ids = false, .source_text = true, .target_text = true});
  std::uint64_t CorpusChunk::*const counts[] = {&CorpusChunk::pairs, &CorpusChunk::subwords,
                                                &CorpusChunk::source_text_bytes, &CorpusChunk::target_text_bytes};
  for (const auto count : counts) {
    for (const std::uint64_t value : {std::uint64_t{500}, std::uint64_t{1} << 32U, std::uint64_t{1} << 62U,
                                      (std::uint64_t{1} << 62U) + right.chunks[0].*count, ~std::uint64_t{0}}) {
      const std::string bytes = file_of(right);
      CorpusIndex wrong = right;
      wrong.chunks[0].*count = value;
      const std::uint64_t end = right.chunks.back().offset + ChunkLayout(right.chunks.back(), right.format).size;
      EXPECT_THAT(error_of(bytes.substr(0, end) + format_corpus_index(wrong, end)), HasSubstr("reaches beyond byte"))
          << value;
    }
  }
  CorpusIndex wrong = right;
  wrong.statistics.pairs = std::uint64_t{1} << 32U;
  EXPECT_THAT(error_of(file_of(wrong)), HasSubstr("it holds 8 pairs in place of 4294967296"));
}

TEST(CorpusFileErrors, SayWhatIsWrong) {
  const std::string file = file_of(sample_index({}));
  EXPECT_THAT(error_of("PAIRS999" + file.substr(8)), HasSubstr("another version"));
  EXPECT_THAT(error_of(""), HasSubstr("no file of encoded pairs"));
  EXPECT_THAT(error_of(std::string_view(file).substr(0, file.size() - 1)), HasSubstr("its end is missing"));
  std::string damaged = file;
  damaged[file.size() - 40] = static_cast<char>(damaged[file.size() - 40] ^ 1);
  EXPECT_THAT(error_of(damaged), HasSubstr("index is damaged"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    return error_of(with_index_text(file, from, to));
  };
  EXPECT_EQ(changed(R"("pairs":8)", R"("pairs":1e999)"),
            "its index is not as expected: line 1, column 112: the number 1e999 is too large");
  EXPECT_EQ(changed(R"("pairs":8)", R"("pairs":-8)"),
            "its index is not as expected: statistics.pairs: expected an integer from 0 to 18446744073709551615, got "
            "-8");
  EXPECT_EQ(changed(R"("pairs":8)", R"("pear":8)"), "its index is not as expected: statistics.pairs: missing");
  EXPECT_EQ(changed("[77,1,5,", "[77,1.5,5,"),
            "its index is not as expected: chunks[0][1]: expected an integer from 0 to 4294967295, got 1.5");
  EXPECT_EQ(changed(R"("chunks":[[77)", R"("chunks":[7,[77)"),
            "its index is not as expected: chunks[0]: expected a list, got 7");
  const std::string longer = file.substr(0, 8) + std::string(8, '\0') + file.substr(8);
  EXPECT_NE(error_of(longer), "no error");
}

}  // namespace
}  // namespace translate::trainer
