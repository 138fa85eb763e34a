#include "decoding/translator.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_set>

#include "core/error.h"
#include "decoding/candidate_text.h"
#include "decoding/text_words.h"
#include "model/memory_need.h"
#include "operators/operator_model.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

class TranslatorTest : public ::testing::Test {
 protected:
  TranslatorTest() {
    const auto sentences = sample_sentences(300, 1);
    const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
    tokenizers_ = std::make_unique<TokenizerPair>(TokenizerPair{tokenizer, tokenizer});
    config_.model.d_model = 32;
    config_.model.encoder_layers = 2;
    config_.model.decoder_layers = 2;
    config_.model.num_heads = 4;
    config_.model.d_ff = 64;
    at::manual_seed(4);
    model_ = trainer::build_transformer(config_.model, vocabulary_sizes(*tokenizers_));
  }

  [[nodiscard]] Translator translator(bool details = false) const {
    auto options = translator_options(config_);
    options.warn = false;
    options.alignments = details;
    options.word_scores = details;
    options.split_sentences = split_sentences_;
    return {trainer::make_inference_model(model_, c10::kCPU, Precision::kFp32), tokenizers_->source,
            tokenizers_->target, options};
  }
  [[nodiscard]] static std::vector<std::string> texts(const std::vector<Translation>& translations) {
    std::vector<std::string> result;
    for (const auto& translation : translations) {
      result.push_back(translation.text);
    }
    return result;
  }

  Config config_;
  bool split_sentences_ = false;
  std::unique_ptr<TokenizerPair> tokenizers_;
  trainer::Transformer model_{nullptr};
};

TEST_F(TranslatorTest, LinesOutAreLinesInInTheirOrderAtAnyBatchSize) {
  auto lines = sample_sentences(40, 7);
  lines[3] = "";
  lines[17] = " \t\u00a0";
  const auto expected = texts(translator().translate(lines));
  ASSERT_EQ(expected.size(), lines.size());
  EXPECT_EQ(expected[3], "");
  EXPECT_EQ(expected[17], "");
  for (const std::int64_t batch_tokens : {1, 50, 100000}) {
    config_.decoding.batch_tokens = batch_tokens;
    EXPECT_EQ(texts(translator().translate(lines)), expected) << batch_tokens;
  }
  std::vector<std::string> reversed(lines.rbegin(), lines.rend());
  auto backwards = texts(translator().translate(reversed));
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(backwards, expected);
}

TEST_F(TranslatorTest, UnknownCharactersOfAPrefixStayAsGiven) {
  const std::vector<SourceLine> lines = {{.text = "le chat", .target_prefix = " \u0416le \u4e2d chat "},
                                         {.text = "le chat", .target_prefix = "le chat"}};
  const auto found = translator(/*details=*/true).translate_lines(lines);
  EXPECT_TRUE(found[0].text.starts_with("\u0416le \u4e2d chat")) << found[0].text;
  EXPECT_EQ(found[0].text.find("\u2047"), std::string::npos);
  EXPECT_EQ(std::ssize(found[0].word_scores), TextWords(found[0].text).words());
  EXPECT_TRUE(found[1].text.starts_with("le chat"));
  auto options = translator_options(config_);
  Translator warning(trainer::make_inference_model(model_, c10::kCPU, Precision::kFp32), tokenizers_->source,
                     tokenizers_->target, options);
  ::testing::internal::CaptureStderr();
  (void)warning.translate_lines(lines, 7);
  const auto logged = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(logged, ::testing::HasSubstr("line 7: the vocabulary has no subword for \u0416, \u4e2d in the prefix"));
  EXPECT_THAT(logged, ::testing::Not(::testing::HasSubstr("line 8")));
}

TEST_F(TranslatorTest, NothingInNothingOut) { EXPECT_TRUE(translator().translate({}).empty()); }

