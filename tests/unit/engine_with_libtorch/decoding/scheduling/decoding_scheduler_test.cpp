#include "decoding/scheduling/decoding_scheduler.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "core/error.h"
#include "support/pointers.h"
#include "unit/engine/decoding/search/fake_model.h"

namespace translate::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kSentences = 60;

/// Sentences of 1 to 17 words, in no order of length.
std::vector<Sentence> sentences() {
  std::vector<Sentence> result;
  for (std::int64_t i = 0; i < kSentences; ++i) {
    Ids words(static_cast<std::size_t>(1 + i * 7 % 17), 4);
    words.front() = 100 + i;
    result.push_back(fake_sentence(words, 4 + i % 9));
    result.back().random_key = static_cast<std::uint64_t>(i);
  }
  return result;
}

struct Way {
  std::string name;
  FakeTraits traits;
  std::int64_t batch_tokens;
  bool reversed = false;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const bool joins : {false, true}) {
    for (const bool side_by_side : {false, true}) {
      for (const std::int64_t batch_tokens : {1, 40, 150, 100000}) {
        FakeTraits traits;
        traits.vocabulary = 20;
        traits.can_join = joins;
        traits.side_by_side = side_by_side;
        all.push_back({.name = std::string(joins ? "joining " : "") + (side_by_side ? "threads " : "") +
                               std::to_string(batch_tokens),
                       .traits = traits,
                       .batch_tokens = batch_tokens,
                       .reversed = batch_tokens == 150});
      }
    }
  }
  return all;
}

void expect_equal(const std::vector<Sentence>& found, const std::vector<Sentence>& expected, const std::string& name) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(found[i].hypotheses.size(), expected[i].hypotheses.size()) << name << ", sentence " << i;
    for (std::size_t k = 0; k < expected[i].hypotheses.size(); ++k) {
      EXPECT_EQ(found[i].hypotheses[k].ids, expected[i].hypotheses[k].ids) << name << ", sentence " << i;
      EXPECT_EQ(found[i].hypotheses[k].subword_scores, expected[i].hypotheses[k].subword_scores) << name;
    }
  }
}

/// Sentences with so many subwords, sos and eos counted.
std::vector<Sentence> sentences_of(const std::vector<std::size_t>& lengths) {
  std::vector<Sentence> result;
  for (const auto length : lengths) {
    result.push_back(fake_sentence(Ids(length - 2, 4), 5));
  }
  return result;
}

std::vector<std::size_t> lengths_of(const std::vector<Sentence*>& taken) {
  std::vector<std::size_t> lengths;
  for (const auto* sentence : taken) {
    lengths.push_back(sentence->encoder_input.size());
  }
  return lengths;
}

TEST(SentenceQueue, GivesWhatFitsInTheRoom) {
  const auto options = search_options(1);
  auto all = sentences_of({5, 9, 4, 6, 3});
  SentenceQueue queue(options);
  queue.add_sorted(pointers_to(all));
  EXPECT_EQ(queue.extent().sentences, 5);
  EXPECT_EQ(queue.extent().cost, 27);
  EXPECT_THAT(queue.take({.room = 8}), ::testing::IsEmpty());  // the longest waits for more room
  EXPECT_THAT(lengths_of(queue.take({.room = 8, .waits = true})), ElementsAre(9));
  EXPECT_THAT(lengths_of(queue.take({.room = 15, .in_batches = true})), ElementsAre(6, 5));  // 3 x 6 would not fit
  EXPECT_THAT(lengths_of(queue.take({.room = 7})), ElementsAre(4, 3));
  EXPECT_TRUE(queue.is_empty());
}

TEST(SentenceQueue, SaysWhetherMoreAreWanted) {
  const auto options = search_options(2);  // each subword counts twice
  auto all = sentences_of({3, 8});
  SentenceQueue queue(options);
  std::vector<Sentence*> taken;
  EXPECT_TRUE(queue.take({.room = 0, .waits = true}, taken));
  EXPECT_FALSE(queue.take({.room = 0}, taken));
  queue.add(pointers_to(all));
  EXPECT_FALSE(queue.take({.room = 10}, taken));  // in their order; the second one does not fit in with the first
  EXPECT_THAT(lengths_of(taken), ElementsAre(3));
  EXPECT_TRUE(queue.take({.room = 30}, taken));
  EXPECT_THAT(lengths_of(taken), ElementsAre(3, 8));
}

class DecodingSchedulerTest : public ::testing::TestWithParam<bool> {
 protected:
  DecodingSchedulerTest() : options_(search_options(3)) {
    options_.decoding.sampling = GetParam();
    expected_ = sentences();
    FakeTraits traits;
    traits.vocabulary = 20;
    const FakeModel model(traits);
    for (auto& sentence : expected_) {
      sentence.hypotheses = decode_alone(model, options_, sentence);
    }
  }

