#include "serve/request_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stop_token>

#include "unit/tools/serve/gated_translator.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Lines = std::vector<std::string>;

RequestQueue::Clock::time_point never() { return RequestQueue::Clock::now() + std::chrono::hours(1); }
RequestQueue::Clock::time_point soon() { return RequestQueue::Clock::now() + std::chrono::milliseconds(20); }

std::vector<SourceLine> input(const Lines& lines) {
  std::vector<SourceLine> result;
  for (const auto& line : lines) {
    result.push_back({.text = line});
  }
  return result;
}

Lines best(const std::vector<Candidates>& results) {
  Lines texts;
  for (const auto& candidates : results) {
    texts.push_back(candidates.front().text);
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

class RequestQueueTest : public ::testing::Test {
 protected:
  ~RequestQueueTest() override { translator_.open(); }

  RequestQueue& queue(const QueueOptions& options = {}) { return queue_.emplace(translator_.function(), options); }

  std::future<std::vector<Candidates>> ask(Lines lines, RequestQueue::Clock::time_point deadline = never()) {
    return std::async(std::launch::async,
                      [this, lines = std::move(lines), deadline] { return queue_->translate(input(lines), deadline); });
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
  std::optional<RequestQueue> queue_;
};

TEST_F(RequestQueueTest, GivesEveryLineItsCandidatesInOrder) {
  const auto results = queue().translate(input({"a", "b", "c"}), never());
  EXPECT_EQ(best(results), (Lines{"<a>", "<b>", "<c>"}));
  EXPECT_EQ(results[1], (Candidates{{"<b>", -1.0, 0.25}, {"<b>2", -2.0, 0.25}, {"<b>3", -3.0, 0.25}}));
}

TEST_F(RequestQueueTest, NoLinesNeedNoTranslation) {
  EXPECT_THAT(queue().translate(input({}), never()), SizeIs(0));
  EXPECT_THAT(translator_.calls(), SizeIs(0));
}

TEST_F(RequestQueueTest, JoinsWhatWaits) {
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
  EXPECT_EQ(counts.lines, 6U);
  EXPECT_EQ(counts.together, 1U + 1U + 2U + 3U + 4U + 5U);
  EXPECT_EQ(counts.largest, 5U);
  EXPECT_EQ(counts.sizes[0], 2U);  // alone
  EXPECT_EQ(counts.sizes[1], 1U);  // 2
  EXPECT_EQ(counts.sizes[2], 2U);  // 3 or 4
  EXPECT_EQ(counts.sizes[3], 1U);  // 5 to 8
  EXPECT_EQ(counts.waiting, 0U);
  EXPECT_EQ(counts.under_way, 0U);
}

TEST_F(RequestQueueTest, KeepsToTheLargestBatch) {
  queue({.max_waiting = 1000, .max_batch = 7});
  Lines lines;
  for (int i = 0; i < 100; ++i) {
    lines.push_back(std::to_string(i));
  }
  EXPECT_EQ(best(queue_->translate(input(lines), never())), bracketed(lines));
  std::size_t sum = 0;
  for (const auto& call : translator_.calls()) {
    EXPECT_LE(call.size(), 7U);
    sum += call.size();
  }
  EXPECT_EQ(sum, 100U);
}

TEST_F(RequestQueueTest, AShortRequestDoesNotWaitForTheWholeOfALongOne) {
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

TEST_F(RequestQueueTest, NothingIsLostOrMixedUpUnderManyThreads) {
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
        right += best(queue_->translate(input(lines), never())) == bracketed(lines) ? 1 : 0;
      }
      return right;
    }));
  }
  for (auto& thread : threads) {
    EXPECT_EQ(thread.get(), kRequests);
  }
  EXPECT_EQ(queue_->counts().waiting, 0U);
}

TEST_F(RequestQueueTest, RefusesWhatHasNoRoomAndTakesItLater) {
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
  EXPECT_EQ(best(queue_->translate(input({"c", "d"}), never())), (Lines{"<c>", "<d>"}));
}

