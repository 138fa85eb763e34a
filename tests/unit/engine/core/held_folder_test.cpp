#include "core/held_folder.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using State = HeldFolder::State;

class HeldFolderTest : public TemporaryFolderTest {
 protected:
  HeldFolderTest() { std::filesystem::create_directories(run_); }

  [[nodiscard]] HeldFolder hold() const { return *HeldFolder::try_hold(run_, ".lock"); }

  std::filesystem::path run_ = std::filesystem::canonical(folder_) / "runs" / "one";
  std::filesystem::path other_ = std::filesystem::canonical(folder_) / "runs" / "other";
};

TEST_F(HeldFolderTest, IsHeldByOneAtATime) {
  {
    const auto held = hold();
    EXPECT_EQ(held.state(), State::kInPlace);
    EXPECT_EQ(held.current_path(), run_);
    EXPECT_FALSE(HeldFolder::try_hold(run_, ".lock"));
  }
  EXPECT_TRUE(HeldFolder::try_hold(run_, ".lock"));
}

TEST_F(HeldFolderTest, AFolderThatIsMissingIsAnError) {
  EXPECT_THROW((void)HeldFolder::try_hold(other_, ".lock"), RuntimeError);
}

TEST_F(HeldFolderTest, NoticesThatTheFolderWasRemoved) {
  const auto held = hold();
  std::filesystem::remove_all(run_);
  EXPECT_EQ(held.state(), State::kFolderGone);
  EXPECT_EQ(held.current_path(), std::nullopt);
}

TEST_F(HeldFolderTest, NoticesThatAnotherFolderTookItsPlace) {
  const auto held = hold();
  std::filesystem::remove_all(run_);
  std::filesystem::create_directories(run_);
  const auto second = HeldFolder::try_hold(run_, ".lock");
  ASSERT_TRUE(second);  // the lock went with the file
  EXPECT_EQ(held.state(), State::kFolderGone);
  EXPECT_EQ(second->state(), State::kInPlace);
}

TEST_F(HeldFolderTest, NoticesThatTheFolderAboveWasRemoved) {
  const auto held = hold();
  std::filesystem::remove_all(folder_ / "runs");
  EXPECT_EQ(held.state(), State::kFolderGone);
}

TEST_F(HeldFolderTest, FollowsAFolderThatWasRenamed) {
#ifdef TRANSLATE_PORTABLE
  GTEST_SKIP() << "only Linux tells the path of an open folder";
#endif
  auto held = hold();
  std::filesystem::rename(run_, other_);
  EXPECT_EQ(held.state(), State::kMoved);
  ASSERT_EQ(held.current_path(), other_);
  EXPECT_FALSE(HeldFolder::try_hold(other_, ".lock"));  // it is still held
  std::filesystem::create_directories(run_);            // whatever takes the old place
  EXPECT_EQ(held.state(), State::kMoved);
  held.expect_at(other_);
  EXPECT_EQ(held.state(), State::kInPlace);
}

TEST_F(HeldFolderTest, NoticesThatTheLockFileWasRemoved) {
  const auto held = hold();
  std::filesystem::remove(run_ / ".lock");
  EXPECT_EQ(held.state(), State::kLockGone);
  const auto second = HeldFolder::try_hold(run_, ".lock");
  EXPECT_EQ(held.state(), State::kLockGone);
  std::filesystem::rename(run_, other_);
  EXPECT_EQ(held.state(), State::kFolderGone);  // moved, but not held any more
}

}  // namespace
}  // namespace translate
