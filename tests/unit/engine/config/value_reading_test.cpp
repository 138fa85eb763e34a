#include "config/value_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config_file.h"
#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

Config read_values(const std::string& text) { return config_from_json_text(text, "test.json", "/base/dir"); }

std::string value_error(const std::string& text) {
  return testing::error_of<ConfigError>([&] { return read_values(text); });
}

TEST(ValueErrorTest, UnknownKeysNameTheirPlaceAndTheNearestKey) {
  EXPECT_EQ(value_error("{\n  \"training\": {\n    \"label_smooting\": 0.1\n  }\n}"),
            "test.json:3:5: training.label_smooting: unknown key; did you mean `label_smoothing`?");
  EXPECT_EQ(value_error(R"({"trainig": {}})"), "test.json:1:2: trainig: unknown key; did you mean `training`?");
  EXPECT_EQ(value_error(R"({"training": {"optimizer": {"beta3": 1}}})"),
            "test.json:1:29: training.optimizer.beta3: unknown key; did you mean `beta1`?");
  EXPECT_EQ(value_error(R"({"d_model": 5})"), "test.json:1:2: d_model: unknown key; did you mean `model.d_model`?");
  EXPECT_EQ(value_error(R"({"model": {"max_length": 5}})"),
            "test.json:1:12: model.max_length: unknown key; did you mean `data.max_length` or `decoding.max_length`?");
  EXPECT_EQ(value_error(R"({"model": {"zebra": 1}})"), "test.json:1:12: model.zebra: unknown key");
  EXPECT_EQ(value_error(R"({"data": {"test": {"sorce": "x", "target": "y"}}})"),
            "test.json:1:20: data.test.sorce: unknown key; did you mean `source`?");
}

TEST(ValueErrorTest, AllFaultsOfAListOfCorporaAreGathered) {
  EXPECT_EQ(value_error(R"({"data": {"train": [{"source": "a", "targt": "b"}, {"source": 3}, 5]}})"),
            "4 errors in the configuration:\n"
            "test.json:1:37: data.train[0].targt: unknown key; did you mean `target`?\n"
            "test.json:1:63: data.train[1].source: expected a path, got 3\n"
            "test.json:1:52: data.train[1]: `target` is missing: expected {\"source\": PATH, \"target\": PATH}\n"
            "test.json:1:67: data.train[2]: expected {\"source\": PATH, \"target\": PATH}, got 5");
}

TEST(ValueErrorTest, ABeamHasABound) {
  EXPECT_EQ(value_error(R"({"decoding": {"beam_size": 100000}})"),
            "test.json:1:28: decoding.beam_size: expected an integer from 1 to 1000, got 100000");
  EXPECT_EQ(value_error(R"({"decoding": {"n_best": 1001, "sampling": true}})"),
            "test.json:1:25: decoding.n_best: expected an integer from 1 to 1000, got 1001");
}

TEST(ValueErrorTest, WrongTypesSayWhatWasExpectedAndWhatCame) {
  EXPECT_EQ(value_error(R"({"model": {"d_model": 1.7}})"),
            "test.json:1:23: model.d_model: expected an integer of at least 1, got 1.7");
  EXPECT_EQ(value_error(R"({"model": {"d_model": "64"}})"),
            "test.json:1:23: model.d_model: expected an integer of at least 1, got \"64\"");
  EXPECT_EQ(value_error(R"({"model": {"d_model": 64.0}})"),
            "test.json:1:23: model.d_model: expected an integer of at least 1, got 64.0");
  EXPECT_EQ(value_error(R"({"model": {"dropout": true}})"),
            "test.json:1:23: model.dropout: expected a number from 0 to 1 (1 excluded), got true");
  EXPECT_EQ(value_error(R"({"model": {"attention_bias": 1}})"),
            "test.json:1:30: model.attention_bias: expected true or false, got 1");
  EXPECT_EQ(value_error(R"({"model": 5})"), "test.json:1:11: model: expected an object, got 5");
  EXPECT_EQ(value_error("[]"), "test.json:1:1: expected an object ({ ... }), got a list");
  EXPECT_EQ(value_error(R"({"run_dir": 5})"), "test.json:1:13: run_dir: expected a path, got 5");
  EXPECT_EQ(
      value_error(R"({"data": {"train": "a.en"}})"),
      "test.json:1:20: data.train: expected {\"source\": PATH, \"target\": PATH} or a list of these, got \"a.en\"");
  EXPECT_EQ(value_error(R"({"data": {"train": [{"source": "a.en"}]}})"),
            "test.json:1:21: data.train[0]: `target` is missing: expected {\"source\": PATH, \"target\": PATH}");
  EXPECT_EQ(value_error(R"({"data": {"train": [5]}})"),
            "test.json:1:21: data.train[0]: expected {\"source\": PATH, \"target\": PATH}, got 5");
  EXPECT_EQ(value_error(R"({"data": {"train": {"source": "", "target": "b"}}})"),
            "test.json:1:31: data.train.source: expected a path, got an empty string");
}

