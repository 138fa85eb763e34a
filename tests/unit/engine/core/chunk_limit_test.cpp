#include "core/chunk_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;

/// Work on rows that fails above a size; keeps what was done and how.
class Work {
 public:
  explicit Work(std::int64_t most) : most_(most) {}

  void run(ChunkLimit& limit, std::int64_t rows, std::int64_t width) {
    done_.assign(static_cast<std::size_t>(rows), 0);
    chunks_.clear();
    failed_ = 0;
    limit.in_chunks(rows, width, [&](std::int64_t begin, std::int64_t end) {
      if ((end - begin) * width > most_) {
        ++failed_;
        throw std::bad_alloc();
      }
      chunks_.push_back(end - begin);
      for (auto row = begin; row < end; ++row) {
        ++done_[static_cast<std::size_t>(row)];
      }
    });
  }

  std::int64_t most_;
  std::vector<int> done_;
  std::vector<std::int64_t> chunks_;
  int failed_ = 0;
};

TEST(ChunkLimitTest, DoesEveryRowOnceWhateverFits) {
  for (const std::int64_t rows : {1, 2, 3, 7, 64, 100}) {
    for (const std::int64_t width : {1, 5, 40}) {
      for (const std::int64_t most : {40, 41, 100, 1000, 100000}) {
        ChunkLimit limit(cpu_device(), "a test");
        Work work(most);
        work.run(limit, rows, width);
        EXPECT_THAT(work.done_, Each(1)) << rows << " x " << width << ", " << most;
        const bool fits = rows * width <= most;
        EXPECT_EQ(work.chunks_.size() == 1, fits);
        EXPECT_EQ(work.failed_ == 0, fits);
      }
    }
  }
}

TEST(ChunkLimitTest, RemembersWhatFailed) {
  ChunkLimit limit(cpu_device(), "a test");
  EXPECT_EQ(limit.rows_at_once(1000, 1000), 1000);
  Work work(60);
  work.run(limit, 100, 2);
  EXPECT_GT(work.failed_, 0);
  const auto chunks = work.chunks_;
  work.run(limit, 100, 2);
  EXPECT_EQ(work.failed_, 0);
  EXPECT_EQ(work.chunks_, chunks);
  work.run(limit, 20, 10);
  EXPECT_EQ(work.failed_, 0);
  work.run(limit, 10, 2);  // what fits is whole
  EXPECT_EQ(work.chunks_, std::vector<std::int64_t>{10});
}

TEST(ChunkLimitTest, NoRowsNeedNoChunk) {
  ChunkLimit limit(cpu_device(), "a test");
  EXPECT_EQ(limit.rows_at_once(0, 10), 0);
  limit.in_chunks(0, 10, [](std::int64_t, std::int64_t) { ADD_FAILURE() << "there is nothing to compute"; });
}

TEST(ChunkLimitTest, ChunksAreOfAboutEqualSize) {
  ChunkLimit limit(cpu_device(), "a test");
  Work work(50);
  work.run(limit, 100, 1);
  EXPECT_EQ(limit.rows_at_once(100, 1), 50);
  EXPECT_EQ(limit.rows_at_once(101, 1), 34);  // three chunks, not two and one row
  EXPECT_EQ(limit.rows_at_once(3, 1000), 1);
}

TEST(ChunkLimitTest, OneRowThatFailsIsAnErrorThatSaysWhatToDo) {
  ChunkLimit limit(cpu_device(), "a training step");
  Work work(9);
  try {
    work.run(limit, 4, 10);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("out of memory: a training step"), HasSubstr("even with one sentence"),
                                    HasSubstr("10 positions"), HasSubstr("data.max_length")));
  }
}

TEST(ChunkLimitTest, OtherErrorsPass) {
  ChunkLimit limit(cpu_device(), "a test");
  int calls = 0;
  const auto fail = [&](std::int64_t, std::int64_t) {
    ++calls;
    throw std::invalid_argument("wrong");
  };
  EXPECT_THROW(limit.in_chunks(8, 3, fail), std::invalid_argument);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(limit.rows_at_once(8, 3), 8);
}

}  // namespace
}  // namespace translate
