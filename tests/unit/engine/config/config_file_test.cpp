#include "config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "config/key_table.h"
#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

/// A folder of its own with a small configuration in it.
class ConfigFileTest : public TemporaryFolderTest {
 protected:
  ConfigFileTest() {
    write_file_synced(file_, R"({
  "data": {"train": {"source": "text/a.en", "target": "../a.fr"}, "validation": {"source": "/v.en", "target": "v.fr"}},
  "model": {"d_model": 64, "num_layers": 2},
  "training": {"optimizer": {"beta1": 0.8, "beta2": 0.9}, "seed": 7}
})");
  }

  std::string error_with(const std::vector<std::string>& overrides) const {
    return testing::error_of<ConfigError>([&] { return read_config(file_, overrides); });
  }

  const fs::path file_ = folder_ / "small.json";
};

TEST(ConfigWritingTest, PathThatJsonCannotHoldIsAnError) {
  Config config;
  config.run_dir = "/caf\xE9";
  EXPECT_EQ(testing::error_of<ConfigError>([&] { (void)config_to_json(config); }),
            "run_dir: /caf\uFFFD is not valid UTF-8, and a configuration can hold nothing else: rename it, or choose "
            "another one");
  config.run_dir = "/runs/one";
  config.data.train = {{"/data/train.en", "/data/\xFF.fr"}};
  EXPECT_THAT(testing::error_of<ConfigError>([&] { (void)config_to_json(config); }),
              ::testing::HasSubstr("data.train: /data/\uFFFD.fr is not valid UTF-8"));
}

TEST(OverrideConfigTest, ChangesAConfigurationAndNamesTheOrigin) {
  Config config;
  override_config(config, std::vector<std::string>{"decoding.beam_size=7", "decoding.length_penalty_kind=average"},
                  "option");
  EXPECT_EQ(config.decoding.beam_size, 7);
  EXPECT_EQ(config.decoding.length_penalty_kind, LengthPenaltyKind::kAverage);
  try {
    override_config(config, std::vector<std::string>{"decoding.beam_size=0"}, "option");
    ADD_FAILURE() << "a wrong value was taken";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), std::string("option: decoding.beam_size: expected an integer from 1 to 1000, got 0"));
  }
  EXPECT_EQ(config.decoding.beam_size, 7);
}

TEST_F(ConfigFileTest, PathsAreAbsoluteFromTheFilesFolder) {
  const Config config = read_config(file_);
  EXPECT_EQ(config.data.train.front(), (CorpusFiles{folder_ / "text/a.en", folder_.parent_path() / "a.fr"}));
  EXPECT_EQ(config.data.validation.files.front(), (CorpusFiles{"/v.en", folder_ / "v.fr"}));
  EXPECT_EQ(config.run_dir, fs::current_path() / "runs" / "small");
  // The same from another folder, by a relative name.
  const fs::path before = fs::current_path();
  fs::current_path(folder_.parent_path());
  const Config again = read_config(folder_.filename() / "small.json");
  EXPECT_EQ(again.data, config.data);
  EXPECT_EQ(again.run_dir, folder_.parent_path() / "runs" / "small");
  EXPECT_EQ(read_config(folder_.filename() / "small.json", {"run_dir=mine/../here"}).run_dir,
            folder_.parent_path() / "here");
  fs::current_path(before);
}

TEST_F(ConfigFileTest, RunDirOfTheFileIsRelativeToItsFolder) {
  write_file_synced(file_, R"({"data": {"train": {"source": "a", "target": "b"}}, "run_dir": "here"})");
  EXPECT_EQ(read_config(file_).run_dir, folder_ / "here");
}

TEST_F(ConfigFileTest, WhatIsWrittenReadsBackFromAnywhere) {
  const Config config = read_config(file_);
  EXPECT_EQ(config_from_json_text(config_to_json(config), "config.json", "/elsewhere"), config);
}

