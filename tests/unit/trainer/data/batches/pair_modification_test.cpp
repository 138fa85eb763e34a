#include "data/batches/pair_modification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "core/temporary_folder.h"
#include "data/batches/bilingual_dataset.h"
#include "segments/stand_ins.h"
#include "text/word_subwords.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

constexpr ModifierOptions kAll{.upper_case = 0.2,
                               .title_case = 0.2,
                               .lower_case = 0.2,
                               .final_punctuation = 0.3,
                               .typos = 0.3,
                               .noise = 0.2,
                               .joined = 0.3};

/// A corpus in which all letters of both cases occur, as those of real text do.
SampleCorpus corpus_with_capitals(std::size_t pairs) {
  auto sample = sample_corpus(pairs);
  const std::string letters =
      " abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .!?:/@-_%$=& é É à À ç Ç œ Œ";
  auto source = sample.text.source;
  auto target = sample.text.target;
  source.push_back(letters);
  target.push_back(letters);
  TokenizerPair tokenizers{train_tokenizer(small_tokenizer(TokenizerType::kBpe, 200), {source}),
                           train_tokenizer(small_tokenizer(TokenizerType::kBpe, 200), {target})};
  auto encoded = encode(sample.text, tokenizers);
  return {std::move(sample.text), std::move(tokenizers), std::move(encoded)};
}

class PairModificationTest : public ::testing::Test {
 protected:
  PairModificationTest() {
    for (std::size_t i = 0; i < corpus_.encoded->size(); ++i) {
      all_.push_back(i);
    }
  }

  [[nodiscard]] PairModification modification(const ModifierOptions& options, std::uint64_t epoch = 1,
                                              std::uint64_t seed = 1) const {
    return {.options = options, .languages = {{"en", "fr"}}, .seed = seed, .epoch = epoch};
  }
  [[nodiscard]] std::vector<Example> read(const PairModification& changes, const std::vector<std::size_t>& pairs,
                                          std::optional<Resampling> resampling = std::nullopt) const {
    return BilingualDataset(corpus_.encoded, corpus_.tokenizers, resampling, changes).get_batch(pairs);
  }
  [[nodiscard]] std::vector<Example> plain() const {
    return BilingualDataset(corpus_.encoded, corpus_.tokenizers).get_batch(all_);
  }
  [[nodiscard]] std::string source_of(const Example& example) const {
    return corpus_.tokenizers.source.decode(example.encoder_input);
  }
  [[nodiscard]] std::string target_of(const Example& example) const {
    return corpus_.tokenizers.target.decode(example.label);
  }

  SampleCorpus corpus_ = corpus_with_capitals(80);
  std::vector<std::size_t> all_;
};

bool same(const Example& left, const Example& right) {
  return left.encoder_input == right.encoder_input && left.label == right.label;
}

TEST_F(PairModificationTest, ReadsTheChangedText) {
  const auto changes = modification({.upper_case = 1.0});
  const auto examples = read(changes, all_);
  std::size_t changed = 0;
  for (const std::size_t pair : all_) {
    const auto change = change_of_pair(*corpus_.encoded, corpus_.tokenizers, changes, pair);
    ASSERT_TRUE(change);
    EXPECT_EQ(change->before.source, corpus_.text.source[pair]);
    if (source_of(examples[pair]) != corpus_.text.source[pair]) {
      ++changed;
      EXPECT_EQ(source_of(examples[pair]), change->after.source);
      EXPECT_EQ(target_of(examples[pair]), change->after.target);
    }
  }
  EXPECT_GT(changed, all_.size() / 2);
}

TEST_F(PairModificationTest, IsAFunctionOfSeedEpochAndPairWhateverTheBatch) {
  const auto together = read(modification(kAll), all_);
  std::size_t changed = 0;
  for (const std::size_t pair : all_) {
    EXPECT_TRUE(same(read(modification(kAll), {pair}).front(), together[pair])) << pair;
    changed += same(together[pair], plain()[pair]) ? 0U : 1U;
  }
  EXPECT_GT(changed, all_.size() / 3);
  const auto differ = [&](const std::vector<Example>& others) { return !std::ranges::equal(together, others, same); };
  EXPECT_FALSE(differ(read(modification(kAll), all_)));
  EXPECT_TRUE(differ(read(modification(kAll, /*epoch=*/2), all_)));
  EXPECT_TRUE(differ(read(modification(kAll, /*epoch=*/1, /*seed=*/2), all_)));
}