TEST_F(TranslatorTest, AnUntrainedModelIsStoppedAtAboutTwiceTheSource) {
  const std::vector<std::string> lines = {sample_sentences(1, 9)[0]};
  const auto subwords = std::ssize(tokenizers_->source.encode(lines[0]));
  model_->projection_layer->proj->bias.set_data(model_->projection_layer->proj->bias.detach().clone());
  {
    const at::NoGradGuard no_grad;
    model_->projection_layer->proj->bias[tokenizers_->target.special_tokens().eos] = -1e9;  // it never ends
  }
  const auto translation = translator().translate(lines)[0];
  EXPECT_TRUE(translation.truncated);
  EXPECT_EQ(std::ssize(translation.tokens), 2 * subwords + 10);
  config_.decoding.max_length = 3;
  EXPECT_EQ(translator().translate(lines)[0].tokens.size(), 3U);
}

TEST_F(TranslatorTest, InvalidBytesAreReadAsReplacementCharacters) {
  const std::vector<std::string> bad = {"abc \xff def"};
  const std::vector<std::string> good = {"abc \uFFFD def"};
  const auto translation = translator().translate(bad)[0];
  EXPECT_EQ(translation.source, good[0]);
  EXPECT_EQ(translation.text, translator().translate(good)[0].text);
}

TEST_F(TranslatorTest, LongLinesAreTranslatedInPartsAndJoined) {
  const auto sentences = sample_sentences(2, 11);
  const auto first = sentences[0] + ".";
  const auto second = sentences[1] + ".";
  const auto longest = std::max(tokenizers_->source.encode(first).size(), tokenizers_->source.encode(second).size());
  const auto parts = texts(translator().translate(std::vector<std::string>{first, second}));
  config_.data.max_length = static_cast<std::int64_t>(longest);
  const auto whole = translator().translate(std::vector<std::string>{first + " " + second})[0];
  EXPECT_EQ(whole.text, parts[0] + " " + parts[1]);
}

TEST_F(TranslatorTest, ConfidenceIsThatOfTheMeanLogProbability) {
  auto options = translator_options(config_);
  options.warn = false;
  options.confidence.emplace(std::vector<Confidence::Bin>{{-10.0, 0.0}, {0.0, 1.0}});
  const auto translate = [&](const std::string& line) {
    Translator translator(trainer::make_inference_model(model_, c10::kCPU, Precision::kFp32), tokenizers_->source,
                          tokenizers_->target, options);
    return translator.translate(std::vector{line}).front();
  };
  const auto line = sample_sentences(1, 9)[0];
  for (const bool in_sentences : {false, true}) {
    options.split_sentences = in_sentences;
    const auto found = translate(line + " " + line);
    ASSERT_TRUE(found.confidence);
    const double mean = found.score / static_cast<double>(found.token_scores.size());
    EXPECT_NEAR(*found.confidence, 1.0 + mean / 10.0, 1e-9);
  }
  EXPECT_FALSE(translate(" ").confidence);
  Translator scoring(trainer::make_inference_model(model_, c10::kCPU, Precision::kFp32), tokenizers_->source,
                     tokenizers_->target, options);
  EXPECT_FALSE(scoring.score(std::vector<ScoringPair>{{.source = line, .target = line}}).front().confidence);
  options.decoding.sampling = true;
  EXPECT_FALSE(translate(line).confidence);
}