TEST_F(ConfigFileTest, OverridesChangeTheirKeyAlone) {
  const Config before = read_config(file_);
  const Config after = read_config(file_, {"training.seed=3", "tokenizer.type=unigram", "model.decoder_layers=1",
                                           "training.validate_every=epoch", "model.attention_dropout=0"});
  EXPECT_EQ(changed_keys(before, after), (std::vector<std::string>{"tokenizer.type", "model.decoder_layers",
                                                                   "model.attention_dropout", "training.seed"}));
  EXPECT_EQ(after.training.seed, 3U);
  EXPECT_EQ(after.tokenizer.type, TokenizerType::kUnigram);
  EXPECT_EQ(after.model.encoder_layers, 2);
  EXPECT_EQ(after.model.attention_dropout, 0.0);
  EXPECT_EQ(read_config(file_, {"training.seed=3", "training.seed=4"}).training.seed, 4U);  // the last one counts
  const Config deeper = read_config(file_, {"model.decoder_layers=1", "model.num_layers=5"});
  EXPECT_EQ(deeper.model.encoder_layers, 5);
  EXPECT_EQ(deeper.model.decoder_layers, 5);
}

TEST_F(ConfigFileTest, OverridesReplaceObjectsAndListsAsAWhole) {
  const Config config = read_config(
      file_, {R"(training.optimizer={"beta1": 0.5})", R"(data.train=[{"source": "/x", "target": "/y"}])",
              R"(data.validation={"fraction": 0.25})", R"(data.test={"source": "t.en", "target": "t.fr"})"});
  EXPECT_EQ(config.training.optimizer, (OptimizerOptions{.beta1 = 0.5}));  // beta2 is the default's, not the file's
  EXPECT_EQ(config.training.seed, 7U);
  EXPECT_EQ(config.data.train, (std::vector<CorpusFiles>{{"/x", "/y"}}));
  EXPECT_EQ(config.data.validation, (ValidationSource{{}, 0.25}));
  EXPECT_EQ(config.data.test, (std::vector<CorpusFiles>{{fs::current_path() / "t.en", fs::current_path() / "t.fr"}}));
  EXPECT_EQ(read_config(file_, {"training.optimizer.beta1=0.5"}).training.optimizer,
            (OptimizerOptions{.beta1 = 0.5, .beta2 = 0.9}));
}

TEST_F(ConfigFileTest, OverridesMayGiveOnePathOfACorpus) {
  const Config config =
      read_config(file_, {"data.train.source=/new.en", "data.test.source=/t.en", "data.test.target=/t.fr"});
  EXPECT_EQ(config.data.train.front(), (CorpusFiles{"/new.en", folder_.parent_path() / "a.fr"}));
  EXPECT_EQ(config.data.test, (std::vector<CorpusFiles>{{"/t.en", "/t.fr"}}));
  EXPECT_EQ(read_config(file_, {"data.validation.fraction=0.1"}).data.validation, (ValidationSource{{}, 0.1}));
  EXPECT_EQ(error_with({"data.test.source=/t.en"}), "--set: data.test: the `target` of a corpus is missing");
  EXPECT_EQ(error_with({R"(data.test=[{"source": "a", "target": "b"}, {"source": "c", "target": "d"}])",
                        "data.test.source=/t.en"}),
            "--set: data.test: is a list of 2 corpora, which can only be replaced as a whole");
  EXPECT_EQ(error_with({R"(data.train={"source": "/only.en"})"}),
            "--set: data.train: `target` is missing: expected {\"source\": PATH, \"target\": PATH}");
}

TEST_F(ConfigFileTest, OverridesMayGiveAPartOfACorpusOfSeveralFiles) {
  const std::string two = R"(data.train={"source": ["/a.en", "/b.en"], "target": ["/a.fr", "/b.fr"]})";
  EXPECT_EQ(read_config(file_, {two, R"(data.train.source=["/c.en", "/d.en"])"}).data.train,
            (std::vector<CorpusFiles>{{"/c.en", "/a.fr"}, {"/d.en", "/b.fr", 1.0, /*continues=*/true}}));
  EXPECT_EQ(error_with({two, "data.train.source=/c.en"}),
            "--set: data.train: `source` names 1 file and `target` 2: expected the translations of each file");
  EXPECT_EQ(error_with({"data.train.weight=2"}),
            "--set: data.train: `weight` has an effect only beside other corpora: leave it out");
}

