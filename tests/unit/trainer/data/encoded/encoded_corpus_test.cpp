#include "data/encoded/encoded_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/error.h"
#include "core/file.h"
#include "data/encoded/corpus_file.h"
#include "support/temporary_folder.h"
#include "support/thread_count.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

struct Pair {
  PairOrigin origin;
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
  std::string source_text;
  std::string target_text;
};

/// Pairs of several corpora; some sides are empty, some long.
std::vector<Pair> random_pairs(std::size_t count, std::int32_t ids) {
  std::mt19937_64 random(5);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto subwords = [&] {
    std::vector<std::int32_t> drawn(below(20) == 0 ? 300 : below(9));
    for (auto& subword : drawn) {
      subword = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(ids)));
    }
    return drawn;
  };
  std::vector<Pair> pairs;
  std::uint32_t corpus = 0;
  std::uint32_t line = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (below(1000) == 0) {
      ++corpus, line = 0;
    }
    line += static_cast<std::uint32_t>(1 + below(3));
    pairs.push_back({.origin = {corpus, line},
                     .source = subwords(),
                     .target = subwords(),
                     .source_text = std::string(below(12), static_cast<char>('a' + below(26))),
                     .target_text = std::string(below(12), static_cast<char>('a' + below(26)))});
  }
  return pairs;
}

class EncodedCorpusFile : public TemporaryFolderTest {
 protected:
  void write(const std::vector<Pair>& pairs, const CorpusFormat& format) const {
    CorpusWriter writer(path_, format);
    for (const Pair& pair : pairs) {
      writer.append({.origin = pair.origin,
                     .source = pair.source,
                     .target = pair.target,
                     .source_text = pair.source_text,
                     .target_text = pair.target_text});
    }
    writer.statistics().uneven.add({3, 4});
    writer.finish("these pairs");
  }

  /// Those that random_pairs keeps.
  static CorpusLimits limits(const CorpusFormat& format, std::int64_t ids = 2'000'000'000) {
    return {.source_vocabulary = ids, .target_vocabulary = ids, .corpora = 1000, .format = format};
  }

  /// The text of the error where the file does not open.
  std::string refusal(const CorpusLimits& limits) const {
    try {
      const EncodedCorpus corpus(path_, limits);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path path_ = folder_ / "x.pairs";
};

class EncodedCorpusFormats : public EncodedCorpusFile, public ::testing::WithParamInterface<CorpusFormat> {};

TEST_P(EncodedCorpusFormats, GivesBackWhatWasWritten) {
  const CorpusFormat format = GetParam();
  const auto pairs = random_pairs(70'000, format.wide_ids ? 2'000'000'000 : 65'536);  // more than one chunk
  write(pairs, format);
  const EncodedCorpus corpus(path_, limits(format));
  ASSERT_EQ(corpus.size(), pairs.size());
  EXPECT_EQ(corpus.has_text(Side::kSource), format.source_text);
  EXPECT_EQ(corpus.has_text(Side::kTarget), format.target_text);
  EXPECT_EQ(corpus.made_from(), "these pairs");
  CorpusStatistics expected;
  expected.pairs = pairs.size();
  expected.uneven.add({3, 4});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    ASSERT_EQ(corpus.subwords(Side::kSource, i), pair.source) << i;
    ASSERT_EQ(corpus.subwords(Side::kTarget, i), pair.target) << i;
    ASSERT_EQ(corpus.origin(i), pair.origin);
    ASSERT_EQ(format.source_text ? corpus.text(Side::kSource, i) : pair.source_text, pair.source_text);
    ASSERT_EQ(format.target_text ? corpus.text(Side::kTarget, i) : pair.target_text, pair.target_text);
    expected.source_subwords += std::ssize(pair.source);
    expected.target_subwords += std::ssize(pair.target);
    expected.longest_source = std::max<std::int64_t>(expected.longest_source, std::ssize(pair.source));
    expected.longest_target = std::max<std::int64_t>(expected.longest_target, std::ssize(pair.target));
  }
  EXPECT_EQ(corpus.statistics(), expected);
  EXPECT_EQ(corpus_made_from(path_), "these pairs");
  for (const std::size_t stride : {1U, 3U, 65'536U, 100'000U}) {
    std::size_t next = 0;
    corpus.visit_lengths(stride, [&](std::size_t pair, std::int64_t source, std::int64_t target) {
      ASSERT_EQ(pair, next);
      ASSERT_EQ(source, std::ssize(pairs[pair].source));
      ASSERT_EQ(target, std::ssize(pairs[pair].target));
      next += stride;
    });
    EXPECT_EQ(next, (pairs.size() + stride - 1) / stride * stride);
  }
}

INSTANTIATE_TEST_SUITE_P(, EncodedCorpusFormats,
                         ::testing::Values(CorpusFormat{}, CorpusFormat{.wide_ids = true},
                                           CorpusFormat{.target_text = true},
                                           CorpusFormat{.wide_ids = true, .source_text = true, .target_text = true}));

TEST_F(EncodedCorpusFile, MayHoldNoPair) {
  write({}, {});
  EXPECT_EQ(EncodedCorpus(path_, limits({})).size(), 0U);
}

TEST_F(EncodedCorpusFile, NoticesAChangeOfAnyByteOfItsPairs) {
  const CorpusFormat format{.wide_ids = false, .source_text = true, .target_text = true};
  write(random_pairs(30, 100), format);
  const std::string whole = read_file(path_);
  const std::size_t index = whole.find("{\"wide_ids\"");
  ASSERT_NE(index, std::string::npos);
  for (std::size_t place = kCorpusFileBegin.size(); place < index; place += 7) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 16);
    write_file_synced(path_, changed);
    EXPECT_THAT(refusal(limits(format)), HasSubstr("checksum is wrong")) << place;
  }
}