TEST_F(TranslatorTest, WordsThatTheVocabularyLacksAreNamed) {
  const auto line = sample_sentences(1, 9)[0];
  for (const bool raw : {true, false}) {
    auto options = translator_options(config_);
    options.warn = false;
    options.raw = raw;
    const auto seen = word_hashes(line);
    options.source_words =
        std::make_shared<const SeenWords>(SeenWords(std::unordered_set<std::uint64_t>(seen.begin(), seen.end())));
    Translator translator(trainer::make_inference_model(model_, c10::kCPU, Precision::kFp32), tokenizers_->source,
                          tokenizers_->target, options);
    const auto found = translator.translate(std::vector<std::string>{line, "\u0416 " + line + " a\u4e2d, \u0416",
                                                                     "\u041f\u0440\u0438\u0432\u0435\u0442", ""});
    EXPECT_THAT(found[0].unknown_words, ::testing::IsEmpty());
    EXPECT_THAT(found[1].unknown_words, ::testing::ElementsAre("\u0416", "a\u4e2d,", "\u0416"));
    EXPECT_THAT(found[2].unknown_words, ::testing::ElementsAre("\u041f\u0440\u0438\u0432\u0435\u0442"));
    EXPECT_THAT(found[3].unknown_words, ::testing::IsEmpty());
    EXPECT_THAT(found[0].unseen_words, ::testing::IsEmpty());
    if (raw) {  // otherwise the model reads only what it can
      EXPECT_THAT(found[1].unseen_words, ::testing::ElementsAre("\u0416", "\u0416"));
    }
    EXPECT_THAT(found[3].unseen_words, ::testing::IsEmpty());
  }
}

TEST_F(TranslatorTest, LeavesTheModelInTrainingMode) {
  model_->train();
  static_cast<void>(translator().translate(sample_sentences(2, 1)));
  EXPECT_TRUE(model_->is_training());
}

TEST_F(TranslatorTest, TheNBestComeBestFirst) {
  config_.decoding.n_best = 3;
  const auto lines = sample_sentences(10, 7);
  const auto found = translator().translate(lines);
  config_.decoding.n_best = 1;
  const auto best = translator().translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(found[i].nbest.size(), 3U);
    EXPECT_EQ(found[i].text, found[i].nbest[0].text);
    EXPECT_EQ(found[i].text, best[i].text);
    EXPECT_EQ(best[i].nbest.size(), 1U);
    for (std::size_t k = 1; k < 3; ++k) {
      EXPECT_LE(found[i].nbest[k].normalized_score, found[i].nbest[k - 1].normalized_score);
      EXPECT_NE(found[i].nbest[k].tokens, found[i].nbest[k - 1].tokens);
    }
  }
}

TEST_F(TranslatorTest, WordsHaveScoresAndComeFromWords) {
  for (const auto& translation : translator(/*details=*/true).translate(sample_sentences(10, 7))) {
    const auto words = TextWords(translation.text).words();
    ASSERT_EQ(std::ssize(translation.word_scores), words);
    double sum = translation.truncated ? 0.0 : translation.token_scores.back();
    for (const auto score : translation.word_scores) {
      sum += score;
    }
    EXPECT_NEAR(sum, translation.score, 1e-9);
    ASSERT_FALSE(translation.alignment.empty());
    EXPECT_TRUE(std::ranges::is_sorted(translation.alignment));
    std::vector<bool> covered(static_cast<std::size_t>(words));
    for (const auto& pair : translation.alignment) {
      EXPECT_GE(pair.source, 0);
      EXPECT_LT(pair.source, TextWords(translation.source).words());
      covered.at(static_cast<std::size_t>(pair.target)) = true;
    }
    EXPECT_THAT(covered, ::testing::Each(true));  // every word looked somewhere
  }
}

TEST_F(TranslatorTest, DetailsOfPartsAreThoseOfTheWholeLine) {
  const auto sentences = sample_sentences(2, 11);
  const std::vector<std::string> pair = {sentences[0] + ".", sentences[1] + "."};
  const auto apart = translator(/*details=*/true).translate(pair);
  config_.data.max_length = static_cast<std::int64_t>(std::max(apart[0].parts[0].encoder_input.size(),
                                                               apart[1].parts[0].encoder_input.size())) -
                            2;
  const auto whole = translator(/*details=*/true).translate(std::vector<std::string>{pair[0] + " " + pair[1]})[0];
  ASSERT_EQ(whole.parts.size(), 2U);
  EXPECT_EQ(whole.nbest.size(), 1U);
  EXPECT_NEAR(whole.score, apart[0].score + apart[1].score, 1e-3);
  EXPECT_EQ(whole.word_scores.size(), apart[0].word_scores.size() + apart[1].word_scores.size());
  auto expected = apart[0].alignment;
  for (const auto& aligned : apart[1].alignment) {
    expected.push_back({.source = aligned.source + TextWords(pair[0]).words(),
                        .target = aligned.target + TextWords(apart[0].text).words()});
  }
  EXPECT_EQ(whole.alignment, expected);
}