TEST_F(PairModificationTest, LeavesPairsThatWouldBecomeTooLong) {
  auto changes = modification({.upper_case = 1.0});
  std::int64_t longest = 0;
  for (const auto& example : plain()) {
    longest = std::max({longest, std::ssize(example.encoder_input) - 2, std::ssize(example.label) - 1});
  }
  changes.max_length = longest;
  for (const auto& example : read(changes, all_)) {
    EXPECT_LE(std::ssize(example.encoder_input) - 2, longest);
    EXPECT_LE(std::ssize(example.label) - 1, longest);
  }
  changes.max_length = 1;
  const auto examples = read(changes, all_);
  EXPECT_TRUE(std::ranges::equal(examples, plain(), same));
}

TEST_F(PairModificationTest, LeavesPairsWhoseCharactersTheVocabularyLacks) {
  const SampleCorpus lower = sample_corpus(80);  // its text has no capital E or Z, no digit and no emoji
  const auto unknown = lower.tokenizers.source.special_tokens().unk;
  BilingualDataset dataset(lower.encoded, lower.tokenizers, std::nullopt,
                           PairModification{.options = {.noise = 1.0}, .languages = {{"en", "fr"}}});
  for (const auto& example : dataset.get_batch(all_)) {
    EXPECT_THAT(example.encoder_input, ::testing::Not(::testing::Contains(unknown)));
  }
}

TEST_F(PairModificationTest, KeepsToTheTokensOfABatch) {
  auto changes = modification(kAll);
  std::int64_t planned = 0;
  for (const auto& example : plain()) {
    planned += std::ssize(example.label);
  }
  const auto tokens = [&](std::int64_t limit) {
    changes.batch_tokens = limit;
    std::int64_t sum = 0;
    for (const auto& example : read(changes, all_)) {
      sum += std::ssize(example.label);
    }
    return sum;
  };
  const auto unlimited = tokens(0);
  ASSERT_GT(unlimited, planned + 40);
  for (const std::int64_t room : {0, 5, 20, 40}) {
    EXPECT_LE(tokens(planned + room), planned + room);
  }
  EXPECT_GT(tokens(planned + 40), planned);
  EXPECT_EQ(tokens(1'000'000), unlimited);
}

TEST_F(PairModificationTest, JoinsWithTheNextPairOfTheCorpus) {
  const auto changes = modification({.joined = 1.0});
  for (const std::size_t pair : {std::size_t{0}, std::size_t{17}, all_.back()}) {
    const auto change = change_of_pair(*corpus_.encoded, corpus_.tokenizers, changes, pair);
    const auto neighbour = pair == all_.back() ? pair - 1 : pair + 1;
    if (change) {
      EXPECT_EQ(change->after.source, corpus_.text.source[pair] + " " + corpus_.text.source[neighbour]);
      EXPECT_EQ(change->after.target, corpus_.text.target[pair] + " " + corpus_.text.target[neighbour]);
    }
  }
}

TEST_F(PairModificationTest, DrawsSegmentationsOfChangedText) {
  const Resampling resampling{.options = {.source = true, .target = true, .alpha = 0.3}, .seed = 1, .epoch = 1};
  const auto drawn = read(modification({.lower_case = 1.0}), all_, resampling);
  const auto best = read(modification({.lower_case = 1.0}), all_);
  std::size_t different = 0;
  for (const std::size_t pair : all_) {
    EXPECT_EQ(target_of(drawn[pair]), target_of(best[pair]));
    different += same(drawn[pair], best[pair]) ? 0U : 1U;
  }
  EXPECT_GT(different, all_.size() / 2);
}

TEST_F(PairModificationTest, WithoutAChangeSegmentationsAreThoseWithoutModifiers) {
  const Resampling resampling{.options = {.source = true, .target = true, .alpha = 0.3}, .seed = 1, .epoch = 1};
  auto none = modification(kAll);
  none.max_length = 0;
  const auto examples = read(none, all_, resampling);
  const auto expected = BilingualDataset(corpus_.encoded, corpus_.tokenizers, resampling).get_batch(all_);
  EXPECT_TRUE(std::ranges::equal(examples, expected, same));
}