TEST_F(RequestQueueTest, LinesMayWaitForRoom) {
  queue({.max_waiting = 2, .max_batch = 64});
  auto held = ask_and_hold();
  auto waiting = ask({"a", "b"});
  expect_waiting(2);
  const auto wait = [&](RequestQueue::Clock::time_point deadline) {
    return std::async(std::launch::async,
                      [this, deadline] { return queue_->translate(input({"c"}), deadline, WhenFull::kWait); });
  };
  auto late = wait(soon());
  expect_refused(late, Refusal::kLate);
  auto patient = wait(never());
  translator_.open();
  EXPECT_EQ(best(patient.get()), Lines{"<c>"});
  EXPECT_EQ(best(waiting.get()), (Lines{"<a>", "<b>"}));
  EXPECT_EQ(best(held.get()), Lines{"<held>"});
}

TEST_F(RequestQueueTest, LinesThatWaitForRoomAreRefusedWhenItStops) {
  queue({.max_waiting = 1, .max_batch = 64});
  auto held = ask_and_hold();
  auto waiting = ask({"a"});
  expect_waiting(1);
  auto patient =
      std::async(std::launch::async, [this] { return queue_->translate(input({"b"}), never(), WhenFull::kWait); });
  queue_->stop();
  expect_refused(patient, Refusal::kStopping);
  expect_refused(waiting, Refusal::kStopping);
}

TEST_F(RequestQueueTest, TheMessageOfAFullQueueTellsTheNumbers) {
  try {
    (void)queue({.max_waiting = 3, .max_batch = 64}).translate(input(Lines(4, "x")), never());
    ADD_FAILURE();
  } catch (const QueueRefusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("of 3 at most"));
  }
}

TEST_F(RequestQueueTest, ALateRequestLeavesTheQueue) {
  queue();
  auto held = ask_and_hold();
  auto late = ask({"late"}, soon());
  expect_refused(late, Refusal::kLate);
  EXPECT_EQ(queue_->counts().waiting, 0U);
  translator_.open();
  (void)held.get();
  EXPECT_EQ(best(queue_->translate(input({"next"}), never())), Lines{"<next>"});
  for (const auto& call : translator_.calls()) {
    EXPECT_THAT(call, ::testing::Not(Contains("late")));
  }
}

TEST_F(RequestQueueTest, ARequestThatRunsTooLongIsGivenUp) {
  queue();
  translator_.close();
  auto late = ask({"late"}, soon());
  expect_refused(late, Refusal::kLate);
  translator_.open();
  EXPECT_EQ(best(queue_->translate(input({"next"}), never())), Lines{"<next>"});
}

TEST_F(RequestQueueTest, ALateRequestDropsTheRestOfItsLines) {
  queue({.max_waiting = 100, .max_batch = 4});
  translator_.close();
  auto late = ask(Lines(10, "late"), soon());
  expect_refused(late, Refusal::kLate);
  EXPECT_EQ(queue_->counts().waiting, 0U);
  translator_.open();
  EXPECT_TRUE(queue_->wait_until_idle(never()));
  EXPECT_THAT(translator_.calls(), SizeIs(1));
}

TEST_F(RequestQueueTest, AnErrorReachesOnlyItsRequest) {
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
  EXPECT_EQ(best(queue_->translate(input({"after"}), never())), Lines{"<after>"});
}

TEST_F(RequestQueueTest, AnErrorEndsTheWholeRequest) {
  queue({.max_waiting = 100, .max_batch = 2});
  EXPECT_THROW((void)queue_->translate(input({"boom", "a", "b", "c", "d"}), never()), std::runtime_error);
  EXPECT_TRUE(queue_->wait_until_idle(never()));
  EXPECT_EQ(queue_->counts().waiting, 0U);
  EXPECT_THAT(translator_.calls(), SizeIs(1));
}

TEST_F(RequestQueueTest, IfTheFunctionEndsOrThrowsWaitingRequestsFail) {
  std::atomic<int> calls = 0;
  const auto function = [&](LineSource& source) {
    const auto call = ++calls;
    const auto line = source.take({.waits = true});
    if (call == 1) {
      return;
    }
    if (call == 2) {
      throw std::logic_error("no model");
    }
    if (line) {
      source.give(line->number, GatedTranslator::translation(line->line));
    }
  };
  queue_.emplace(function, QueueOptions{});
  EXPECT_THROW((void)queue_->translate(input({"a", "b"}), never()), RuntimeError);
  EXPECT_THROW((void)queue_->translate(input({"a", "b"}), never()), std::logic_error);
  EXPECT_EQ(best(queue_->translate(input({"a"}), never())), Lines{"<a>"});
  EXPECT_TRUE(queue_->wait_until_idle(never()));
}

