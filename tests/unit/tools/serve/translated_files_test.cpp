#include "serve/translated_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace translate::tools {
namespace {

using std::chrono::seconds;
using ::testing::MatchesRegex;

constexpr std::size_t kRoom = 10'000;

class TranslatedFilesTest : public ::testing::Test {
 protected:
  int status_of(const std::string& key, TranslatedFiles::Clock::time_point now) {
    try {
      (void)files_.find(key, now);
      return 200;
    } catch (const RequestError& error) {
      return error.status();
    }
  }

  TranslatedFiles files_{kRoom};
  TranslatedFiles::Clock::time_point start_;
};

TEST_F(TranslatedFilesTest, AreKeptUnderKeysThatNobodyGuesses) {
  std::set<std::string> keys;
  for (int i = 0; i < 5; ++i) {
    const auto key = files_.keep("a.txt", "content", start_);
    EXPECT_THAT(key, MatchesRegex("[0-9a-f]{32}"));
    keys.insert(key);
    const auto file = files_.find(key, start_);
    EXPECT_EQ(file.name, "a.txt");
    EXPECT_EQ(file.bytes->bytes, "content");
  }
  EXPECT_EQ(keys.size(), 5U);
  for (const auto* key : {"", "a.txt", "00000000000000000000000000000000"}) {
    EXPECT_EQ(status_of(key, start_), 404) << key;
  }
}

TEST_F(TranslatedFilesTest, AreForgottenAfterTheirTime) {
  const auto key = files_.keep("a", "b", start_);
  const auto end = start_ + TranslatedFiles::kLifetime;
  EXPECT_EQ(status_of(key, end - seconds(1)), 200);
  EXPECT_EQ(status_of(key, end), 404) << "also before expire() is called";
  EXPECT_GT(files_.bytes(), 0U);
  files_.expire(end - seconds(1));
  EXPECT_EQ(status_of(key, end - seconds(1)), 200);
  files_.expire(end);
  EXPECT_EQ(files_.bytes(), 0U);
}

TEST_F(TranslatedFilesTest, TheirMemoryIsBoundedAndNoneMakesRoomForAnother) {
  const auto first = files_.keep("a", std::string(kRoom / 2, 'x'), start_);
  try {
    (void)files_.keep("b", std::string(kRoom / 2, 'y'), start_ + seconds(60));
    ADD_FAILURE() << "there is no room";
  } catch (const RoomRefusal& refusal) {
    EXPECT_EQ(refusal.after(), TranslatedFiles::kLifetime - seconds(60));
  }
  EXPECT_THROW(files_.check_room(kRoom / 2, start_), RoomRefusal);
  EXPECT_EQ(status_of(first, start_ + seconds(60)), 200);
  EXPECT_LE(files_.bytes(), kRoom);
  EXPECT_NO_THROW((void)files_.keep("b", std::string(kRoom / 2, 'y'), start_ + TranslatedFiles::kLifetime));
  EXPECT_LE(files_.bytes(), kRoom);
}

TEST_F(TranslatedFilesTest, AFileLargerThanAllRoomIsRefused) {
  EXPECT_THROW((void)files_.keep("a", std::string(kRoom, 'x'), start_), RoomRefusal);
}

TEST_F(TranslatedFilesTest, TheirNumberIsBounded) {
  TranslatedFiles many(std::size_t{1} << 40U);
  for (std::size_t i = 0; i < TranslatedFiles::kMost; ++i) {
    (void)many.keep("a", "", start_);
  }
  EXPECT_THROW((void)many.keep("a", "", start_), RoomRefusal);
}

}  // namespace
}  // namespace translate::tools