/// Lines of three sentences each, with different white space between them.
std::vector<std::string> paragraphs() {
  std::vector<std::string> lines;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto sentences = sample_sentences(3, seed);
    lines.push_back("Un " + sentences[0] + "  Un " + sentences[1] + "\tUn " + sentences[2]);
  }
  return lines;
}

std::vector<std::string> sentences_of(const std::string& line) {
  std::vector<std::string> sentences;
  for (const auto& range : SentenceSplitter().split(line)) {
    sentences.push_back(line.substr(range.begin, range.end - range.begin));
  }
  return sentences;
}

TEST_F(TranslatorTest, SentencesOfALineAreTranslatedAsIfAlone) {
  split_sentences_ = true;
  for (const auto& line : paragraphs()) {
    const auto sentences = sentences_of(line);
    ASSERT_EQ(sentences.size(), 3U) << line;
    const auto alone = translator(/*details=*/true).translate(sentences);
    const auto whole = translator(/*details=*/true).translate(std::vector<std::string>{line})[0];
    EXPECT_EQ(whole.text, alone[0].text + "  " + alone[1].text + "\t" + alone[2].text);
    EXPECT_NEAR(whole.score, alone[0].score + alone[1].score + alone[2].score, 1e-3);
    Alignment alignment;
    std::vector<double> word_scores;
    std::int64_t source_words = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(whole.parts[i].source, sentences[i]);
      EXPECT_EQ(whole.parts[i].nbest.front().text, alone[i].text);
      for (const auto& pair : alone[i].alignment) {
        alignment.push_back({.source = pair.source + source_words,
                             .target = pair.target + static_cast<std::int64_t>(word_scores.size())});
      }
      word_scores.insert(word_scores.end(), alone[i].word_scores.begin(), alone[i].word_scores.end());
      source_words += TextWords(sentences[i]).words();
    }
    EXPECT_EQ(whole.alignment, alignment);
    EXPECT_THAT(whole.word_scores, ::testing::Pointwise(::testing::DoubleNear(1e-3), word_scores));
  }
}

TEST_F(TranslatorTest, TheNBestOfALineAreTheBestCombinationsOfItsSentences) {
  split_sentences_ = true;
  const auto lines = paragraphs();
  const auto plain = texts(translator().translate(lines));
  config_.decoding.n_best = 4;
  const auto found = translator().translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(found[i].nbest.size(), 4U);
    EXPECT_EQ(found[i].nbest.front().text, plain[i]);
    std::vector<double> sums;
    for (const auto& first : found[i].parts[0].nbest) {
      for (const auto& second : found[i].parts[1].nbest) {
        for (const auto& third : found[i].parts[2].nbest) {
          sums.push_back(first.normalized_score + second.normalized_score + third.normalized_score);
        }
      }
    }
    std::ranges::sort(sums, std::greater());
    std::set<std::string> different;
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(found[i].nbest[k].normalized_score, sums[k], 1e-9);
      different.insert(found[i].nbest[k].text);
    }
    EXPECT_EQ(different.size(), 4U);
  }
}

