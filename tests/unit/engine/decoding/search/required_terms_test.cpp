#include "decoding/search/required_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

using Ids = std::vector<std::int64_t>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RequiredTerms required(const std::vector<Ids>& terms) {
  std::vector<RequiredTerm> all;
  for (const auto& subwords : terms) {
    all.push_back({.text = std::to_string(all.size()), .forms = {{.subwords = subwords}}});
  }
  return {std::move(all), std::make_shared<const WordEdges>()};
}

TermProgress after(const RequiredTerms& terms, const Ids& subwords) {
  TermProgress progress(terms);
  for (const auto subword : subwords) {
    progress.add(subword);
  }
  return progress;
}

/// Whether occurrences of all terms can be chosen in `text` that do not share subwords.
bool has_all(const std::vector<Ids>& terms, const Ids& text, std::vector<bool> taken, std::size_t first = 0) {
  if (first == terms.size()) {
    return true;
  }
  const auto& term = terms[first];
  for (std::size_t at = 0; at + term.size() <= text.size(); ++at) {
    const auto begin = static_cast<std::ptrdiff_t>(at);
    const auto end = begin + std::ssize(term);
    if (!std::equal(term.begin(), term.end(), text.begin() + begin) ||
        std::find(taken.begin() + begin, taken.begin() + end, true) != taken.begin() + end) {
      continue;
    }
    auto more = taken;
    std::fill(more.begin() + begin, more.begin() + end, true);
    if (has_all(terms, text, more, first + 1)) {
      return true;
    }
  }
  return false;
}

TEST(TermProgress, WhatItCountsIsThere) {
  std::mt19937_64 random(1);
  int complete = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Ids> terms(1 + random() % 3);
    for (auto& term : terms) {
      term.resize(1 + random() % 3);
      std::ranges::generate(term, [&] { return static_cast<std::int64_t>(random() % 3); });
    }
    Ids text(random() % 10);
    std::ranges::generate(text, [&] { return static_cast<std::int64_t>(random() % 3); });
    const auto all = required(terms);
    const auto progress = after(all, text);
    std::vector<Ids> met;
    for (std::int64_t term = 0; term < std::ssize(terms); ++term) {
      if (std::ranges::count(progress.missing(), term) == 0) {
        met.push_back(terms[static_cast<std::size_t>(term)]);
      }
    }
    EXPECT_EQ(progress.met(), std::ssize(met));
    EXPECT_EQ(progress.is_complete(), progress.missing().empty());
    EXPECT_TRUE(has_all(met, text, std::vector<bool>(text.size())));
    complete += progress.is_complete() ? 1 : 0;
  }
  EXPECT_GT(complete, 2000);
}

TEST(TermProgress, GoingOnWithTermsAloneMeetsAllInTheFewestSubwords) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Ids> terms(1 + random() % 4);
    std::int64_t next = 0;
    for (auto& term : terms) {
      term.resize(1 + random() % 3);
      std::ranges::generate(term, [&] { return next++; });  // terms that share nothing
    }
    const auto all = required(terms);
    TermProgress progress(all);
    for (auto needed = progress.subwords_needed(); needed > 0; --needed) {
      EXPECT_EQ(progress.subwords_needed(), needed);
      std::int64_t subword = -1;
      progress.for_next(/*begins=*/!progress.is_inside_term(), [&](std::int64_t one, std::int64_t) { subword = one; });
      progress.add(subword);
    }
    EXPECT_TRUE(progress.is_complete());
  }
}

TEST(TermProgress, ALongerTermTakesThePlaceOfOneAtItsBeginning) {
  const auto terms = required({{1}, {1, 2}});
  EXPECT_THAT(after(terms, {1}).missing(), ElementsAre(1));
  EXPECT_TRUE(after(terms, {1}).is_inside_term());
  EXPECT_THAT(after(terms, {1, 2}).missing(), ElementsAre(0));
  EXPECT_THAT(after(terms, {1, 2, 1}).missing(), IsEmpty());
  EXPECT_THAT(after(terms, {1, 1, 2}).missing(), IsEmpty());
  EXPECT_THAT(after(terms, {1, 3}).missing(), ElementsAre(1));
}

TEST(TermProgress, EqualTermsAreNeededAsOften) {
  const auto terms = required({{1, 2}, {1, 2}});
  EXPECT_EQ(after(terms, {1, 2}).met(), 1);
  EXPECT_EQ(after(terms, {1, 2, 1, 2}).met(), 2);
}

class WordEdgesTest : public ::testing::Test {
 protected:
  /// The terms with the subwords of texts, and of their capital forms at the beginning of a translation.
  [[nodiscard]] RequiredTerms terms_of(const std::string& text) const {
    return {{{.text = text, .forms = {{.subwords = vocabulary_.encode(text)}}}}, edges_};
  }
  [[nodiscard]] bool has(const std::string& term, const std::string& text) const {
    const auto terms = terms_of(term);
    return after(terms, vocabulary_.encode(text)).is_complete();
  }

  const Tokenizer& vocabulary_ = testing::small_vocabulary();
  std::shared_ptr<const WordEdges> edges_ = std::make_shared<const WordEdges>(vocabulary_);
};

TEST_F(WordEdgesTest, ATermIsAWholeWord) {
  EXPECT_TRUE(has("chat", "Le chat voit"));
  EXPECT_TRUE(has("chat", "Le chat."));
  EXPECT_TRUE(has("chat", "chat"));
  EXPECT_FALSE(has("chat", "Les chats"));
  EXPECT_FALSE(has("chat", "Le chatabc"));
}

TEST_F(WordEdgesTest, AWordBeginsBehindASpaceOrAMarkThatOpens) {
  const auto joined = vocabulary_.encode("'abc");
  const auto apostrophe = vocabulary_.encode("'");
  ASSERT_GT(joined.size(), apostrophe.size());
  const auto first = joined[apostrophe.size()];
  EXPECT_TRUE(edges_->may_begin_word(apostrophe.back(), first));
  EXPECT_TRUE(edges_->may_begin_word(-1, first));
  EXPECT_FALSE(edges_->may_begin_word(vocabulary_.encode(".").back(), first));
  EXPECT_FALSE(edges_->may_begin_word(vocabulary_.encode("chat").back(), first));
  EXPECT_TRUE(edges_->may_begin_word(vocabulary_.encode(".").back(), vocabulary_.encode("chat").front()));
}

}  // namespace
}  // namespace translate
