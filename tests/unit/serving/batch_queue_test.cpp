#include "translate/serving/batch_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "unit/serving/gated_translator.h"

namespace translate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Lines = std::vector<std::string>;

BatchQueue::Clock::time_point never() { return BatchQueue::Clock::now() + std::chrono::hours(1); }
BatchQueue::Clock::time_point soon() { return BatchQueue::Clock::now() + std::chrono::milliseconds(20); }

Lines best(const std::vector<Candidates>& results) {
  Lines texts;
  for (const auto& candidates : results) {
    texts.push_back(candidates.front());
  }
  return texts;
}

Lines bracketed(const Lines& lines) {
  Lines texts;
  for (const auto& line : lines) {
    texts.push_back("<" + line + ">");
  }
  return texts;
}

class BatchQueueTest : public ::testing::Test {
 protected:
  ~BatchQueueTest() override { translator_.open(); }

  BatchQueue& queue(const QueueOptions& options = {}) { return queue_.emplace(translator_.function(), options); }

  std::future<std::vector<Candidates>> ask(Lines lines, BatchQueue::Clock::time_point deadline = never()) {
    return std::async(std::launch::async,
                      [this, lines = std::move(lines), deadline] { return queue_->translate(lines, deadline); });
  }

  /// A request that is being translated, and does not end before the gate opens.
  std::future<std::vector<Candidates>> ask_and_hold(const Lines& lines = {"held"}) {
    translator_.close();
    const auto before = translator_.calls().size();
    auto answer = ask(lines);
    EXPECT_TRUE(comes_true([&] { return translator_.calls().size() == before + 1; }));
    return answer;
  }

  void expect_waiting(std::size_t lines) {
    EXPECT_TRUE(comes_true([&] { return queue_->counts().waiting == lines; })) << queue_->counts().waiting;
  }

  static void expect_refused(std::future<std::vector<Candidates>>& answer, Refusal reason) {
    try {
      (void)answer.get();
      ADD_FAILURE() << "was not refused";
    } catch (const QueueRefusal& refusal) {
      EXPECT_EQ(refusal.reason(), reason) << refusal.what();
    }
  }

  GatedTranslator translator_;
  std::optional<BatchQueue> queue_;
};

TEST_F(BatchQueueTest, GivesEveryLineItsCandidatesInOrder) {
  const auto results = queue().translate({"a", "b", "c"}, never());
  EXPECT_EQ(best(results), (Lines{"<a>", "<b>", "<c>"}));
  EXPECT_EQ(results[1], (Candidates{"<b>", "<b>2", "<b>3"}));
}

TEST_F(BatchQueueTest, NoLinesNeedNoTranslation) {
  EXPECT_THAT(queue().translate({}, never()), SizeIs(0));
  EXPECT_THAT(translator_.calls(), SizeIs(0));
}

TEST_F(BatchQueueTest, JoinsWhatWaits) {
  queue();
  auto held = ask_and_hold();
  std::vector<std::future<std::vector<Candidates>>> others;
  for (int i = 0; i < 5; ++i) {
    others.push_back(ask({"x" + std::to_string(i)}));
  }
  expect_waiting(5);
  translator_.open();
  EXPECT_EQ(best(held.get()), Lines{"<held>"});
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(best(others[i].get()), Lines{"<x" + std::to_string(i) + ">"});
  }
  ASSERT_THAT(translator_.calls(), SizeIs(2));
  EXPECT_THAT(translator_.calls()[1], SizeIs(5));
  const auto counts = queue_->counts();
  EXPECT_EQ(counts.batches, 2U);
  EXPECT_EQ(counts.lines, 6U);
  EXPECT_EQ(counts.largest, 5U);
  EXPECT_EQ(counts.sizes[0], 1U);  // of 1
  EXPECT_EQ(counts.sizes[3], 1U);  // of 5 to 8
  EXPECT_EQ(counts.waiting, 0U);
}