std::string without_space(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

TEST_F(TranslatorTest, SamplesOfALineJoinThoseOfItsSentences) {
  split_sentences_ = true;
  config_.decoding.sampling = true;
  config_.decoding.n_best = 3;
  for (const auto& line : translator().translate(paragraphs())) {
    ASSERT_EQ(line.nbest.size(), 3U);
    std::set<std::string> joined;
    for (std::size_t draw = 0; draw < line.parts[0].nbest.size(); ++draw) {
      joined.insert(without_space(line.parts[0].nbest[draw].text + line.parts[1].nbest[draw].text +
                                  line.parts[2].nbest[draw].text));
    }
    for (const auto& candidate : line.nbest) {
      EXPECT_TRUE(joined.contains(without_space(candidate.text))) << candidate.text;
    }
  }
}

TEST_F(TranslatorTest, TheSamplesOfPartsBelongToThoseOfTheirLine) {
  split_sentences_ = true;
  config_.decoding.sampling = true;
  for (const std::int64_t n_best : {1, 3}) {
    config_.decoding.n_best = n_best;
    for (const auto& line : translator().translate(paragraphs())) {
      ASSERT_EQ(line.parts.size(), 3U);
      for (std::size_t k = 0; k < line.nbest.size(); ++k) {
        std::string text;
        double score = 0.0;
        double normalized_score = 0.0;
        for (const auto& part : line.parts) {
          ASSERT_EQ(part.nbest.size(), line.nbest.size());
          text += part.separator + part.nbest[k].text;
          score += part.nbest[k].score;
          normalized_score += part.nbest[k].normalized_score;
        }
        EXPECT_EQ(without_space(text), without_space(line.nbest[k].text));
        EXPECT_EQ(score, line.nbest[k].score);
        EXPECT_EQ(normalized_score, line.nbest[k].normalized_score);
      }
      for (const auto& part : line.parts) {
        EXPECT_EQ(tokenizers_->target.decode(part.hypothesis.ids), part.nbest.front().text);
        EXPECT_EQ(part.hypothesis.score, part.nbest.front().score);
      }
    }
  }
}

TEST_F(TranslatorTest, SamplingDrawsOnUntilThereAreEnoughTexts) {
  config_.decoding.sampling = true;
  config_.decoding.temperature = 0.1;  // repeats itself
  config_.decoding.top_k = 2;
  config_.decoding.n_best = 4;
  std::size_t most = 0;
  for (const auto& line : translator().translate(sample_sentences(8, 3))) {
    std::set<std::string> different;
    for (const auto& candidate : line.nbest) {
      different.insert(candidate.text);
    }
    EXPECT_EQ(different.size(), line.nbest.size());
    most = std::max(most, line.nbest.size());
  }
  EXPECT_EQ(most, 4U);
}

TEST_F(TranslatorTest, ALineWithAPrefixIsNotSplit) {
  split_sentences_ = true;
  const std::vector<SourceLine> lines = {{.text = paragraphs()[0], .target_prefix = "le chat"}};
  EXPECT_EQ(translator().translate_lines(lines)[0].parts.size(), 1U);
}

TEST_F(TranslatorTest, PrefixesBeginTheTranslation) {
  const auto lines = sample_sentences(6, 7);
  std::vector<SourceLine> prefixed;
  for (const auto& line : lines) {
    prefixed.push_back({.text = line, .target_prefix = "le chat"});
  }
  prefixed.push_back({.text = "", .target_prefix = "le"});
  const auto found = translator().translate_lines(prefixed);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(found[i].text.starts_with("le chat")) << found[i].text;
  }
  EXPECT_EQ(found.back().text, "");
}