TEST_F(ConfigFileTest, PatternsBecomeTheFilesThatTheyMatch) {
  fs::create_directory(folder_ / "text");
  for (const char* name : {"p-2.en", "p-10.en", "p-2.fr", "p-10.fr"}) {
    write_file_synced(folder_ / "text" / name, "");
  }
  write_file_synced(file_, R"({"data": {
  "train": [{"source": "text/p-*.en", "target": "text/p-*.fr", "weight": 3}, {"source": "/a", "target": "/b"}],
  "validation": {"source": "text/p-*.fr", "target": "text/p-*.en"}}})");
  const Config config = read_config(file_);
  const fs::path text = folder_ / "text";
  EXPECT_EQ(config.data.train, (std::vector<CorpusFiles>{{text / "p-10.en", text / "p-10.fr", 3.0, /*continues=*/false},
                                                         {text / "p-2.en", text / "p-2.fr", 3.0, /*continues=*/true},
                                                         {"/a", "/b"}}));
  EXPECT_EQ(config.data.validation.files.size(), 2U);
  EXPECT_EQ(config_from_json_text(config_to_json(config), "config.json", "/elsewhere"), config);
  fs::remove(text / "p-2.fr");
  const auto error = error_with({});
  const auto missing = (text / "p-2.en").string() + " has no counterpart: there is no " + (text / "p-2.fr").string();
  EXPECT_EQ(error, "2 errors in the configuration:\n" + file_.string() + ":2:12: data.train: " + missing + "\n" +
                       file_.string() + ":3:17: data.validation: " + missing);
}

TEST_F(ConfigFileTest, TextThatLooksLikeANumberIsStillText) {
  EXPECT_EQ(read_config(file_, {"data.source_language=12"}).data.source_language, "12");
  EXPECT_EQ(read_config(file_, {"run_dir=2024"}).run_dir, fs::current_path() / "2024");
  EXPECT_EQ(read_config(file_, {"run_dir=a=b"}).run_dir, fs::current_path() / "a=b");
  EXPECT_EQ(read_config(file_, {R"(data.source_language="en")"}).data.source_language, "en");
}

TEST_F(ConfigFileTest, ErrorsOfOverridesNameThem) {
  EXPECT_EQ(error_with({"training.label_smoothing=1.5"}),
            "--set: training.label_smoothing: expected a number from 0 to 1 (1 excluded), got 1.5");
  EXPECT_EQ(error_with({"model.d_modl=5"}), "--set: model.d_modl: unknown key; did you mean `d_model`?");
  EXPECT_EQ(error_with({"lr=5"}), "--set: lr: unknown key; did you mean `training.learning_rate`?");
  EXPECT_EQ(error_with({"seed=5"}), "--set: seed: unknown key; did you mean `training.seed` or `decoding.seed`?");
  EXPECT_EQ(error_with({"model.d_model.x=5"}),
            "--set: model.d_model: expected an integer of at least 1, got an object");
  EXPECT_EQ(error_with({"model=5"}), "--set: model: expected an object, got 5");
  EXPECT_EQ(error_with({"model.d_model=sixty"}),
            "--set: model.d_model: expected an integer of at least 1, got \"sixty\"");
  EXPECT_EQ(error_with({"model.decoder=rnn"}),
            "--set: model.decoder: expected \"transformer\" or \"ssru\", got \"rnn\"");
  EXPECT_EQ(error_with({R"(training.optimizer={"beta1": 0.5, "beta1": 0.6})"}),
            "--set training.optimizer:1:16: beta1: the key is given twice (first in line 1)");
  for (const std::string text : {"training.seed", "=5", ".a=5", "a.=5", "a..b=5"}) {
    EXPECT_EQ(error_with({text}), "--set " + text + ": expected KEY.PATH=VALUE, e.g. training.seed=3");
  }
  EXPECT_EQ(error_with({"run_dir=caf\xE9"}), "--set run_dir=caf\xEF\xBF\xBD: not valid UTF-8");
}

TEST_F(ConfigFileTest, FileErrorsAreTheUsersMistakes) {
  const fs::path missing = folder_ / "missing.json";
  try {
    (void)read_config(missing);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), "cannot open " + missing.string() + ": No such file or directory");
    EXPECT_EQ(error.exit_code(), ExitCode::kUserMistake);
  }
  write_file_synced(file_, "{\"data\": }");
  EXPECT_EQ(error_with({}).find(file_.string() + ":1:10: syntax error"), 0) << error_with({});
}