class LinkedModificationTest : public PairModificationTest {
 protected:
  /// Symbols are in the vocabulary, and the first subwords of words at the same place are linked.
  LinkedModificationTest() {
    const std::string characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 {}";
    auto source = corpus_.text.source;
    auto target = corpus_.text.target;
    source.push_back(characters);
    target.push_back(characters);
    const auto options = small_tokenizer(TokenizerType::kBpe, 200);
    corpus_.tokenizers = {train_tokenizer(options, {source}, {}, placeholder_symbols()),
                          train_tokenizer(options, {target}, {}, placeholder_symbols())};
    corpus_.encoded = encode(corpus_.text, corpus_.tokenizers);
    LinksWriter writer;
    for (const auto pair : all_) {
      const auto begins = [&](const Tokenizer& tokenizer, const std::string& text) {
        const auto words = words_of_subwords(tokenizer, text, tokenizer.encode(text)).value();
        std::vector<std::int64_t> first;
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (words[i] == std::ssize(first)) {
            first.push_back(static_cast<std::int64_t>(i));
          }
        }
        return first;
      };
      const auto sources = begins(corpus_.tokenizers.source, corpus_.text.source[pair]);
      const auto targets = begins(corpus_.tokenizers.target, corpus_.text.target[pair]);
      Alignment links;
      for (std::size_t word = 0; word < std::min(sources.size(), targets.size()); ++word) {
        links.push_back({.source = sources[word], .target = targets[word]});
      }
      writer.append(links);
    }
    const TemporaryFolder folder;
    writer.write(folder.path() / "links", "a sample");
    links_ = std::make_shared<const CorpusLinks>(folder.path() / "links", corpus_.encoded->size());
  }

  [[nodiscard]] PairModification linked(const ModifierOptions& options, std::uint64_t epoch = 1) const {
    auto result = modification(options, epoch);
    result.links = links_;
    return result;
  }

  std::shared_ptr<const CorpusLinks> links_;
};

/// How often a text has each symbol for a placeholder.
std::vector<std::size_t> symbols_in(const std::string& text) {
  std::vector<std::size_t> counts;
  for (const auto& symbol : placeholder_symbols()) {
    std::size_t count = 0;
    for (auto at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + symbol.size())) {
      ++count;
    }
    counts.push_back(count);
  }
  return counts;
}

TEST_F(LinkedModificationTest, PlaceholdersAreReadOnBothSides) {
  const auto changes = linked({.placeholders = 1.0});
  const auto examples = read(changes, all_);
  std::size_t changed = 0;
  for (const auto pair : all_) {
    const auto symbols = symbols_in(source_of(examples[pair]));
    EXPECT_EQ(symbols, symbols_in(target_of(examples[pair])));
    EXPECT_TRUE(std::ranges::all_of(symbols, [](std::size_t count) { return count <= 1; }));
    changed += std::ranges::count(symbols, 1U) > 0 ? 1U : 0U;
  }
  EXPECT_GT(changed, all_.size() / 2);
  EXPECT_TRUE(std::ranges::equal(examples, read(changes, all_), same));
  EXPECT_FALSE(std::ranges::equal(examples, read(linked({.placeholders = 1.0}, /*epoch=*/2), all_), same));
}

TEST_F(LinkedModificationTest, LinksAreThoseOfTheBestSegmentationWhateverIsDrawn) {
  const Resampling resampling{.options = {.source = true, .target = true, .alpha = 0.3}, .seed = 1, .epoch = 1};
  const auto drawn = read(linked({.placeholders = 1.0, .keep = 0.5}), all_, resampling);
  const auto best = read(linked({.placeholders = 1.0, .keep = 0.5}), all_);
  for (const auto pair : all_) {
    EXPECT_EQ(source_of(drawn[pair]), source_of(best[pair]));
    EXPECT_EQ(target_of(drawn[pair]), target_of(best[pair]));
  }
}

TEST_F(LinkedModificationTest, WithoutLinksOrProbabilityPairsStayAsTheyAre) {
  EXPECT_TRUE(std::ranges::equal(read(modification({.placeholders = 1.0, .keep = 1.0}), all_), plain(), same));
  EXPECT_TRUE(std::ranges::equal(read(linked({}), all_), plain(), same));
}

TEST_F(PairModificationTest, EffectIsMeasured) {
  const auto none = modification_effect(corpus_.encoded, corpus_.tokenizers, std::nullopt, modification({}));
  EXPECT_EQ(none.changed, 0.0);
  EXPECT_EQ(none.growth, 0.0);
  const auto upper =
      modification_effect(corpus_.encoded, corpus_.tokenizers, std::nullopt, modification({.upper_case = 1.0}));
  EXPECT_GT(upper.changed, 0.5);
  EXPECT_GT(upper.growth, 0.1);
}

TEST_F(PairModificationTest, ExamplesAreDifferentPairsThatChange) {
  const auto examples = examples_of_changes(*corpus_.encoded, corpus_.tokenizers, modification(kAll), 10);
  EXPECT_EQ(examples.size(), 10U);
  std::set<std::size_t> pairs;
  for (const auto& [pair, text] : examples) {
    pairs.insert(pair);
    EXPECT_EQ(text.before.source, corpus_.text.source[pair]);
    EXPECT_FALSE(text.before == text.after);
  }
  EXPECT_EQ(pairs.size(), examples.size());
  EXPECT_TRUE(examples_of_changes(*corpus_.encoded, corpus_.tokenizers, modification({}), 10).empty());
}

}  // namespace
}  // namespace translate::trainer