TEST_F(TranslatorTest, ScoringATranslationGivesItsScoreAgain) {
  config_.decoding.beam_size = 1;
  const auto lines = sample_sentences(12, 7);
  const auto& special = tokenizers_->target.special_tokens();
  {
    const at::NoGradGuard no_grad;  // then what scoring does not forbid makes no difference
    for (const auto id : {special.unk, special.sos, special.pad}) {
      model_->projection_layer->proj->bias[id] = -1e4;
    }
    model_->projection_layer->proj->bias[special.eos] = 2.0;  // some end before the limit
  }
  std::vector<ScoringPair> pairs;
  std::vector<double> scores;
  for (const auto& translation : translator().translate(lines)) {
    // Only where encoding gives the same subwords again, and the end was generated, are the scores of the same thing.
    if (!translation.truncated && tokenizers_->target.encode(translation.text) == translation.parts[0].hypothesis.ids) {
      pairs.push_back({.source = translation.source, .target = translation.text});
      scores.push_back(translation.score);
    }
  }
  ASSERT_GT(pairs.size(), 0U);
  pairs.push_back({.source = lines[0], .target = ""});
  const auto found = translator().score(pairs);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(found[i].score, scores[i], 1e-3);
    EXPECT_EQ(found[i].text, pairs[i].target);
    EXPECT_EQ(found[i].token_scores.size(), found[i].tokens.size() + 1);
  }
  EXPECT_EQ(found.back().token_scores.size(), 1U);  // of the end
  EXPECT_LT(found.back().score, 0.0);
}

TEST_F(TranslatorTest, ScoringKeepsToLearnedPositions) {
  config_.model.positions = PositionKind::kLearned;
  config_.model.max_positions = 12;
  model_ = trainer::build_transformer(config_.model, vocabulary_sizes(*tokenizers_));
  std::string text;
  for (const auto& sentence : sample_sentences(10, 3)) {
    text += sentence + " ";
  }
  try {
    static_cast<void>(translator().score(std::vector<ScoringPair>{{"le", "le"}, {"le", text}}, /*first_line=*/7));
    FAIL() << "not noticed";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("line 8: a side of"));
  }
}

TEST_F(TranslatorTest, WhatIsDrawnDependsOnLineAndSeedAlone) {
  config_.decoding.sampling = true;
  config_.decoding.n_best = 2;
  const auto lines = sample_sentences(8, 7);
  const auto all = texts(translator().translate(lines, 1));
  EXPECT_EQ(texts(translator().translate(lines, 1)), all);
  EXPECT_NE(texts(translator().translate(lines, 2)), all);
  config_.decoding.batch_tokens = 60;
  EXPECT_EQ(texts(translator().translate(std::span(lines).subspan(3), 4)),
            std::vector<std::string>(all.begin() + 3, all.end()));
  config_.decoding.seed = 2;
  EXPECT_NE(texts(translator().translate(lines, 1)), all);
}

/// Lines that come one by one, a new one whenever somebody asks or has waited for the last.
class LineByLine : public LineSource {
 public:
  explicit LineByLine(std::vector<std::string> lines) : lines_(std::move(lines)), results_(lines_.size()) {}

  [[nodiscard]] std::optional<NumberedLine> take(const WorkRequest& request) override {
    const std::scoped_lock lock(mutex_);
    if (next_ == lines_.size() || (!request.waits && ++asked_ % 3 != 0)) {
      return std::nullopt;
    }
    return NumberedLine{.number = next_, .line = {.text = lines_[next_++]}};
  }
  void give(std::uint64_t number, Translation translation) override {
    const std::scoped_lock lock(mutex_);
    results_.at(number).push_back(std::move(translation));
  }
  void fail(std::uint64_t number, const std::exception_ptr& error) override {
    EXPECT_TRUE(error);
    const std::scoped_lock lock(mutex_);
    failed_.push_back(number);
  }

  /// Of each line, as often as it was given.
  [[nodiscard]] const std::vector<std::vector<Translation>>& results() const { return results_; }
  [[nodiscard]] const std::vector<std::uint64_t>& failed() const { return failed_; }

 private:
  std::vector<std::string> lines_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  int asked_ = 0;
  std::vector<std::vector<Translation>> results_;
  std::vector<std::uint64_t> failed_;
};