TEST(ValueErrorTest, ValuesOutOfRangeNameTheRange) {
  EXPECT_EQ(value_error(R"({"training": {"label_smoothing": 1.5}})"),
            "test.json:1:34: training.label_smoothing: expected a number from 0 to 1 (1 excluded), got 1.5");
  EXPECT_EQ(value_error(R"({"training": {"label_smoothing": 1}})"),
            "test.json:1:34: training.label_smoothing: expected a number from 0 to 1 (1 excluded), got 1");
  EXPECT_EQ(value_error(R"({"training": {"max_steps": -1}})"),
            "test.json:1:28: training.max_steps: expected an integer of at least 0, got -1");
  EXPECT_EQ(value_error(R"({"training": {"max_steps": 18446744073709551615}})"),
            "test.json:1:28: training.max_steps: expected an integer of at least 0 and at most 1000000000000000, got "
            "18446744073709551615");
  EXPECT_EQ(value_error(R"({"training": {"max_steps": 9223372036854775807}})").find("at most 1000000000000000") !=
                std::string::npos,
            true);
  EXPECT_EQ(value_error(R"({"training": {"learning_rate": 0}})"),
            "test.json:1:32: training.learning_rate: expected a number above 0, got 0");
  EXPECT_EQ(value_error(R"({"training": {"seed": -1}})"),
            "test.json:1:23: training.seed: expected an integer from 0 to 18446744073709551615, got -1");
  EXPECT_EQ(value_error(R"({"data": {"validation": {"fraction": 1}}})"),
            "test.json:1:38: data.validation.fraction: expected a number from 0 to 1 (1 excluded), got 1");
  EXPECT_EQ(value_error(R"({"training": {"validate_every": 0}})"),
            "test.json:1:33: training.validate_every: expected a number of steps of at least 1, or \"epoch\", got 0");
  EXPECT_EQ(value_error(R"({"training": {"validate_every": "epochs"}})"),
            "test.json:1:33: training.validate_every: expected a number of steps of at least 1, or \"epoch\", got "
            "\"epochs\"");
  EXPECT_EQ(value_error(R"({"decoding": {"split_sentences": "yes"}})"),
            "test.json:1:34: decoding.split_sentences: expected true, false or \"auto\", got \"yes\"");
  EXPECT_EQ(value_error(R"({"training": {"batch_tokens": 0}})"),
            "test.json:1:31: training.batch_tokens: expected an integer of at least 1, or \"auto\", got 0");
  EXPECT_EQ(value_error(R"({"training": {"batch_tokens": "automatic"}})"),
            "test.json:1:31: training.batch_tokens: expected an integer of at least 1, or \"auto\", got \"automatic\"");
}

TEST(ValueErrorTest, WrongChoicesListTheRightOnes) {
  EXPECT_EQ(value_error(R"({"tokenizer": {"type": "bpee"}})"),
            "test.json:1:24: tokenizer.type: expected \"bpe\", \"unigram\", \"word\", \"char\" or \"wordlevel\", got "
            "\"bpee\"; did you "
            "mean \"bpe\"?");
  EXPECT_EQ(value_error(R"({"model": {"norm": "sideways"}})"),
            "test.json:1:20: model.norm: expected \"pre\" or \"post\", got \"sideways\"");
  EXPECT_EQ(value_error(R"({"model": {"norm": null}})"),
            "test.json:1:20: model.norm: expected \"pre\" or \"post\", got null");
}

TEST(ValueReadingTest, NumLayersSetsBothDepths) {
  const Config config = read_values(R"({"model": {"num_layers": 3}})");
  EXPECT_EQ(config.model.encoder_layers, 3);
  EXPECT_EQ(config.model.decoder_layers, 3);
  EXPECT_EQ(
      value_error(R"({"model": {"num_layers": 3, "decoder_layers": 2}})"),
      "test.json:1:12: model.num_layers: sets both encoder_layers and decoder_layers, but `decoder_layers` is given "
      "too: give either num_layers or the other two");
}

TEST(ValueReadingTest, CorporaAreOneOrAList) {
  const CorpusFiles one{"/base/dir/a", "/base/b"};
  const CorpusFiles two{"/c", "/base/dir/d"};
  const Config config = read_values(R"({"data": {"train": {"source": "a", "target": "../b"},
      "validation": [{"source": "a", "target": "x/../../b"}, {"source": "/c", "target": "./d"}], "test": []}})");
  EXPECT_EQ(config.data.train, std::vector<CorpusFiles>{one});
  EXPECT_EQ(config.data.validation.files, (std::vector<CorpusFiles>{one, two}));
  EXPECT_TRUE(config.data.test.empty());
  EXPECT_EQ(read_values(R"({"data": {"validation": {"source": "a", "target": "../b"}}})").data.validation.files,
            std::vector<CorpusFiles>{one});
  EXPECT_EQ(read_values(R"({"data": {"validation": {"fraction": 0.1}}})").data.validation, (ValidationSource{{}, 0.1}));
  EXPECT_EQ(value_error(R"({"data": {"validation": {"fraction": 0.1, "source": "a", "target": "b"}}})"),
            "test.json:1:25: data.validation: give either files or a `fraction` of the training pairs, not both");
  EXPECT_EQ(value_error(R"({"data": {"validation": {}}})"),
            "test.json:1:25: data.validation: expected {\"source\": PATH, \"target\": PATH} or a list of these, or "
            "{\"fraction\": NUMBER}, got an object");
}

