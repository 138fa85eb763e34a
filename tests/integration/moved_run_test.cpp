// A run whose folder, corpus or both were moved, copied or renamed goes on and can be evaluated; text of other content
// is refused.
#include <gmock/gmock.h>
#include <zlib.h>

#include <cctype>

#include "integration/workspace.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kLast = "/checkpoints/step-00000008/";

/// A project in a folder of its own: corpus, configuration and run.
class MovedRun : public ::testing::Test {
 protected:
  MovedRun() {
    workspace_.write_corpus();
    fs::create_directory(old_);
    for (const auto* file : {"train.en", "train.fr", "held.en", "held.fr"}) {
      fs::rename(workspace_ / file, old_ / file);
    }
    // So that all three parts are known apart.
    fs::copy_file(old_ / "held.en", old_ / "test.en");
    fs::copy_file(old_ / "held.fr", old_ / "test.fr");
    write_config(config_);
    const auto result = train_to(4, "old/tiny.json", {"--run-dir", "old/runs/tiny"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }

  static Json make_config() {
    auto config = tiny_config();
    config["data"]["test"] = {{"source", "test.en"}, {"target", "test.fr"}};
    return config;
  }

  void write_config(const Json& config, const std::string& file = "old/tiny.json") const {
    workspace_.write(file, config.dump());
  }

  [[nodiscard]] ProcessResult train_to(int steps, const std::string& config, Arguments arguments = {}) const {
    arguments.insert(arguments.end(), {"--config", config, "--set", "training.max_steps=" + std::to_string(steps)});
    return workspace_.run("translate-train", arguments);
  }

  [[nodiscard]] ProcessResult evaluate(const std::string& run, Arguments arguments = {}) const {
    arguments.insert(arguments.end(), {"--run-dir", run, "--metrics", "bleu"});
    return workspace_.evaluate(arguments);
  }

  /// The run in `run`, at step 4, can be trained further with this command, to the same weights as if nothing had
  /// moved.
  void expect_going_on(const std::string& run, const std::string& config, const Arguments& arguments) {
    fs::create_directory(workspace_ / "straight");
    for (const auto* file : {"train.en", "train.fr", "held.en", "held.fr"}) {
      fs::copy_file(originals_ / file, workspace_ / ("straight/" + std::string(file)));
    }
    auto plain = config_;
    plain["data"].erase("test");
    write_config(plain, "straight/tiny.json");
    ASSERT_EQ(train_to(8, "straight/tiny.json", {"--run-dir", "straight/run"}).exit_code, 0);

    const auto result = train_to(8, config, arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("resuming from"), HasSubstr("step 4")));
    for (const auto* file : {"model.safetensors", "training_state.safetensors"}) {
      EXPECT_TRUE(workspace_.read(run + kLast + file) == workspace_.read("straight/run" + kLast + file)) << file;
    }
  }

  void keep_originals() {
    fs::create_directory(originals_);
    for (const auto* file : {"train.en", "train.fr", "held.en", "held.fr"}) {
      fs::copy_file(old_ / file, originals_ / file);
    }
  }

  void change(const fs::path& file) const {
    const auto relative = file.lexically_relative(workspace_.path()).string();
    auto text = workspace_.read(relative);
    text[0] = static_cast<char>(std::toupper(text[0]));  // the size stays
    workspace_.write(relative, text);
  }

  Workspace workspace_;
  fs::path old_ = workspace_ / "old";
  fs::path new_ = workspace_ / "new";
  fs::path originals_ = workspace_ / "originals";
  Json config_ = make_config();
};

TEST_F(MovedRun, WithItsCorpusGoesOnByTheSameConfiguration) {
  keep_originals();
  fs::rename(old_, new_);
  expect_going_on("new/runs/tiny", "new/tiny.json", {"--run-dir", "new/runs/tiny"});
  EXPECT_THAT(workspace_.read("new/runs/tiny/config.json"), Not(HasSubstr(old_.string())));
}

TEST_F(MovedRun, WithItsCorpusGoesOnByItsOwnConfiguration) {
  keep_originals();
  fs::rename(old_, new_);
  expect_going_on("new/runs/tiny", "new/runs/tiny/config.json", {});
  EXPECT_FALSE(fs::exists(old_));
}

TEST_F(MovedRun, ACopyGoesOnByItsOwnConfigurationAndLeavesTheOldOneAlone) {
  keep_originals();
  fs::copy(old_, new_, fs::copy_options::recursive);
  expect_going_on("new/runs/tiny", "new/runs/tiny/config.json", {});
  EXPECT_FALSE(fs::exists(old_ / "runs/tiny/checkpoints/step-00000008"));
}

TEST_F(MovedRun, WithItsCorpusFindsItsTestSet) {
  const auto before = evaluate("old/runs/tiny");
  ASSERT_EQ(before.exit_code, 0) << before.err;
  EXPECT_THAT(before.err, Not(HasSubstr("is now read from")));
  fs::rename(old_, new_);
  const auto scores = [](const ProcessResult& result) { return result.out.substr(result.out.find("sentences")); };
  for (const std::string split : {"test", "validation"}) {
    const auto after = evaluate("new/runs/tiny", {"--split", split});
    EXPECT_EQ(after.exit_code, 0) << after.err;
    EXPECT_EQ(scores(after), scores(before));
    const auto file = split == "test" ? "test.en" : "held.en";
    EXPECT_THAT(after.err, HasSubstr("data." + split + ": " + (old_ / file).string() + " is now read from " +
                                     (new_ / file).string()));
  }
  const auto by_path = workspace_.evaluate({"--checkpoint", "new/runs/tiny/checkpoints/step-00000004/"});
  EXPECT_EQ(by_path.exit_code, 0) << by_path.err;
}

TEST_F(MovedRun, WithoutItsCorpusReadsItWhereItIs) {
  keep_originals();
  fs::rename(old_ / "runs/tiny", workspace_ / "elsewhere");
  const auto result = evaluate("elsewhere");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("is now read from")));
  expect_going_on("elsewhere", "elsewhere/config.json", {});
}