TEST_F(ConfigFileTest, EverythingWrongIsToldAtOnceWithItsPlace) {
  write_file_synced(file_, R"({
  "data": {"train": {"source": "a.en", "target": "a.fr"}, "max_lenght": 3},
  "modle": {"num_layers": 2},
  "model": {"d_model": "wide", "num_heads": 3,
    "dropout": 1.5},
  "tokenizer": {"type": "bpee", "vocab_size": 100, "byte_fallback": true},
  "training": {"patience": 3, "patience": 4, "schedule": "cosine", "learning_rate": 0.001},
  "decoding": {"n_best": 9}
})");
  const std::string place = file_.string() + ":";
  // What follows from values that are unknown is not told: heads of a width that is no number.
  EXPECT_EQ(error_with({"training.max_steps=1000", "decoding.beam_size=5", "training.seed=-1"}),
            "11 errors in the configuration:\n" +                                                       //
                place + "7:31: training.patience: the key is given twice (first in line 7)\n" +         //
                place + "2:59: data.max_lenght: unknown key; did you mean `max_length`?\n" +            //
                place + "3:3: modle: unknown key; did you mean `model`?\n" +                            //
                place + "4:24: model.d_model: expected an integer of at least 1, got \"wide\"\n" +      //
                place + "5:16: model.dropout: expected a number from 0 to 1 (1 excluded), got 1.5\n" +  //
                place +
                "6:25: tokenizer.type: expected \"bpe\", \"unigram\", \"word\", \"char\" or \"wordlevel\", got "
                "\"bpee\"; " +                                                                          //
                "did you mean \"bpe\"?\n" +                                                             //
                "--set: training.seed: expected an integer from 0 to 18446744073709551615, got -1\n" +  //
                place +
                "6:47: tokenizer.vocab_size: expected more than 260 with byte_fallback (4 special tokens " +
                "and 256 bytes), got 100\n" +  //
                "--set: training.max_steps: the cosine schedule falls to 0 at this step: expected more than " +
                "warmup_steps (4000), got 1000\n" +                                                         //
                place + "7:43: training.patience: counts validations, but there is no data.validation\n" +  //
                place + "8:26: decoding.n_best (--n-best): a search with beam_size 5 cannot give 9 translations: " +
                "raise beam_size, or draw them (sampling)");
}

TEST_F(ConfigFileTest, WhatIsMissingIsToldAtItsObject) {
  write_file_synced(file_, "{\n  \"data\": {},\n  \"training\": {\"max_steps\": 0}\n}");
  const std::string place = file_.string() + ":";
  const std::string error = error_with({});
  EXPECT_EQ(error.rfind("2 errors in the configuration:\n" + place + "2:3: data.train: missing: ", 0), 0) << error;
  EXPECT_NE(error.find("\n" + place + "3:29: training: the run would never end"), std::string::npos) << error;
}

TEST_F(ConfigFileTest, ContradictionsNameThePlaceOfTheKeyThatIsGiven) {
  write_file_synced(
      file_, "{\n  \"data\": {\"train\": {\"source\": \"a\", \"target\": \"b\"}},\n  \"model\": {\"d_model\": 100}\n}");
  EXPECT_EQ(
      error_with({}),
      file_.string() + ":3:24: model.num_heads: d_model must be a multiple of it, but 100 is not a multiple of 8");
}

TEST_F(ConfigFileTest, ContradictionsOfOverridesNameThem) {
  EXPECT_EQ(error_with({"model.num_heads=5"}),
            "--set: model.num_heads: d_model must be a multiple of it, but 64 is not a multiple of 5");
}

TEST(ShippedConfigsTest, AllAreReadAndHold) {
  const fs::path configs = project_folder() / "configs";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(configs)) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    SCOPED_TRACE(entry.path());
    const Config config = read_config(entry.path());
    EXPECT_EQ(config_from_json_text(config_to_json(config), "config.json", "/"), config);
    EXPECT_EQ(config.data.train.front().source.string().find((configs.parent_path() / "data").string()), 0);
    ++count;
  }
  EXPECT_GE(count, 5);
}

}  // namespace
}  // namespace translate