  SearchOptions options_;
  std::vector<Sentence> expected_;  ///< each decoded alone
};

TEST_P(DecodingSchedulerTest, NothingDependsOnWhatIsDecodedBeside) {
  for (const auto& way : ways()) {
    options_.decoding.batch_tokens = way.batch_tokens;
    const auto model = std::make_shared<FakeModel>(way.traits);
    auto found = sentences();
    if (way.reversed) {
      std::ranges::reverse(found);
    }
    DecodingScheduler(model, options_).decode(pointers_to(found));
    if (way.reversed) {
      std::ranges::reverse(found);
    }
    expect_equal(found, expected_, way.name);
    if (!way.traits.can_join) {
      EXPECT_EQ(model->joined, 0);
    }
    if (way.traits.can_join && way.batch_tokens == 150) {
      EXPECT_GT(model->joined, 10) << way.name;
    }
  }
}

TEST_P(DecodingSchedulerTest, BatchesKeepWithinTheirTokens) {
  for (const auto& way : ways()) {
    options_.decoding.batch_tokens = way.batch_tokens;
    const auto model = std::make_shared<FakeModel>(way.traits);
    auto found = sentences();
    DecodingScheduler(model, options_).decode(pointers_to(found));
    // A row has 3 source positions at least; one sentence, three rows, is always taken.
    EXPECT_LE(model->widest, std::max<std::int64_t>(way.batch_tokens / 3, 3)) << way.name;
    if (way.batch_tokens == 1) {
      EXPECT_LE(model->widest, 3);
    }
    if (way.batch_tokens == 100000 && !way.traits.side_by_side) {
      EXPECT_GE(model->widest, kSentences);
    }
  }
}

TEST_P(DecodingSchedulerTest, WhereMemoryDoesNotSufficeFewerAreDecodedAtATime) {
  for (auto way : ways()) {
    options_.decoding.batch_tokens = way.batch_tokens;
    way.traits.most_rows = 7;
    auto found = sentences();
    const auto model = std::make_shared<FakeModel>(way.traits);
    DecodingScheduler(model, options_).decode(pointers_to(found));
    expect_equal(found, expected_, way.name);
  }
}

TEST_P(DecodingSchedulerTest, WhereMemoryDoesNotSufficeForOneItSaysSo) {
  for (auto way : ways()) {
    way.traits.most_rows = 2;
    auto found = sentences();
    DecodingScheduler scheduler(std::make_shared<FakeModel>(way.traits), options_);
    EXPECT_THROW(scheduler.decode(pointers_to(found)), RuntimeError) << way.name;
  }
}

/// Sentences that come a few at a time: further ones when some have ended.
class Trickle : public SentenceSource {
 public:
  Trickle(const SearchOptions& options, std::vector<Sentence>& sentences, std::size_t at_a_time)
      : options_(options),
        sentences_(sentences),
        there_(std::min(at_a_time, sentences.size())),
        ends_(sentences.size()) {}

  [[nodiscard]] std::vector<Sentence*> take(const WorkRequest& request) override {
    std::unique_lock lock(mutex_);
    if (request.waits) {
      came_.wait(lock, request.stop, [this] { return given_ < there_ || given_ == sentences_.size(); });
    }
    std::vector<Sentence*> taken;
    for (auto room = request.room; given_ < there_; taken.push_back(&sentences_[given_++])) {
      room -= decoding_cost(options_, sentences_[given_]);
      if (room < 0 && !(taken.empty() && request.waits)) {
        break;
      }
    }
    return taken;
  }
  void done(Sentence& sentence) override { end(sentence, "done"); }
  void failed(Sentence& sentence, const std::exception_ptr& error) override {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& what) {
      end(sentence, what.what());
    }
  }
  /// What became of each sentence.
  [[nodiscard]] const std::vector<std::string>& ends() const { return ends_; }

 private:
  void end(const Sentence& sentence, const std::string& how) {
    const std::scoped_lock lock(mutex_);
    ends_[static_cast<std::size_t>(&sentence - sentences_.data())] += how;
    there_ = std::min(there_ + 1, sentences_.size());
    came_.notify_all();
  }

  const SearchOptions& options_;
  std::vector<Sentence>& sentences_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::size_t there_;
  std::size_t given_ = 0;
  std::vector<std::string> ends_;
};

/// Several threads, also where there is one processor.
class ThreeThreads {
 public:
  ThreeThreads() { at::set_num_threads(3); }
  ~ThreeThreads() { at::set_num_threads(before_); }

 private:
  int before_ = at::get_num_threads();
};