TEST_F(EncodedCorpusFile, NamesTheFileAndTheDamagedPart) {
  write(random_pairs(140'000, 100), {});
  std::string bytes = read_file(path_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file_synced(path_, bytes);
  for (const int count : {1, 3}) {
    const testing::ThreadCount threads(count);
    EXPECT_THAT(refusal(limits({})), ::testing::AllOf(HasSubstr("x.pairs is damaged: part "), HasSubstr("checksum")));
  }
  EXPECT_THROW(EncodedCorpus(folder_ / "none", limits({})), RuntimeError);
}

TEST_F(EncodedCorpusFile, OutlivesItsNameAndItsReplacement) {
  const auto pairs = random_pairs(100, 100);
  write(pairs, {});
  const EncodedCorpus corpus(path_, limits({}));
  write(random_pairs(3, 5), {});
  EXPECT_EQ(corpus.subwords(Side::kTarget, 99), pairs[99].target);
}

TEST_F(EncodedCorpusFile, IdsBeyondAVocabularyAreRefusedOnTheirSideAlone) {
  const std::vector<std::int32_t> small = {0, 1, 9};
  const std::vector<std::int32_t> large = {3, 99};
  for (const CorpusFormat format : {CorpusFormat{}, CorpusFormat{.wide_ids = true}}) {
    Pair pair{.origin = {0, 1}, .source = small, .target = large, .source_text = {}, .target_text = {}};
    write({pair, pair}, format);
    CorpusLimits limits{.source_vocabulary = 10, .target_vocabulary = 100, .corpora = 5, .format = format};
    EXPECT_EQ(refusal(limits), "no error");
    limits.target_vocabulary = 99;
    EXPECT_THAT(refusal(limits), HasSubstr("part 1 of 1: the target of its pair 1 holds the id 99, and the vocabulary "
                                           "has 99 entries"));
    limits = {.source_vocabulary = 9, .target_vocabulary = 100, .corpora = 5, .format = format};
    EXPECT_THAT(refusal(limits), HasSubstr("the source of its pair 1 holds the id 9"));
  }
}

TEST_F(EncodedCorpusFile, AnotherFormatAndUnknownCorporaAreRefused) {
  auto pairs = random_pairs(30, 100);
  write(pairs, {});
  EXPECT_THAT(refusal(limits({.wide_ids = true})), HasSubstr("in another way"));
  CorpusLimits one = limits({});
  one.corpora = 3;
  EXPECT_THAT(refusal(one), HasSubstr("it names a corpus 4 of 3"));  // that of the pairs left out
  for (auto& pair : pairs) {
    pair.origin.corpus = 7;
  }
  write(pairs, {});
  one.corpora = 5;
  EXPECT_THAT(refusal(one), HasSubstr("it is from corpus 8 of 5"));
}

TEST_F(EncodedCorpusFile, AFileThatIsCutWhileItIsReadIsAnErrorNotASignal) {
  write(random_pairs(1000, 100), {.wide_ids = false, .source_text = true, .target_text = true});
  const EncodedCorpus corpus(path_, limits({.wide_ids = false, .source_text = true, .target_text = true}));
  std::filesystem::resize_file(path_, 100);
  const auto expect_error = [&](const std::function<void()>& read) {
    try {
      read();
      ADD_FAILURE() << "no error";
    } catch (const RuntimeError& error) {
      EXPECT_THAT(error.what(), HasSubstr("x.pairs: was changed while this program read it"));
    }
  };
  expect_error([&] { (void)corpus.subwords(Side::kSource, 999); });
  expect_error([&] { (void)corpus.text(Side::kTarget, 999); });
  expect_error([&] { (void)corpus.origin(999); });
  expect_error([&] { corpus.visit_lengths(1, [](std::size_t, std::int64_t, std::int64_t) {}); });
}

TEST_F(EncodedCorpusFile, BytesWrittenOverItAreNoticed) {
  const auto pairs = random_pairs(1000, 100);
  write(pairs, {});
  const EncodedCorpus corpus(path_, limits({}));
  EXPECT_EQ(corpus.subwords(Side::kSource, 5), pairs[5].source);
  write_file_synced(path_, std::string(std::filesystem::file_size(path_), '\xFF'));  // bounds that are no bounds
  EXPECT_THROW((void)corpus.unchecked_subwords(5), RuntimeError);
  EXPECT_THROW((void)corpus.subwords(Side::kSource, 5), RuntimeError);
}

}  // namespace
}  // namespace translate::trainer
