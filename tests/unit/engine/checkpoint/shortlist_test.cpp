#include "checkpoint/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/zip_of.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr ListedVocabularies kVocabularies{.source = 60, .target = 60, .eos = 2, .are_one = false};

/// The shortlist of the golden model of Firefox: each of the subwords translates itself, and the first four are
/// frequent.
std::string golden_file() { return read_file(project_folder() / "tests/golden/marian/firefox/lex.50.50.enfr.s2t.bin"); }

std::string refusal(const std::string& file, const ListedVocabularies& vocabularies = kVocabularies) {
  return testing::error_of<CheckpointError>([&] { (void)Shortlist(file, "lex.bin", vocabularies); });
}

using Source = std::vector<std::int64_t>;

TEST(Shortlist, HasTheFrequentSubwordsAndThoseOfTheSource) {
  const Shortlist shortlist(golden_file(), "lex.bin", kVocabularies);
  EXPECT_THAT(shortlist.subwords_for(Source{40, 7, 40}), ElementsAre(0, 1, 2, 3, 7, 40));
  EXPECT_THAT(shortlist.subwords_for(Source{7}, Source{59, 1, 30}), ElementsAre(0, 1, 2, 3, 7, 30, 59));
}

TEST(Shortlist, OfWrittenListsIsTheSame) {
  const std::vector<std::vector<std::uint32_t>> lists = {{5, 70}, {}, {64, 3}, {127, 128}};
  const Shortlist shortlist(shortlist_file(lists, 2), "lex.bin", {.source = 4, .target = 129, .eos = 9});
  EXPECT_THAT(shortlist.subwords_for(Source{0, 2}), ElementsAre(3, 5, 9, 64, 70));
  EXPECT_THAT(shortlist.subwords_for(Source{1}), ElementsAre(9));
  EXPECT_THAT(shortlist.subwords_for(Source{3}), ElementsAre(9, 127, 128));
  EXPECT_THAT(shortlist.subwords_for(Source{4}), ElementsAre(9)) << "a padding has no list";
}

TEST(Shortlist, OfOneVocabularyHasTheSourceItself) {
  const std::vector<std::vector<std::uint32_t>> lists(8, std::vector<std::uint32_t>{5});
  const Shortlist shortlist(shortlist_file(lists, 1), "lex.bin", {.source = 8, .target = 8, .eos = 0, .are_one = true});
  EXPECT_THAT(shortlist.subwords_for(Source{3, 7}), ElementsAre(0, 3, 5, 7));
}

TEST(Shortlist, OfOtherVocabulariesIsRefused) {
  auto other = kVocabularies;
  other.source = 61;
  EXPECT_EQ(refusal(golden_file(), other),
            "lex.bin: it is for a vocabulary of 60 source subwords, but the model's has 61");
  other = kVocabularies;
  other.target = 59;
  EXPECT_EQ(refusal(golden_file(), other),
            "lex.bin: it names the target subword 59, but the model's vocabulary has 59");
  other.target = 3;
  EXPECT_EQ(refusal(golden_file(), other),
            "lex.bin: it allows the 4 most frequent target subwords, but the model's vocabulary has 3");
}

TEST(Shortlist, OfOtherSubwordsIsRefused) {
  auto vocabularies = kVocabularies;
  vocabularies.checksum = 7;
  const std::vector<std::vector<std::uint32_t>> lists(60, std::vector<std::uint32_t>{5});
  EXPECT_THAT(refusal(shortlist_file(lists, 1, 8), vocabularies), HasSubstr("but with other subwords"));
  (void)Shortlist(shortlist_file(lists, 1, 7), "lex.bin", vocabularies);
  (void)Shortlist(shortlist_file(lists, 1), "lex.bin", vocabularies);  // of another program
}

TEST(Shortlist, EachTruncationIsRefused) {
  const auto whole = golden_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(refusal(whole.substr(0, size)), StartsWith("lex.bin: truncated")) << size;
  }
  EXPECT_THAT(refusal(whole + "1234"), HasSubstr("truncated or damaged: 61 offsets and 60 subwords cannot be in"));
}

TEST(Shortlist, DamageIsRefused) {
  auto damaged = golden_file();
  damaged[0] = 'x';
  EXPECT_EQ(refusal(damaged), "lex.bin: truncated, or not a shortlist in the format of Bergamot and Firefox");
  damaged = golden_file();
  damaged[48 + 8] ^= 1;  // an offset
  EXPECT_EQ(refusal(damaged), "lex.bin: damaged: its checksum is wrong");
  damaged = golden_file();
  damaged.replace(32, 8, little_endian(~std::uint64_t{0}));  // the number of offsets
  EXPECT_THAT(refusal(damaged), HasSubstr("cannot be in its"));
}

}  // namespace
}  // namespace translate