TEST_F(BatchQueueTest, KeepsToTheLargestBatch) {
  queue({.max_waiting = 1000, .max_batch = 7});
  Lines lines;
  for (int i = 0; i < 100; ++i) {
    lines.push_back(std::to_string(i));
  }
  EXPECT_EQ(best(queue_->translate(lines, never())), bracketed(lines));
  std::size_t sum = 0;
  for (const auto& call : translator_.calls()) {
    EXPECT_LE(call.size(), 7U);
    sum += call.size();
  }
  EXPECT_EQ(sum, 100U);
}

TEST_F(BatchQueueTest, AShortRequestDoesNotWaitForTheWholeOfALongOne) {
  queue({.max_waiting = 1000, .max_batch = 32});
  auto held = ask_and_hold();
  auto longer = ask(Lines(200, "long"));
  expect_waiting(200);
  auto brief = ask({"brief"});
  expect_waiting(201);
  translator_.open();
  EXPECT_EQ(best(brief.get()), Lines{"<brief>"});
  EXPECT_EQ(best(longer.get()), Lines(200, "<long>"));
  EXPECT_THAT(translator_.calls()[1], Contains("brief"));
}

TEST_F(BatchQueueTest, NothingIsLostOrMixedUpUnderManyThreads) {
  constexpr int kThreads = 12;
  constexpr int kRequests = 60;
  queue({.max_waiting = 10000, .max_batch = 20});
  std::vector<std::future<int>> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.push_back(std::async(std::launch::async, [this, thread] {
      int right = 0;
      for (int request = 0; request < kRequests; ++request) {
        Lines lines;
        for (int line = 0; line <= (thread + request) % 25; ++line) {
          lines.push_back(std::to_string(thread) + "/" + std::to_string(request) + "/" + std::to_string(line));
        }
        right += best(queue_->translate(lines, never())) == bracketed(lines) ? 1 : 0;
      }
      return right;
    }));
  }
  for (auto& thread : threads) {
    EXPECT_EQ(thread.get(), kRequests);
  }
  EXPECT_EQ(queue_->counts().waiting, 0U);
}

TEST_F(BatchQueueTest, RefusesWhatHasNoRoomAndTakesItLater) {
  queue({.max_waiting = 3, .max_batch = 64});
  auto held = ask_and_hold();
  auto two = ask({"a", "b"});
  expect_waiting(2);
  auto refused = ask({"c", "d"});
  expect_refused(refused, Refusal::kFull);
  auto third = ask({"e"});
  expect_waiting(3);
  translator_.open();
  EXPECT_EQ(best(two.get()), (Lines{"<a>", "<b>"}));
  EXPECT_EQ(best(third.get()), Lines{"<e>"});
  EXPECT_EQ(best(queue_->translate({"c", "d"}, never())), (Lines{"<c>", "<d>"}));
}

TEST_F(BatchQueueTest, TheMessageOfAFullQueueTellsTheNumbers) {
  try {
    (void)queue({.max_waiting = 3, .max_batch = 64}).translate(Lines(4, "x"), never());
    ADD_FAILURE();
  } catch (const QueueRefusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("of 3 at most"));
  }
}

TEST_F(BatchQueueTest, ALateRequestLeavesTheQueue) {
  queue();
  auto held = ask_and_hold();
  auto late = ask({"late"}, soon());
  expect_refused(late, Refusal::kLate);
  EXPECT_EQ(queue_->counts().waiting, 0U);
  translator_.open();
  (void)held.get();
  EXPECT_EQ(best(queue_->translate({"next"}, never())), Lines{"<next>"});
  for (const auto& call : translator_.calls()) {
    EXPECT_THAT(call, ::testing::Not(Contains("late")));
  }
}