TEST_F(RequestQueueTest, WhatComesLaterJoinsWhatIsUnderWay) {
  std::atomic<bool> first_may_end = false;
  const auto function = [&](LineSource& source) {
    while (const auto first = source.take({.waits = true})) {
      std::optional<NumberedLine> second;
      EXPECT_TRUE(comes_true([&] { return (second = source.take({.under_way = 1})).has_value(); }));
      source.give(second->number, GatedTranslator::translation(second->line));
      EXPECT_TRUE(comes_true([&] { return first_may_end.load(); }));
      source.give(first->number, GatedTranslator::translation(first->line));
    }
  };
  queue_.emplace(function, QueueOptions{});
  auto first = ask({"first"});
  EXPECT_TRUE(comes_true([&] { return queue_->counts().under_way == 1; }));
  EXPECT_EQ(best(queue_->translate(input({"second"}), never())), Lines{"<second>"});
  EXPECT_EQ(queue_->counts().under_way, 1U);
  EXPECT_EQ(queue_->counts().largest, 2U);
  first_may_end = true;
  EXPECT_EQ(best(first.get()), Lines{"<first>"});
}

TEST_F(RequestQueueTest, RequestsTakeTurnsAndTakersGetEqualShares) {
  std::atomic<bool> all_there = false;
  std::vector<std::string> order;
  const auto function = [&](LineSource& source) {
    EXPECT_TRUE(comes_true([&] { return all_there.load(); }));
    std::vector<NumberedLine> taken;
    const auto take = [&](const WorkRequest& request) {
      std::size_t count = 0;
      for (auto wanted = request; auto line = source.take(wanted); ++count, ++wanted.under_way) {
        wanted.waits = false;
        order.push_back(line->line.text);
        taken.push_back(std::move(*line));
      }
      return count;
    };
    EXPECT_EQ(take({.waits = true, .threads = 2}), 3U);  // of six lines
    EXPECT_EQ(take({.waits = true, .threads = 2}), 3U);
    EXPECT_EQ(take({.under_way = 2}), 0U);
    for (const auto& [number, line] : taken) {
      source.give(number, GatedTranslator::translation(line));
    }
    (void)source.take({.waits = true});
  };
  queue_.emplace(function, QueueOptions{});
  auto longer = ask({"a", "b", "c", "d"});
  expect_waiting(4);
  auto shorter = ask({"x", "y"});
  expect_waiting(6);
  all_there = true;
  EXPECT_EQ(best(longer.get()), (Lines{"<a>", "<b>", "<c>", "<d>"}));
  EXPECT_EQ(best(shorter.get()), (Lines{"<x>", "<y>"}));
  EXPECT_EQ(order, (Lines{"a", "x", "b", "y", "c", "d"}));
}

TEST_F(RequestQueueTest, AWaitForALineCanBeStopped) {
  std::stop_source stop;
  std::atomic<int> called_off = 0;
  queue_.emplace(
      [&](LineSource& source) {
        const auto first = source.take({.waits = true});
        if (!first) {
          return;
        }
        called_off += source.take({.waits = true, .stop = stop.get_token()}) ? 0 : 1;
        source.give(first->number, GatedTranslator::translation(first->line));
        (void)source.take({.waits = true});
      },
      QueueOptions{});
  auto answer = ask({"a"});
  EXPECT_TRUE(comes_true([&] { return queue_->counts().under_way == 1; }));
  stop.request_stop();
  EXPECT_EQ(best(answer.get()), Lines{"<a>"});
  EXPECT_EQ(called_off, 1);
}

TEST_F(RequestQueueTest, StoppingRefusesWhatRunsAndWhatWaits) {
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

TEST_F(RequestQueueTest, EndsWhileThreadsAsk) {
  queue();
  std::vector<std::future<int>> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.push_back(std::async(std::launch::async, [this] {
      int answered = 0;
      try {
        while (true) {
          answered += static_cast<int>(queue_->translate(input({"x"}), never()).size());
        }
      } catch (const QueueRefusal& refusal) {
        EXPECT_EQ(refusal.reason(), Refusal::kStopping);
      }
      return answered;
    }));
  }
  // Of the lines that were begun, one of each thread may be refused.
  EXPECT_TRUE(comes_true([&] { return queue_->counts().lines >= 20 + threads.size(); }));
  queue_->stop();
  int answered = 0;
  for (auto& thread : threads) {
    answered += thread.get();
  }
  EXPECT_GE(answered, 20);
}

}  // namespace
}  // namespace translate::tools
