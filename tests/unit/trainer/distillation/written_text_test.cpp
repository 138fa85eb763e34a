#include "distillation/written_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "corpora/corpus_reader.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

constexpr int kPairs = 12'000;  // several blocks

class WrittenTextTest : public TemporaryFolderTest {
 protected:
  void SetUp() override {
    std::string source;
    std::string target;
    for (int line = 1; line <= kPairs; ++line) {
      source += fmt::format("s{}\n", line);
      target += fmt::format("t{}\n", line);
    }
    write_file_synced(folder_ / "train.s", source);
    write_file_synced(folder_ / "train.t", target);
  }

  [[nodiscard]] WrittenTextJob job(double left_out = 0.0) const {
    return {.folder = folder_ / "made",
            .text = {{.source = folder_ / "train.s", .target = folder_ / "train.t"}},
            .about = {{"models", "a"}},
            .left_out = left_out};
  }

  /// Keeps sources, and gives each target the number of its block; every third pair is dropped.
  BlockWriter writer() {
    return [this](std::span<const TextPair> block, std::uint64_t number) {
      ++calls_[number];
      std::vector<WrittenPair> pairs;
      for (const auto& pair : block) {
        if (pair.origin.line % 3 != 0) {
          pairs.push_back({.source = pair.source,
                           .target = fmt::format("{} of {}", pair.target, number),
                           .score = -static_cast<double>(pair.origin.line)});
        }
      }
      return pairs;
    };
  }

  std::map<std::uint64_t, int> calls_;
};

TEST_F(WrittenTextTest, HasThePairsInTheirOrder) {
  const auto files = write_text(job(), writer());
  const auto sources = read_lines(files.source);
  const auto targets = read_lines(files.target);
  ASSERT_EQ(sources.size(), static_cast<std::size_t>(kPairs) * 2 / 3);
  ASSERT_EQ(targets.size(), sources.size());
  EXPECT_EQ(sources.front(), "s1");
  EXPECT_EQ(targets.front(), "t1 of 0");
  EXPECT_EQ(sources.back(), fmt::format("s{}", kPairs - 1));
  EXPECT_EQ(targets.back(), fmt::format("t{} of {}", kPairs - 1, calls_.rbegin()->first));
  EXPECT_EQ(count_pairs(std::vector{files}), sources.size());
}

TEST_F(WrittenTextTest, GoesOnBehindTheBlocksThatAreDone) {
  EXPECT_THROW((void)write_text(job(),
                                [&](std::span<const TextPair> block, std::uint64_t number) {
                                  if (number == 1) {
                                    throw std::runtime_error("stopped");
                                  }
                                  return writer()(block, number);
                                }),
               std::runtime_error);
  const auto files = write_text(job(), writer());
  for (const auto& [number, calls] : calls_) {
    EXPECT_EQ(calls, 1) << number;
  }
  EXPECT_EQ(read_lines(files.source).size(), static_cast<std::size_t>(kPairs) * 2 / 3);
  static_cast<void>(
      write_text(job(), [](auto, auto) -> std::vector<WrittenPair> { throw std::runtime_error("again"); }));
}

TEST_F(WrittenTextTest, LeavesOutThePairsOfTheLowestScores) {
  const auto files = write_text(job(0.25), writer());
  const auto sources = read_lines(files.source);
  EXPECT_EQ(sources.size(), static_cast<std::size_t>(kPairs) / 2);
  EXPECT_EQ(sources.back(), fmt::format("s{}", kPairs * 3 / 4 - 1));
}

TEST_F(WrittenTextTest, IsNotTakenIfItWasMadeOtherwise) {
  static_cast<void>(write_text(job(), writer()));
  auto other = job();
  other.about["models"] = "b";
  const auto told = testing::error_of<ConfigError>([&] { return write_text(other, writer()); });
  EXPECT_NE(told.find((folder_ / "made").string()), std::string::npos) << told;
}

TEST_F(WrittenTextTest, HasAPairAtLeast) {
  EXPECT_THROW((void)write_text(job(), [](auto, auto) { return std::vector<WrittenPair>(); }), DataError);
}

}  // namespace
}  // namespace translate::trainer