TEST_F(MovedRun, ItsCorpusIsFoundFromTheCurrentFolder) {
  // The run was sent to somebody who has the same project, and stands in it.
  fs::rename(old_ / "runs/tiny", workspace_ / "downloaded");
  fs::rename(old_, new_);
  const auto result = Process("translate-eval", {"--threads", "1", "--run-dir", "../downloaded", "--metrics", "bleu"},
                              {.folder = new_, .input = {}, .stdout_path = {}, .file_limit = {}})
                          .wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is now read from " + (new_ / "test.en").string()));
}

TEST_F(MovedRun, OfPlacesTheOneWithTheRightContentCounts) {
  // At the old place there is now another corpus.
  fs::copy(old_, new_, fs::copy_options::recursive);
  change(old_ / "test.fr");
  const auto result = evaluate("new/runs/tiny");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("is now read from " + (new_ / "test.fr").string()), Not(HasSubstr("warning"))));
}

TEST_F(MovedRun, ACorpusThatIsNowhereIsAnErrorWithThePlaces) {
  fs::rename(old_, new_);
  fs::remove(new_ / "test.fr");
  const auto result = evaluate("new/runs/tiny");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("data.test"), HasSubstr((old_ / "test.fr").string()),
                                HasSubstr((new_ / "test.fr").string()), HasSubstr("--source FILE --reference FILE")));
}

TEST_F(MovedRun, ARenamedCorpusIsKnownByItsContent) {
  keep_originals();
  fs::rename(old_ / "train.en", old_ / "english.txt");
  fs::rename(old_ / "held.fr", old_ / "watched.fr");
  auto renamed = config_;
  renamed["data"]["train"]["source"] = "english.txt";
  renamed["data"]["validation"]["target"] = "watched.fr";
  write_config(renamed);
  expect_going_on("old/runs/tiny", "old/tiny.json", {"--run-dir", "old/runs/tiny"});
}

