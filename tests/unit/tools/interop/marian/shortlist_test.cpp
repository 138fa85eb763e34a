#include "interop/marian/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/zip_of.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kSubwords = 60;

/// The shortlist of the golden model of Firefox: each of the subwords translates itself.
std::string golden_shortlist() {
  return read_file(project_folder() / "tests/golden/marian/firefox/lex.50.50.enfr.s2t.bin");
}

std::string shortlist_refusal(const std::string& file, std::int64_t source = kSubwords,
                              std::int64_t target = kSubwords) {
  return testing::error_of<CheckpointError>([&] { check_marian_shortlist(file, "lex.bin", source, target); });
}

TEST(MarianShortlist, OfTheModelsVocabulariesIsAccepted) {
  EXPECT_NO_THROW(check_marian_shortlist(golden_shortlist(), "lex.bin", kSubwords, kSubwords));
}

TEST(MarianShortlist, OfOtherVocabulariesIsRefused) {
  EXPECT_EQ(shortlist_refusal(golden_shortlist(), kSubwords + 1),
            "lex.bin: it is for a vocabulary of 60 source subwords, but the model's has 61");
  EXPECT_EQ(shortlist_refusal(golden_shortlist(), kSubwords, kSubwords - 1),
            "lex.bin: it names the target subword 59, but the model's vocabulary has 59");
}

TEST(MarianShortlist, EachTruncationIsRefused) {
  const auto whole = golden_shortlist();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(shortlist_refusal(whole.substr(0, size)), StartsWith("lex.bin: truncated")) << size;
  }
  EXPECT_THAT(shortlist_refusal(whole + "1234"),
              HasSubstr("truncated or damaged: 61 offsets and 60 subwords cannot be in"));
}

TEST(MarianShortlist, DamageIsRefused) {
  auto damaged = golden_shortlist();
  damaged[0] = 'x';
  EXPECT_EQ(shortlist_refusal(damaged), "lex.bin: truncated, or not a shortlist of Bergamot");
  damaged = golden_shortlist();
  damaged[48 + 8] ^= 1;  // an offset
  EXPECT_EQ(shortlist_refusal(damaged), "lex.bin: damaged: its checksum is wrong");
  damaged = golden_shortlist();
  damaged.replace(32, 8, little_endian(~std::uint64_t{0}));  // the number of offsets
  EXPECT_THAT(shortlist_refusal(damaged), HasSubstr("cannot be in its"));
}

}  // namespace
}  // namespace translate::tools