TEST_F(BatchQueueTest, ARequestThatRunsTooLongIsGivenUp) {
  queue();
  translator_.close();
  auto late = ask({"late"}, soon());
  expect_refused(late, Refusal::kLate);
  translator_.open();
  EXPECT_EQ(best(queue_->translate({"next"}, never())), Lines{"<next>"});
}

TEST_F(BatchQueueTest, ALateRequestDropsTheRestOfItsLines) {
  queue({.max_waiting = 100, .max_batch = 4});
  translator_.close();
  auto late = ask(Lines(10, "late"), soon());
  expect_refused(late, Refusal::kLate);
  EXPECT_EQ(queue_->counts().waiting, 0U);
  translator_.open();
  EXPECT_TRUE(queue_->wait_until_idle(never()));
  EXPECT_THAT(translator_.calls(), SizeIs(1));
}

TEST_F(BatchQueueTest, AnErrorReachesOnlyItsRequest) {
  queue();
  auto held = ask_and_hold();
  auto good = ask({"good"});
  auto bad = ask({"fine", "boom"});
  auto other = ask({"other"});
  expect_waiting(4);
  translator_.open();
  EXPECT_EQ(best(good.get()), Lines{"<good>"});
  EXPECT_EQ(best(other.get()), Lines{"<other>"});
  EXPECT_THROW((void)bad.get(), std::runtime_error);
  EXPECT_EQ(best(queue_->translate({"after"}, never())), Lines{"<after>"});
}

TEST_F(BatchQueueTest, AnErrorEndsTheWholeRequest) {
  queue({.max_waiting = 100, .max_batch = 2});
  EXPECT_THROW((void)queue_->translate({"boom", "a", "b", "c", "d"}, never()), std::runtime_error);
  EXPECT_TRUE(queue_->wait_until_idle(never()));
  EXPECT_EQ(queue_->counts().waiting, 0U);
  EXPECT_THAT(translator_.calls(), SizeIs(1));
}

TEST_F(BatchQueueTest, AFunctionThatGivesTooFewResultsIsAnError) {
  queue_.emplace([](std::span<const std::string>) { return std::vector<Candidates>{{"one"}}; }, QueueOptions{});
  EXPECT_EQ(best(queue_->translate({"a"}, never())), Lines{"one"});
  EXPECT_THROW((void)queue_->translate({"a", "b"}, never()), RuntimeError);
  queue_.emplace([](std::span<const std::string>) { return std::vector<Candidates>{{}}; }, QueueOptions{});
  EXPECT_THROW((void)queue_->translate({"a"}, never()), RuntimeError);
}

TEST_F(BatchQueueTest, StoppingRefusesWhatRunsAndWhatWaits) {
  queue();
  auto running = ask_and_hold();
  auto waiting = ask({"waiting"});
  expect_waiting(1);
  queue_->stop();
  expect_refused(running, Refusal::kStopping);
  expect_refused(waiting, Refusal::kStopping);
  auto later = ask({"later"});
  expect_refused(later, Refusal::kStopping);
  EXPECT_FALSE(queue_->wait_until_idle(soon()));
  translator_.open();
  EXPECT_TRUE(queue_->wait_until_idle(never()));
  EXPECT_THAT(translator_.calls(), SizeIs(1));
}

TEST_F(BatchQueueTest, EndsWhileThreadsAsk) {
  queue();
  std::vector<std::future<int>> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.push_back(std::async(std::launch::async, [this] {
      int answered = 0;
      try {
        while (true) {
          answered += static_cast<int>(queue_->translate({"x"}, never()).size());
        }
      } catch (const QueueRefusal& refusal) {
        EXPECT_EQ(refusal.reason(), Refusal::kStopping);
      }
      return answered;
    }));
  }
  EXPECT_TRUE(comes_true([&] { return queue_->counts().batches > 20; }));
  queue_->stop();
  int answered = 0;
  for (auto& thread : threads) {
    answered += thread.get();
  }
  EXPECT_GE(answered, 20);
}

}  // namespace
}  // namespace translate
