#include "checkpoint/file_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/stable_file.h"
#include "support/temporary_folder.h"
#include "support/thread_count.h"

namespace translate {
namespace {

using Json = nlohmann::json;

class FileSums : public TemporaryFolderTest {
 protected:
  /// A file that is large enough to be remembered.
  FileSums() { write(std::string(kRememberedSize, 'a') + "end"); }

  void write(const std::string& content) const { write_file_synced(path_, content); }

  /// Puts the sum of the file as it is now into the record, as if it had been old when it was computed.
  void remember(std::uint32_t sum) const {
    const FileStamp stamp = StableFile(path_).stamp();
    make_folder(cache_);
    write_file_synced(
        record_, Json::array({{stamp.device, stamp.inode, stamp.size, stamp.modified, stamp.changed, sum}}).dump());
  }

  [[nodiscard]] std::optional<std::uint32_t> remembered() const { return remembered_sum(StableFile(path_), cache_); }

  std::filesystem::path path_ = folder_ / "x";
  std::filesystem::path cache_ = folder_ / "cache" / "translate";
  std::filesystem::path record_ = cache_ / kFileSumsFile;
};

TEST_F(FileSums, AreThoseOfTheWholeForAnySizeAndNumberOfThreads) {
  for (const std::size_t size : {0UL, 1UL, (1UL << 20U) - 1, 1UL << 20U, (1UL << 20U) + 1, 35UL << 20U}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; i += 97) {
      content[i] = static_cast<char>(i * i);
    }
    write(content);
    for (const int count : {1, 3}) {
      const testing::ThreadCount threads(count);
      EXPECT_EQ(compute_sum(StableFile(path_), ""), crc32(content)) << size;
    }
  }
}

TEST_F(FileSums, OfAFileThatIsOldAreRemembered) {
  EXPECT_EQ(remembered(), std::nullopt);
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));  // its other time cannot be set
  const std::uint32_t sum = compute_sum(StableFile(path_), cache_);
  EXPECT_EQ(remembered(), sum);
  std::filesystem::rename(path_, folder_ / "y");
  EXPECT_EQ(remembered_sum(StableFile(folder_ / "y"), cache_), std::nullopt);  // that changes its time, too
}

TEST_F(FileSums, OfAFileThatIsYoungOrSmallAreNotRemembered) {
  (void)compute_sum(StableFile(path_), cache_);
  // An old time that somebody gave a young file does not help.
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  (void)compute_sum(StableFile(path_), cache_);
  EXPECT_EQ(remembered(), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(record_));
}

TEST_F(FileSums, AreThoseOfTheVeryFile) {
  remember(7);
  EXPECT_EQ(remembered(), 7U);
  const auto time = std::filesystem::last_write_time(path_);
  write(std::string(kRememberedSize, 'b') + "end");
  std::filesystem::last_write_time(path_, time);  // size, time of writing and place are as before
  EXPECT_EQ(remembered(), std::nullopt);
}

TEST_F(FileSums, AreNotRememberedWhereTheRecordIsDamagedOrCannotBeWritten) {
  for (const std::string text : {"", "{", "[[1,2,3]]", "[[\"a\",1,2,3,4,5]]", "[[1e999,1,2,3,4,5]]", "7"}) {
    make_folder(cache_);
    write_file_synced(record_, text);
    EXPECT_EQ(remembered(), std::nullopt) << text;
  }
  const auto expected = crc32(read_file(path_));
  EXPECT_EQ(compute_sum(StableFile(path_), path_ / "no-folder"), expected);
  EXPECT_EQ(compute_sum(StableFile(path_), ""), expected);
}

TEST_F(FileSums, ThatAreTheOldestAreForgotten) {
  make_folder(cache_);
  Json many = Json::array();
  for (int i = 0; i < 1000; ++i) {
    many.push_back({1, i, 2, 3, 4, 5});
  }
  write_file_synced(record_, many.dump());
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  (void)compute_sum(StableFile(path_), cache_);
  const Json kept = Json::parse(read_file(record_));
  EXPECT_EQ(kept.size(), 200U);
  EXPECT_EQ(kept.front()[1], 801);
  EXPECT_TRUE(remembered());
}

TEST_F(FileSums, OfAFileThatChangesMeanwhileAreAnError) {
  const StableFile file(path_);
  std::filesystem::resize_file(path_, 5);
  EXPECT_THROW((void)compute_sum(file, cache_), RuntimeError);
}

}  // namespace
}  // namespace translate
