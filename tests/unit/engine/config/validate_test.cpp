#include "config/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

Config good() {
  Config config;
  config.data.train = {{"/a.en", "/a.fr"}};
  return config;
}

/// What is said of a good configuration after a change; "" where nothing is.
std::string fault_after(const std::function<void(Config&)>& change) {
  Config config = good();
  change(config);
  try {
    validate(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(ValidateTest, DefaultsWithTrainingTextAreGood) {
  EXPECT_EQ(fault_after([](Config&) {}), "");
}

TEST(ValidateTest, TrainingTextMustBeGiven) {
  EXPECT_EQ(fault_after([](Config& c) { c.data.train.clear(); }),
            "data.train: missing: expected the training text, e.g. \"train\": {\"source\": \"train.en\", \"target\": "
            "\"train.fr\"}");
}

TEST(ValidateTest, ValidationIsFilesOrAFraction) {
  const auto files = [](Config& c) { c.data.validation.files = {{"/v.en", "/v.fr"}}; };
  EXPECT_EQ(fault_after(files), "");
  EXPECT_EQ(fault_after([&](Config& c) {
              files(c);
              c.data.validation.fraction = 0.1;
            }),
            "data.validation: give either files or a `fraction` of the training pairs, not both");
}

TEST(ValidateTest, RatioIsNoneOrAtLeastOne) {
  EXPECT_EQ(fault_after([](Config& c) { c.data.max_length_ratio = 1; }), "");
  EXPECT_EQ(
      fault_after([](Config& c) { c.data.max_length_ratio = 0.5; }),
      "data.max_length_ratio: expected 0 (no limit) or at least 1, got 0.5: the longer side is never shorter than "
      "the other");
}

TEST(ValidateTest, MuonsOptionsNeedMuon) {
  const auto with = [](OptimizerOptions optimizer) {
    return fault_after([&](Config& c) { c.training.optimizer = optimizer; });
  };
  EXPECT_EQ(with({.type = OptimizerType::kMuon, .momentum = 0.9, .matrix_update = 0.3}), "");
  EXPECT_EQ(
      with({.momentum = 0.9}),
      "training.optimizer.momentum: has an effect only with Muon: set training.optimizer.type to \"muon\", or leave it "
      "out");
  EXPECT_EQ(with({.matrix_update = 0.3}).substr(0, 33), "training.optimizer.matrix_update:");
}

TEST(ValidateTest, ASecondSegmentationNeedsASecondPass) {
  const auto second = [](Config& c) {
    c.tokenizer.sampling = {.source = true, .second_pass = true};
    c.training.guided_alignment = GuidedAlignment::kAuto;
  };
  EXPECT_THAT(fault_after(second), HasSubstr("tokenizer.sampling.second_pass"));
  const auto with_r_drop = [&](Config& c) {
    second(c);
    c.training.r_drop = 5.0;
  };
  EXPECT_EQ(fault_after(with_r_drop), "");
  EXPECT_THAT(fault_after([&](Config& c) {
                with_r_drop(c);
                c.tokenizer.sampling.source = false;
              }),
              HasSubstr("tokenizer.sampling.source"));
  EXPECT_THAT(fault_after([&](Config& c) {
                with_r_drop(c);
                c.tokenizer.sampling.target = true;
              }),
              HasSubstr("training.guided_alignment"));
}

TEST(ValidateTest, SimCutAndRDropExcludeEachOther) {
  EXPECT_EQ(fault_after([](Config& c) {
              c.training.sim_cut = 3;
              c.model.dropout = 0;
            }),
            "");
  EXPECT_EQ(fault_after([](Config& c) {
              c.training.sim_cut = 3;
              c.training.r_drop = 5;
            }),
            "training.sim_cut: a batch is computed twice either for SimCut or for R-Drop: set one of the two to 0");
}

TEST(ValidateTest, RDropNeedsADropout) {
  const auto without = [](Config& c) {
    c.training.r_drop = 5;
    c.model.dropout = 0;
    c.model.layer_drop = 0.2;  // both passes leave out the same layers
  };
  EXPECT_EQ(fault_after([](Config& c) { c.training.r_drop = 5; }), "");
  EXPECT_EQ(fault_after(without),
            "training.r_drop: both passes over a batch would be the same: set model.dropout (or another dropout), or "
            "leave r_drop out");
  EXPECT_EQ(fault_after([&](Config& c) {
              without(c);
              c.training.word_dropout.target = 0.1;
            }),
            "");
}

TEST(ValidateTest, HeadsDivideTheWidth) {
  EXPECT_EQ(fault_after([](Config& c) { c.model.num_heads = 7; }),
            "model.num_heads: d_model must be a multiple of it, but 512 is not a multiple of 7");
}

TEST(ValidateTest, SinesNeedAnEvenWidth) {
  const auto odd = [](Config& c) {
    c.model.d_model = 63;
    c.model.num_heads = 7;
  };
  EXPECT_EQ(
      fault_after(odd),
      "model.d_model: expected an even number with sinusoidal positions, got 63: sines and cosines come in pairs");
  EXPECT_EQ(fault_after([&](Config& c) {
              odd(c);
              c.model.positions = PositionKind::kNone;
            }),
            "");
}

TEST(ValidateTest, LearnedPositionsMustCoverTheLongestSentence) {
  const auto learned = [](std::int64_t positions) {
    return [=](Config& c) {
      c.model.positions = PositionKind::kLearned;
      c.model.max_positions = positions;
      c.decoding.max_length = 100;
    };
  };
  EXPECT_EQ(fault_after(learned(258)), "");
  EXPECT_EQ(
      fault_after(learned(257)),
      "model.max_positions: expected at least 258 with learned positions (data.max_length 256, start and end), got "
      "257: raise it or lower data.max_length");
  EXPECT_EQ(
      fault_after([&](Config& c) {
        learned(258)(c);
        c.decoding.max_length = 300;
      }),
      "model.max_positions: expected at least 302 with learned positions (decoding.max_length 300, start and end), "
      "got 258: raise it or lower decoding.max_length");
  EXPECT_EQ(fault_after([](Config& c) { c.model.max_positions = 2; }), "");  // sinusoidal ones go on
}

TEST(ValidateTest, TyingAllNeedsOneVocabulary) {
  const auto separate = [](EmbeddingTying tying) {
    return [=](Config& c) {
      c.tokenizer.shared = false;
      c.model.tie_embeddings = tying;
    };
  };
  EXPECT_EQ(
      fault_after(separate(EmbeddingTying::kAll)),
      "model.tie_embeddings: \"all\" needs one vocabulary for both languages: set tokenizer.shared to true, or use "
      "\"decoder\"");
  EXPECT_EQ(fault_after(separate(EmbeddingTying::kDecoder)), "");
}

TEST(ValidateTest, SamplingNeedsATokenizerThatCan) {
  const auto sampling = [](TokenizerType type) {
    return [=](Config& c) {
      c.tokenizer.type = type;
      c.tokenizer.sampling.target = true;
    };
  };
  EXPECT_EQ(fault_after(sampling(TokenizerType::kBpe)), "");
  EXPECT_EQ(fault_after(sampling(TokenizerType::kUnigram)), "");
  EXPECT_EQ(fault_after(sampling(TokenizerType::kWord)),
            "tokenizer.sampling: a \"word\" tokenizer has only one segmentation: use \"bpe\" or \"unigram\", or no "
            "sampling");
  EXPECT_NE(fault_after(sampling(TokenizerType::kChar)), "");
}

TEST(ValidateTest, NbestIsForUnigram) {
  const auto nbest = [](TokenizerType type, std::int64_t count) {
    return [=](Config& c) {
      c.tokenizer.type = type;
      c.tokenizer.sampling.nbest = count;
    };
  };
  EXPECT_EQ(fault_after(nbest(TokenizerType::kUnigram, 64)), "");
  EXPECT_EQ(fault_after(nbest(TokenizerType::kUnigram, 1)),
            "tokenizer.sampling.nbest: expected -1 (to choose among all segmentations) or 2 to 512, got 1");
  EXPECT_EQ(fault_after(nbest(TokenizerType::kBpe, 64)),
            "tokenizer.sampling.nbest: only a \"unigram\" tokenizer ranks its segmentations, this one is \"bpe\"");
}

TEST(ValidateTest, WordLevelTokenizersHaveTheirOwnSettings) {
  const auto with = [](TokenizerType type, auto set) {
    return [=](Config& c) {
      c.tokenizer.type = type;
      set(c.tokenizer);
    };
  };
  const auto min_frequency = [](TokenizerOptions& t) { t.min_frequency = 2; };
  EXPECT_EQ(fault_after(with(TokenizerType::kWordLevel, min_frequency)), "");
  EXPECT_EQ(fault_after(with(TokenizerType::kWord, min_frequency)),
            "tokenizer.min_frequency: has an effect only on \"wordlevel\" tokenizers, but tokenizer.type is \"word\": "
            "leave it out");
  EXPECT_EQ(fault_after(with(TokenizerType::kWordLevel, [](TokenizerOptions& t) { t.character_coverage = 0.99; })),
            "tokenizer.character_coverage: has an effect only on SentencePiece models, but tokenizer.type is "
            "\"wordlevel\": leave it out");
  EXPECT_NE(fault_after(with(TokenizerType::kWordLevel, [](TokenizerOptions& t) { t.byte_fallback = true; })), "");
  EXPECT_NE(
      fault_after(with(TokenizerType::kWordLevel, [](TokenizerOptions& t) { t.normalization = Normalization::kNfkc; })),
      "");
  EXPECT_NE(fault_after(
                with(TokenizerType::kWordLevel, [](TokenizerOptions& t) { t.ignorable = IgnorableCharacters::kKeep; })),
            "");
  EXPECT_NE(fault_after(with(TokenizerType::kWordLevel, [](TokenizerOptions& t) { t.sampling.source = true; })), "");
}

TEST(ValidateTest, BatchesOfAFixedLengthHoldEverySentence) {
  const auto padded = [](std::int64_t pad_to) { return [=](Config& c) { c.training.pad_to = pad_to; }; };
  EXPECT_EQ(fault_after(padded(0)), "");
  EXPECT_EQ(fault_after(padded(258)), "");
  EXPECT_EQ(fault_after(padded(257)),
            "training.pad_to: expected at least 258, the longest training sentence (data.max_length 256, start and "
            "end), got 257: raise it or lower data.max_length");
  EXPECT_EQ(fault_after([&](Config& c) {
              padded(600)(c);
              c.model.positions = PositionKind::kLearned;
            }),
            "training.pad_to: expected at most model.max_positions (512) with learned positions, got 600");
  EXPECT_NE(fault_after([&](Config& c) {
              padded(300)(c);
              c.training.batch_tokens = TokenBudget{};
            }),
            "");
}

TEST(ValidateTest, ByteFallbackNeedsRoomInTheVocabulary) {
  const auto bytes = [](std::int64_t size) {
    return [=](Config& c) {
      c.tokenizer.byte_fallback = true;
      c.tokenizer.vocab_size = size;
    };
  };
  EXPECT_EQ(fault_after(bytes(261)), "");
  EXPECT_EQ(
      fault_after(bytes(260)),
      "tokenizer.vocab_size: expected more than 260 with byte_fallback (4 special tokens and 256 bytes), got 260");
}

TEST(ValidateTest, ReadyModelsMustFitTogether) {
  const auto models = [](bool shared, const char* source, const char* target) {
    return [=](Config& c) {
      c.tokenizer.shared = shared;
      c.tokenizer.source_model = source;
      c.tokenizer.target_model = target;
    };
  };
  EXPECT_EQ(fault_after(models(true, "/s", "")), "");
  EXPECT_EQ(fault_after(models(true, "/s", "/s")), "");
  EXPECT_EQ(fault_after(models(false, "/s", "/t")), "");
  EXPECT_EQ(fault_after(models(true, "/s", "/t")), "");  // they may differ in their normalisers
  EXPECT_EQ(fault_after(models(false, "/s", "")),
            "tokenizer.target_model: missing: without `shared` give both models or none");
  EXPECT_EQ(fault_after(models(false, "", "/t")),
            "tokenizer.source_model: missing: without `shared` give both models or none");
}

TEST(ValidateTest, AlignmentsComeFromAnAttentionOfTheModel) {
  const auto attention = [](std::optional<std::int64_t> layer, std::optional<std::int64_t> head) {
    return [=](Config& c) {
      c.model.alignment_layer = layer;
      c.model.alignment_head = head;
    };
  };
  EXPECT_EQ(fault_after(attention(5, 7)), "");
  EXPECT_EQ(fault_after(attention(0, std::nullopt)), "");
  EXPECT_EQ(fault_after(attention(6, 0)),
            "model.alignment_layer: expected one of the 6 decoder layers, counted from 0, got 6");
  EXPECT_EQ(fault_after(attention(5, 8)), "model.alignment_head: expected one of the 8 heads, counted from 0, got 8");
  EXPECT_EQ(
      fault_after(attention(std::nullopt, 0)),
      "model.alignment_head: is a head of model.alignment_layer, which is not set: set it, or leave the head out");
  EXPECT_EQ(fault_after([](Config& c) { c.model.input_alignment_layer = 6; }),
            "model.input_alignment_layer: expected one of the 6 decoder layers, counted from 0, got 6");
}

TEST(ValidateTest, GuidedAlignmentNeedsTheSameSubwordsInEveryEpoch) {
  const auto guided = [](Config& c) { c.training.guided_alignment = GuidedAlignment::kAuto; };
  EXPECT_EQ(fault_after(guided), "");
  EXPECT_EQ(fault_after([&](Config& c) {
              guided(c);
              c.tokenizer.sampling.target = true;
            }),
            "training.guided_alignment: links the subwords of each pair once, and tokenizer.sampling draws others in "
            "every epoch: switch one of the two off");
  EXPECT_EQ(
      fault_after([](Config& c) { c.training.guided_alignment_weight = 0.2; }),
      "training.guided_alignment_weight: has an effect only with training.guided_alignment: set it to \"auto\", or "
      "leave the weight out");
}

TEST(ValidateTest, ATeacherPredictsTheSameLabelsInEveryEpoch) {
  const auto taught = [](Config& c) { c.training.teacher = "a"; };
  EXPECT_EQ(fault_after(taught), "");
  EXPECT_EQ(fault_after([&](Config& c) {
              taught(c);
              c.tokenizer.sampling.source = true;
            }),
            "");
  EXPECT_THAT(fault_after([&](Config& c) {
                taught(c);
                c.tokenizer.sampling.target = true;
              }),
              HasSubstr("training.teacher: predicts the labels of each pair once"));
  EXPECT_THAT(fault_after([](Config& c) { c.training.teacher_weight = 0.2; }),
              HasSubstr("has an effect only with training.teacher"));
}

TEST(ValidateTest, AutoSizesBatchesByTokens) {
  const auto automatic = [](Config& c) { c.training.batch_tokens = TokenBudget{}; };
  EXPECT_EQ(fault_after(automatic), "");
  EXPECT_EQ(
      fault_after([&](Config& c) {
        automatic(c);
        c.training.batch_sentences = 32;
      }),
      "training.batch_tokens: \"auto\" sizes batches by tokens, but batch_sentences = 32 sizes them by sentences: "
      "leave one of them out");
}

TEST(ValidateTest, FallingSchedulesNeedTheirEnd) {
  const auto schedule = [](ScheduleKind kind, std::int64_t steps) {
    return [=](Config& c) {
      c.training.schedule = kind;
      c.training.learning_rate = 0.001;
      c.training.max_steps = steps;
      c.training.max_epochs = 1;
    };
  };
  EXPECT_EQ(fault_after(schedule(ScheduleKind::kCosine, 4001)), "");
  EXPECT_EQ(
      fault_after(schedule(ScheduleKind::kCosine, 4000)),
      "training.max_steps: the cosine schedule falls to 0 at this step: expected more than warmup_steps (4000), got "
      "4000");
  EXPECT_NE(fault_after(schedule(ScheduleKind::kLinear, 0)), "");
  EXPECT_EQ(fault_after(schedule(ScheduleKind::kInverseSqrt, 0)), "");
}

TEST(ValidateTest, OnlyNoamTakesALargeLearningRate) {
  EXPECT_EQ(fault_after([](Config& c) { c.training.schedule = ScheduleKind::kConstant; }),
            "training.learning_rate: the peak of the constant schedule, expected at most 0.1 (0.0005 is a good start), "
            "got 1: only noam takes a factor");
}

TEST(ValidateTest, SomeLimitMustEndTheRun) {
  const auto endless = [](Config& c) { c.training.max_steps = 0; };
  EXPECT_EQ(fault_after(endless),
            "training: the run would never end: set a limit (max_steps, max_epochs, max_minutes or patience)");
  EXPECT_EQ(fault_after([&](Config& c) {
              endless(c);
              c.training.max_minutes = 0.5;
            }),
            "");
  const auto patient = [&](Config& c) {
    endless(c);
    c.training.patience = 3;
  };
  EXPECT_EQ(fault_after(patient), "training.patience: counts validations, but there is no data.validation");
  EXPECT_EQ(fault_after([&](Config& c) {
              patient(c);
              c.data.validation.fraction = 0.1;
            }),
            "");
}

TEST(ValidateTest, NBestIsLimitedByTheBeamAndMinLengthByMaxLength) {
  EXPECT_EQ(fault_after([](Config& c) { c.decoding.n_best = 4; }), "");
  const auto many = [](Config& c) { c.decoding.n_best = 5; };
  EXPECT_EQ(
      fault_after(many),
      "decoding.n_best (--n-best): a search with beam_size 4 cannot give 5 translations: raise beam_size, or draw "
      "them (sampling)");
  EXPECT_EQ(fault_after([&](Config& c) {
              many(c);
              c.decoding.sampling = true;
            }),
            "");
  EXPECT_EQ(fault_after([](Config& c) { c.decoding.min_length = 257; }),
            "decoding.min_length (--min-length): expected at most max_length (256), got 257");
}

TEST(ValidateTest, TemperatureTopKTopPAndEpsilonNeedSampling) {
  const std::pair<const char*, std::function<void(Config&)>> changes[] = {
      {"decoding.temperature (--temperature)", [](Config& c) { c.decoding.temperature = 0.5; }},
      {"decoding.top_k (--top-k)", [](Config& c) { c.decoding.top_k = 5; }},
      {"decoding.top_p (--top-p)", [](Config& c) { c.decoding.top_p = 0.5; }},
      {"decoding.epsilon (--epsilon)", [](Config& c) { c.decoding.epsilon = 0.02; }}};
  for (const auto& [name, change] : changes) {
    EXPECT_EQ(fault_after(change),
              std::string(name) +
                  ": has an effect only with sampling: set decoding.sampling to true (--sampling), or "
                  "leave it out");
    Config config = good();
    change(config);
    EXPECT_THROW(validate_decoding(config), ConfigError);
    EXPECT_THROW(validate_model(config), ConfigError);
    config.decoding.sampling = true;
    EXPECT_NO_THROW(validate_decoding(config));
  }
}

TEST(ValidateTest, WeightsAndTemperatureNeedSeveralTrainingCorpora) {
  const auto two = [](Config& c) { c.data.train = {{"a", "b"}, {"c", "d"}}; };
  const auto one_of_two_files = [](Config& c) { c.data.train = {{"a", "b", 2.0}, {"c", "d", 2.0, true}}; };
  EXPECT_EQ(fault_after([](Config& c) { c.data.train.front().weight = 2.0; }),
            "data.train: `weight` has an effect only beside other corpora: leave it out");
  EXPECT_EQ(fault_after(one_of_two_files),
            "data.train: `weight` has an effect only beside other corpora: leave it out");
  EXPECT_EQ(fault_after([](Config& c) { c.data.sampling_temperature = 5.0; }),
            "data.sampling_temperature: has an effect only with several training corpora: leave it out");
  EXPECT_EQ(fault_after([&](Config& c) {
              two(c);
              c.data.train.front().weight = 2.0;
              c.data.sampling_temperature = 5.0;
            }),
            "");
  EXPECT_EQ(fault_after([](Config& c) {
              c.data.test = {{"a", "b", 2.0}};
            }),
            "data.test: `weight` is for training corpora: these pairs are all read once; leave it out");
  EXPECT_EQ(fault_after([](Config& c) {
              c.data.validation.files = {{"a", "b", 2.0}};
            }),
            "data.validation: `weight` is for training corpora: these pairs are all read once; leave it out");
}

TEST(ValidateTest, MarkupIsOfTrainingText) {
  const CorpusFiles html{.source = "a", .target = "b", .markup = Markup::kHtml};
  EXPECT_EQ(fault_after([&](Config& c) { c.data.train = {html}; }), "");
  EXPECT_EQ(fault_after([&](Config& c) { c.data.test = {html}; }),
            "data.test: `markup` is for training corpora: give these as plain text, without tags");
  EXPECT_EQ(fault_after([&](Config& c) { c.data.validation.files = {html}; }),
            "data.validation: `markup` is for training corpora: give these as plain text, without tags");
}

TEST(ValidateTest, GivenLinksAreOfAllTrainingTextAndUsed) {
  const CorpusFiles linked{.source = "a", .target = "b", .alignment = "c"};
  const auto guided = [&](Config& c) {
    c.data.train = {linked};
    c.training.guided_alignment = GuidedAlignment::kAuto;
  };
  EXPECT_EQ(fault_after(guided), "");
  EXPECT_EQ(fault_after([&](Config& c) {
              c.data.train = {linked};
              c.data.modifiers.tags = 0.1;
            }),
            "");
  EXPECT_THAT(fault_after([&](Config& c) { c.data.train = {linked}; }),
              ::testing::StartsWith("data.train: `alignment` has an effect only with training.guided_alignment"));
  EXPECT_THAT(fault_after([&](Config& c) {
                guided(c);
                c.data.train.push_back({.source = "d", .target = "e"});
              }),
              ::testing::StartsWith("data.train: the corpus d has no `alignment`, but others have"));
  EXPECT_EQ(fault_after([&](Config& c) { c.data.test = {linked}; }),
            "data.test: `alignment` is for training corpora: leave it out");
}

TEST(ValidateTest, ModifiersOfCaseExcludeEachOther) {
  EXPECT_EQ(
      fault_after([](Config& c) { c.data.modifiers = {.upper_case = 0.5, .title_case = 0.5, .lower_case = 0.25}; }),
      "data.modifiers: upper_case, title_case and lower_case exclude each other: expected at most 1 together, got "
      "1.25");
  EXPECT_EQ(
      fault_after([](Config& c) { c.data.modifiers = {.upper_case = 0.5, .title_case = 0.3, .lower_case = 0.2}; }), "");
  EXPECT_EQ(fault_after([](Config& c) { c.data.modifiers.typo_words = 0.2; }),
            "data.modifiers.typo_words: has an effect only with typos: set data.modifiers.typos, or leave it out");
  EXPECT_EQ(fault_after([](Config& c) { c.data.modifiers = {.typos = 0.1, .typo_words = 0.2}; }), "");
}

TEST(ValidateTest, ChangedWordsNeedSubwords) {
  const auto with = [](TokenizerType type) {
    return [type](Config& c) {
      c.data.modifiers.placeholders = 0.1;
      c.tokenizer.type = type;
    };
  };
  EXPECT_EQ(
      fault_after(with(TokenizerType::kWordLevel)),
      "data.modifiers.placeholders: needs symbols inside of words, which \"wordlevel\" tokenizers do not have: use "
      "\"bpe\", \"unigram\" or \"char\", or leave it out");
  EXPECT_NE(fault_after(with(TokenizerType::kWord)), "");
  EXPECT_EQ(fault_after(with(TokenizerType::kUnigram)), "");
  EXPECT_EQ(fault_after([](Config& c) {
              c.data.modifiers.keep = 0.1;
              c.tokenizer.type = TokenizerType::kWordLevel;
            }),
            "data.modifiers.keep: needs parts of words, which \"wordlevel\" tokenizers do not have: use \"bpe\", "
            "\"unigram\" or \"char\", or leave it out");
}

TEST(ValidateTest, AllCorporaNameTheirTargetLanguageOrNone) {
  const auto with_target = [](const char* source, const char* language) {
    CorpusFiles files{source, "b"};
    files.target_language = language;
    return files;
  };
  const auto fault = [&](std::vector<CorpusFiles> validation, std::vector<CorpusFiles> test) {
    return fault_after([&](Config& c) {
      c.data.train = {with_target("a", "fr"), with_target("c", "de")};
      c.data.validation.files = std::move(validation);
      c.data.test = std::move(test);
    });
  };
  EXPECT_EQ(fault({}, {}), "");
  EXPECT_EQ(fault({with_target("v", "de")}, {with_target("t", "fr")}), "");
  EXPECT_EQ(fault({with_target("v", "de"), {"w", "b"}}, {}),
            "data.validation: the corpus w names no `target_language`, but a of data.train does (\"fr\"): name it for "
            "every corpus of data.train, data.validation and data.test, or for none");
  EXPECT_EQ(fault_after([&](Config& c) { c.data.test = {with_target("t", "fr")}; }),
            "data.train: the corpus /a.en names no `target_language`, but t of data.test does (\"fr\"): name it for "
            "every corpus of data.train, data.validation and data.test, or for none");
  EXPECT_EQ(fault_after([](Config& c) { c.data.train.front().source_language = "en"; }), "");
}

TEST(ValidateTest, ATagTakesALearnedPosition) {
  const auto fault = [](std::int64_t positions) {
    return fault_after([&](Config& c) {
      c.data.train.front().target_language = "fr";
      c.model.positions = PositionKind::kLearned;
      c.model.max_positions = positions;
    });
  };
  EXPECT_EQ(fault(259), "");
  EXPECT_EQ(
      fault(258),
      "model.max_positions: expected at least 259 with learned positions (data.max_length 256, start and end, and "
      "a tag), got 258: raise it or lower data.max_length");
}

TEST(ValidateTest, EveryFaultIsNamed) {
  Config config;
  config.training.max_steps = 0;
  try {
    validate(config, "mine.json");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("mine.json: data.train: missing"), 0);
    EXPECT_NE(message.find("\nmine.json: training: the run would never end"), std::string::npos);
  }
}

/// The fault of a configuration with a teacher to train after a change.
std::string fault_with_teacher(const std::function<void(Config&)>& change) {
  return fault_after([&](Config& config) {
    config.distillation.teachers = 1;
    config.data.validation.files = {{"/v.en", "/v.fr"}};
    change(config);
  });
}

TEST(ValidateTest, ADistillationHasTeachersOfOneKind) {
  EXPECT_EQ(fault_with_teacher([](Config&) {}), "");
  EXPECT_THAT(fault_with_teacher([](Config& c) { c.distillation.teacher = "a"; }), HasSubstr("distillation.teacher:"));
  EXPECT_THAT(fault_after([](Config& c) { c.distillation.drawn = 3; }), HasSubstr("only with teachers"));
  EXPECT_THAT(fault_after([](Config& c) { c.distillation.student = {"model.dropout=0.1"}; }),
              HasSubstr("only with teachers"));
}

TEST(ValidateTest, CandidatesAreChosenBySomething) {
  EXPECT_THAT(fault_with_teacher([](Config& c) { c.distillation.n_best = 4; }), HasSubstr("go together"));
  EXPECT_THAT(fault_with_teacher([](Config& c) {
                c.distillation.teacher_weight = 0.5;
                c.tokenizer.sampling.target = true;
              }),
              HasSubstr("distillation.teacher_weight:"));
  EXPECT_THAT(fault_with_teacher([](Config& c) { c.distillation.reference_weight = 1.0; }), HasSubstr("go together"));
  const auto with_both = [](Config& c) {
    c.distillation.n_best = 4;
    c.distillation.reverse_weight = 0.5;
  };
  EXPECT_EQ(fault_with_teacher(with_both), "");
  const auto ready = [&](Config& c) {
    with_both(c);
    c.distillation.teachers = 0;
    c.distillation.teacher = "a";
  };
  EXPECT_THAT(fault_with_teacher(ready), HasSubstr("needs a model of the other direction"));
  EXPECT_EQ(fault_with_teacher([&](Config& c) {
              ready(c);
              c.distillation.reverse = "b";
            }),
            "");
}

TEST(ValidateTest, TextThatIsWrittenAnewIsPlain) {
  EXPECT_THAT(fault_with_teacher([](Config& c) { c.data.validation = {.files = {}, .fraction = 0.1}; }),
              HasSubstr("needs validation files"));
  EXPECT_THAT(fault_with_teacher([](Config& c) { c.data.train.front().markup = Markup::kHtml; }),
              HasSubstr("corpora with languages of their own or with markup"));
}

TEST(ValidateTest, StudentsHaveSettingsThatExist) {
  const auto fault = [](const std::string& setting) {
    return fault_with_teacher([&](Config& c) { c.distillation.student = {setting}; });
  };
  EXPECT_EQ(fault("training.max_steps=7"), "");
  EXPECT_THAT(fault("training.max_step=7"), HasSubstr("unknown key"));
  EXPECT_THAT(fault("model.dropout=7"), HasSubstr("expected"));
  EXPECT_THAT(fault("run_dir=\"/r\""), HasSubstr("not for a student alone"));
  EXPECT_THAT(fault("distillation.teachers=2"), HasSubstr("not for a student alone"));
}

TEST(ValidateTest, StagesFitTheCorporaAndEnd) {
  const auto with = [](std::vector<StageOptions> stages) {
    return fault_after([&](Config& c) {
      c.data.train = {
          {"/a.en", "/a.fr"}, {"/b.en", "/b.fr"}, {.source = "/c.en", .target = "/c.fr", .continues = true}};
      c.training.stages = std::move(stages);
    });
  };
  EXPECT_EQ(with({{.weights = {1, 0}, .steps = 5}, {.weights = {0, 1}}}), "");
  EXPECT_THAT(with({{.weights = {1, 2, 3}}}), testing::HasSubstr("stage 1: `weights` has 3 numbers, and data.train 2"));
  EXPECT_THAT(with({{.weights = {0, 0}}}), testing::HasSubstr("nothing is read"));
  EXPECT_THAT(with({{.weights = {1, 1}}, {}}), testing::HasSubstr("stage 1: it has no end"));
  EXPECT_THAT(with({{.epochs = 1.0, .corpus = 2}}), testing::HasSubstr("`corpus` 2 is none"));
  EXPECT_THAT(with({{.weights = {1, 0}, .epochs = 1.0, .corpus = 1}}), testing::HasSubstr("`corpus` 1 is none"));
  EXPECT_THAT(with({{.steps = 1, .corpus = 1}}), testing::HasSubstr("whose `epochs` count"));
  EXPECT_THAT(with({{.patience = 1}}), testing::HasSubstr("no data.validation"));
  EXPECT_THAT(with({{.modifiers = ModifierOptions{.tags = 0.1}}}), testing::HasSubstr("need aligned words"));
  EXPECT_THAT(with({{.modifiers = ModifierOptions{.upper_case = 0.6, .title_case = 0.6}}}),
              testing::HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace translate
