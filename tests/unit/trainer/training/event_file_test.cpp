#include "training/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class EventFileTest : public TemporaryFolderTest {
 protected:
  std::filesystem::path events_ = folder_ / "run" / "tensorboard";
};

TEST_F(EventFileTest, RecordsFollowEachOther) {
  EventFile file(events_);
  file.start(7);
  const std::array<Scalar, 1> scalars = {{{"training/loss", 2.0}}};
  file.add_scalars(8, scalars);
  file.add_text(8, "samples", "some text");
  file.flush();
  const auto bytes = read_file(file.path());
  std::size_t at = 0;
  std::vector<std::string> events;
  while (at + 12 <= bytes.size()) {
    std::uint64_t length = 0;
    std::copy_n(bytes.data() + at, sizeof(length), reinterpret_cast<char*>(&length));
    events.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(event_record(events.back()), bytes.substr(at, length + 16));
    at += length + 16;
  }
  EXPECT_EQ(at, bytes.size());
  ASSERT_EQ(events.size(), 4U);
  EXPECT_THAT(events[0], HasSubstr("brain.Event:2"));
  EXPECT_THAT(events[1], HasSubstr(std::string("\x10\x07\x3a\x02\x08\x01", 6)));
  EXPECT_THAT(events[2], HasSubstr("training/loss"));
  EXPECT_THAT(events[3], HasSubstr("some text"));
}

TEST_F(EventFileTest, NamesComeOneAfterTheOther) {
  std::filesystem::create_directories(events_);
  std::ofstream(events_ / "events.out.tfevents.9000000000.host.1.0") << "of a clock that was ahead";
  std::ofstream(events_ / "notes.txt") << "of somebody else";
  const EventFile first(events_);
  const EventFile second(events_);
  EXPECT_THAT(first.path().filename().string(), StartsWith("events.out.tfevents.9000000001."));
  EXPECT_THAT(second.path().filename().string(), StartsWith("events.out.tfevents.9000000002."));
}

TEST_F(EventFileTest, AFolderThatCannotBeMadeIsNamed) {
  std::filesystem::create_directories(folder_ / "run");
  std::ofstream(events_) << "a file";
  try {
    const EventFile file(events_);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr(events_.string()));
  }
}

}  // namespace
}  // namespace translate::trainer