TEST(ValueReadingTest, ACorpusMayHaveSeveralFilesAndAWeight) {
  const Config config = read_values(R"({"data": {"train": [
      {"source": ["a.en", "b.en"], "target": ["a.fr", "b.fr"], "weight": 2}, {"source": "c.en", "target": "c.fr"}]}})");
  EXPECT_EQ(config.data.train,
            (std::vector<CorpusFiles>{{"/base/dir/a.en", "/base/dir/a.fr", 2.0, /*continues=*/false},
                                      {"/base/dir/b.en", "/base/dir/b.fr", 2.0, /*continues=*/true},
                                      {"/base/dir/c.en", "/base/dir/c.fr", 1.0, /*continues=*/false}}));
  EXPECT_EQ(
      value_error(R"({"data": {"train": {"source": ["a", "b"], "target": "c"}}})"),
      "test.json:1:20: data.train: `source` names 2 files and `target` 1: expected the translations of each file");
  EXPECT_EQ(value_error(R"({"data": {"train": {"source": [], "target": "c"}}})"),
            "test.json:1:31: data.train.source: expected a path or a list of paths, got an empty list");
  EXPECT_EQ(value_error(R"({"data": {"train": {"source": ["a", 2], "target": ["b", "c"]}}})"),
            "test.json:1:37: data.train.source[1]: expected a path, got 2");
  EXPECT_EQ(value_error(R"({"data": {"train": {"source": "a", "target": "b", "weight": 0}}})"),
            "test.json:1:61: data.train.weight: expected a number above 0, got 0");
  EXPECT_EQ(value_error(R"({"data": {"train": {"source": "a", "target": "b", "wieght": 3}}})"),
            "test.json:1:51: data.train.wieght: unknown key; did you mean `weight`?");
}

TEST(ValueReadingTest, ACorpusMayNameItsLanguages) {
  const Config config =
      read_values(R"({"data": {"train": {"source": ["a", "b"], "target": ["c", "d"], "source_language": "en",
      "target_language": "pt-BR"}, "validation": {"source": "v", "target": "w", "target_language": "zh_Hans"}}})");
  for (const auto& files : config.data.train) {
    EXPECT_EQ(files.source_language, "en");
    EXPECT_EQ(files.target_language, "pt-BR");
  }
  EXPECT_EQ(config.data.validation.files.front().source_language, "");
  EXPECT_EQ(config.data.validation.files.front().target_language, "zh_Hans");
  for (const auto* code : {"f r", "", ">>fr<<", "fr,de", "français"}) {
    const auto error = value_error(
        std::string(R"({"data": {"train": {"source": "a", "target": "b", "target_language": ")") + code + "\"}}}");
    EXPECT_EQ(error,
              "test.json:1:70: data.train.target_language: expected a language code of letters, digits, '-' and "
              "'_', such as \"pt-BR\", got \"" +
                  std::string(code) + "\"");
  }
}

TEST(ValueReading, StagesAreReadAndWrittenBack) {
  const std::string text =
      R"({"training": {"stages": [{"weights": [1, 0.5], "steps": 100, "modifiers": {"typos": 0.2}}, )"
      R"({"epochs": 1.5, "corpus": 1}, {"minutes": 3, "patience": 2}]}})";
  const auto stages = read_values(text).training.stages;
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[0].weights, (std::vector<double>{1.0, 0.5}));
  EXPECT_EQ(stages[0].modifiers->typos, 0.2);
  EXPECT_EQ(stages[1].corpus, 1);
  EXPECT_FALSE(stages[1].modifiers.has_value());
  EXPECT_EQ(stages[2].patience, 2);
  EXPECT_EQ(read_values(Json{{"training", {{"stages", write_value(stages)}}}}.dump()).training.stages, stages);
}

TEST(ValueReading, WrongStagesAreNamedWithTheirPlace) {
  const auto error = [](const std::string& stages) {
    return value_error("{\"training\": {\"stages\": " + stages + "}}");
  };
  EXPECT_THAT(error("5"), ::testing::HasSubstr("training.stages: expected a list"));
  EXPECT_THAT(error(R"([{"step": 5}])"), ::testing::HasSubstr("step"));
  EXPECT_THAT(error(R"([{"steps": -5}])"), ::testing::HasSubstr("training.stages[0].steps"));
  EXPECT_THAT(error(R"([{}, {"modifiers": {"typos": 2}}])"),
              ::testing::HasSubstr("training.stages[1].modifiers.typos: expected a number from 0 to 1"));
}

}  // namespace
}  // namespace translate