TEST_F(MovedRun, TextOfOtherContentIsRefused) {
  const auto saved = workspace_.read("old/runs/tiny/config.json");
  const auto log = workspace_.read("old/runs/tiny/log.txt");
  for (const std::string file : {"train.fr", "held.en"}) {
    fs::copy_file(old_ / file, workspace_ / "kept");
    change(old_ / file);
    const auto result = train_to(8, "old/tiny.json", {"--run-dir", "old/runs/tiny"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr(file == "train.fr" ? "data.train: " : "data.validation: "),
                                  HasSubstr((old_ / file).string() + " has different content than it had"),
                                  HasSubstr("--init"), HasSubstr("--resume never")));
    fs::rename(workspace_ / "kept", old_ / file);
  }
  auto more = config_;
  more["data"]["train"] = Json::array({config_["data"]["train"], config_["data"]["validation"]});
  write_config(more);
  const auto result = train_to(8, "old/tiny.json", {"--run-dir", "old/runs/tiny"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("data.train: "), HasSubstr("1 pair of files, and now there are 2")));
  EXPECT_EQ(workspace_.read("old/runs/tiny/config.json"), saved);
  EXPECT_EQ(workspace_.read("old/runs/tiny/log.txt"), log);
}

TEST_F(MovedRun, AnotherPathWithOtherContentIsRefused) {
  fs::rename(old_, new_);
  change(new_ / "train.en");
  const auto result = train_to(8, "new/tiny.json", {"--run-dir", "new/runs/tiny"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr((new_ / "train.en").string() + " has different content than " +
                                    (old_ / "train.en").string() + " had"));
}

TEST_F(MovedRun, AnotherTestSetIsAWarning) {
  change(old_ / "test.fr");
  const auto result = evaluate("old/runs/tiny");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("warning: data.test: " + (old_ / "test.fr").string()),
                                HasSubstr("its content has changed")));
}

TEST_F(MovedRun, ACheckpointOfAnOlderVersionIsComparedByPaths) {
  const std::string checkpoint = "old/runs/tiny/checkpoints/step-00000004/";
  fs::remove(workspace_ / (checkpoint + "data.json"));
  auto manifest = Json::parse(workspace_.read(checkpoint + "manifest.json"));
  manifest["files"].erase("data.json");
  manifest.erase("manifest_crc32");
  const auto text = manifest.dump();
  manifest["manifest_crc32"] = ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  workspace_.write(checkpoint + "manifest.json", manifest.dump());

  fs::copy(old_, new_, fs::copy_options::recursive);
  const auto moved = train_to(8, "new/tiny.json", {"--run-dir", "new/runs/tiny"});
  EXPECT_EQ(moved.exit_code, 2);
  EXPECT_THAT(moved.err, HasSubstr("other values of: data.train, data.validation"));
  const auto there = train_to(8, "old/tiny.json", {"--run-dir", "old/runs/tiny"});
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_TRUE(fs::exists(old_ / "runs/tiny/checkpoints/step-00000008/data.json"));
  fs::remove_all(old_);
  const auto evaluated = evaluate("new/runs/tiny");  // by the places alone
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
}

TEST_F(MovedRun, AMissingRecordOfTheTextIsADamage) {
  fs::remove(old_ / "runs/tiny/checkpoints/step-00000004/data.json");
  const auto damaged = train_to(8, "old/tiny.json", {"--run-dir", "old/runs/tiny"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, HasSubstr("data.json"));
  const auto translation = workspace_.infer({"--run-dir", "old/runs/tiny", "the cat sees a fish ."});
  EXPECT_EQ(translation.exit_code, 0) << translation.err;  // inference needs the model's files alone
}

TEST_F(MovedRun, ReadyTokenizersAreComparedByContent) {
  const auto vocabulary = old_ / "runs/tiny/tokenizers/source.spm";
  fs::copy_file(vocabulary, workspace_ / "a.spm");
  const auto set = [](const std::string& file) {
    return Arguments{"--run-dir", "second", "--set", "tokenizer.source_model=" + file};
  };
  ASSERT_EQ(train_to(4, "old/tiny.json", set("a.spm")).exit_code, 0);
  fs::rename(workspace_ / "a.spm", workspace_ / "b.spm");
  const auto moved = train_to(6, "old/tiny.json", set("b.spm"));
  EXPECT_EQ(moved.exit_code, 0) << moved.err;

  ASSERT_EQ(train_to(1, "old/tiny.json", {"--run-dir", "third", "--set", "tokenizer.vocab_size=80"}).exit_code, 0);
  fs::copy_file(workspace_ / "third/tokenizers/source.spm", workspace_ / "c.spm");
  const auto other = train_to(8, "old/tiny.json", set("c.spm"));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("tokenizer.source_model"));
}

}  // namespace
}  // namespace translate