TEST_F(TranslatorTest, LinesThatComeOneByOneGetWhatEachGetsAlone) {
  config_.data.max_length = 12;
  config_.decoding.n_best = 2;
  config_.decoding.beam_size = 3;
  auto lines = sample_sentences(30, 11);
  lines[2] = " ";
  lines[5] = lines[0] + " " + lines[1] + " " + lines[3];  // in parts
  lines[6] = "Un " + lines[0] + " Un " + lines[1];
  split_sentences_ = true;
  lines[8] = "bad \xFF byte";
  for (const bool sampling : {false, true}) {
    config_.decoding.sampling = sampling;
    for (const std::int64_t batch_tokens : {1, 100, 100000}) {
      config_.decoding.batch_tokens = batch_tokens;
      auto of_lines = translator();
      LineByLine source(lines);
      of_lines.translate(source);
      EXPECT_TRUE(source.failed().empty());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        ASSERT_EQ(source.results()[i].size(), 1U) << i;
        const auto alone = of_lines.translate(std::span(&lines[i], 1)).front();
        const auto& found = source.results()[i].front();
        EXPECT_EQ(found.source, alone.source);
        EXPECT_EQ(found.text, alone.text);
        EXPECT_EQ(found.score, alone.score);  // to the last bit
        EXPECT_EQ(found.nbest.size(), alone.nbest.size());
        EXPECT_EQ(found.parts.size(), alone.parts.size());
      }
      EXPECT_GT(source.results()[5].front().parts.size(), 1U);
    }
  }
}

/// Fails with every sentence.
class FailingModel : public InferenceModel {
 public:
  class Session : public DecodingSession {
   public:
    [[nodiscard]] std::int64_t rows() const override { return 0; }
    [[nodiscard]] bool can_join() const override { return true; }
    void add(IdSpans, IdSpans) override { throw std::runtime_error("no"); }
    void step(std::span<const std::int64_t>, const Reader&) override {}
    void give_attention(bool) override {}
    void select(std::span<const std::int64_t>) override {}
  };
  [[nodiscard]] std::unique_ptr<DecodingSession> start() const override { return std::make_unique<Session>(); }
  [[nodiscard]] bool runs_side_by_side() const override { return false; }
  [[nodiscard]] std::int64_t vocabulary() const override { return 0; }
  [[nodiscard]] std::int64_t weight_bytes() const override { return 0; }
};

TEST_F(TranslatorTest, EveryLineThatFailsIsTold) {
  config_.data.max_length = 12;
  auto lines = sample_sentences(6, 11);
  lines[1] += " " + lines[2] + " " + lines[3];
  lines[4] = "";
  Translator failing(std::make_shared<FailingModel>(), tokenizers_->source, tokenizers_->target,
                     translator_options(config_));
  LineByLine source(lines);
  failing.translate(source);
  EXPECT_THAT(source.failed(), ::testing::UnorderedElementsAre(0, 1, 2, 3, 5));
  EXPECT_EQ(source.results()[4].size(), 1U);
}

TEST_F(TranslatorTest, GreedyOptionsKeepTheLimitsAlone) {
  config_.decoding.max_length = 7;
  config_.decoding.batch_tokens = 11;
  config_.decoding.min_length = 3;
  config_.decoding.sampling = true;
  config_.decoding.n_best = 5;
  DecodingOptions expected;
  expected.max_length = 7;
  expected.batch_tokens = 11;
  expected.beam_size = 1;
  EXPECT_EQ(greedy_options(config_.decoding), expected);
}

TEST_F(TranslatorTest, LearnedPositionsBoundSourceAndTarget) {
  config_.model.positions = PositionKind::kLearned;
  config_.model.max_positions = 20;
  const auto options = translator_options(config_);
  EXPECT_EQ(options.max_source_length, 18);
  EXPECT_EQ(options.decoding.max_length, 20);
  model_ = trainer::build_transformer(config_.model, vocabulary_sizes(*tokenizers_));
  std::string text;
  for (const auto& sentence : sample_sentences(10, 3)) {
    text += sentence + " ";
  }
  EXPECT_NO_THROW(static_cast<void>(translator().translate(std::vector<std::string>{text})));
}

}  // namespace
}  // namespace translate