TEST_P(DecodingSchedulerTest, SentencesMayComeWhileOthersAreUnderWay) {
  const ThreeThreads threads;
  for (const auto& way : ways()) {
    for (const std::size_t at_a_time : {1, 5, 1000}) {
      options_.decoding.batch_tokens = way.batch_tokens;
      const auto model = std::make_shared<FakeModel>(way.traits);
      auto found = sentences();
      Trickle source(options_, found, at_a_time);
      DecodingScheduler(model, options_).decode(source);
      expect_equal(found, expected_, way.name);
      EXPECT_THAT(source.ends(), ::testing::Each("done")) << way.name;
      if (way.traits.can_join && !way.traits.side_by_side && way.batch_tokens == 100000 && at_a_time == 5) {
        EXPECT_GE(model->joined, kSentences - 5) << way.name;  // nobody waited for the others' end
      }
    }
  }
}

TEST_P(DecodingSchedulerTest, AnErrorIsThatOfItsSentence) {
  const ThreeThreads threads;
  for (auto way : ways()) {
    way.traits.poison = 100 + 17;  // the first word of sentence 17
    options_.decoding.batch_tokens = way.batch_tokens;
    for (const std::size_t at_a_time : {1, 5, 1000}) {
      auto found = sentences();
      Trickle source(options_, found, at_a_time);
      DecodingScheduler(std::make_shared<FakeModel>(way.traits), options_).decode(source);
      auto ends = source.ends();
      EXPECT_EQ(ends[17], "poison") << way.name;
      ends[17] = "done";
      EXPECT_THAT(ends, ::testing::Each("done")) << way.name;
      found[17] = expected_[17];
      expect_equal(found, expected_, way.name);
    }
    auto all = sentences();
    DecodingScheduler scheduler(std::make_shared<FakeModel>(way.traits), options_);
    EXPECT_THROW(scheduler.decode(pointers_to(all)), std::runtime_error) << way.name;
  }
}

TEST_P(DecodingSchedulerTest, ALackOfMemoryFailsNoSentenceThatFitsAlone) {
  const ThreeThreads threads;
  for (auto way : ways()) {
    options_.decoding.batch_tokens = way.batch_tokens;
    way.traits.most_rows = 7;
    auto found = sentences();
    Trickle source(options_, found, 9);
    DecodingScheduler(std::make_shared<FakeModel>(way.traits), options_).decode(source);
    expect_equal(found, expected_, way.name);
    EXPECT_THAT(source.ends(), ::testing::Each("done")) << way.name;

    way.traits.most_rows = 0;
    Trickle hopeless(options_, found, 9);
    DecodingScheduler(std::make_shared<FakeModel>(way.traits), options_).decode(hopeless);
    EXPECT_THAT(hopeless.ends(), ::testing::Each(::testing::StartsWith("out of memory: translating"))) << way.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Searches, DecodingSchedulerTest, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Sampling" : "Beam"; });

TEST(DecodingScheduler, NothingInNothingOut) {
  const auto model = std::make_shared<FakeModel>(FakeTraits{});
  DecodingScheduler(model, search_options(2)).decode(std::span<Sentence* const>());
  EXPECT_EQ(model->steps, 0);
}

TEST(DecodingScheduler, EndedSentencesCostNoMoreRows) {
  for (const bool joins : {false, true}) {
    FakeTraits traits;
    traits.can_join = joins;
    const auto model = std::make_shared<FakeModel>(traits);
    auto options = search_options(1);
    std::vector<Sentence> batch;
    std::int64_t needed = 0;
    for (std::int64_t i = 0; i < 40; ++i) {
      batch.push_back(fake_sentence({100 + i, 4}, 30));
      const auto hypothesis = decode_alone(FakeModel(traits), options, batch.back()).front();
      needed += std::ssize(hypothesis.subword_scores);
    }
    DecodingScheduler(model, options).decode(pointers_to(batch));
    if (joins) {
      EXPECT_EQ(model->row_steps, needed);
    } else {
      EXPECT_GE(model->row_steps, needed);  // up to a quarter of the rows may idle
      EXPECT_LE(model->row_steps, needed * 4 / 3 + 1);
    }
  }
}

/// A model whose logits are no numbers.
class BrokenModel : public FakeModel {
 public:
  BrokenModel() : FakeModel(FakeTraits{.vocabulary = 7, .spread = std::numeric_limits<double>::quiet_NaN()}) {}
};

TEST(DecodingScheduler, LogitsThatAreNotFiniteAreAnError) {
  std::vector<Sentence> batch = {fake_sentence({4}, 3)};
  for (const bool sampling : {false, true}) {
    auto options = search_options(2);
    options.decoding.sampling = sampling;
    DecodingScheduler scheduler(std::make_shared<BrokenModel>(), options);
    try {
      scheduler.decode(pointers_to(batch));
      FAIL() << "not noticed";
    } catch (const RuntimeError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("logits are not finite"));
    }
  }
}

}  // namespace
}  // namespace translate::testing
