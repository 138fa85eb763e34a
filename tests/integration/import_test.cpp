// translate-import, and models of other systems as they are: with the files of tests/golden/marian, as Marian writes
// them. tests/python/marian_import_test.py does the same with models that transformers saves.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/file.h"
#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const fs::path kMarian = project_folder() / "tests/golden/marian/all";
const fs::path kFirefox = project_folder() / "tests/golden/marian/firefox";
constexpr const char* kLines = "The cat sat.\nI meet the princess.\n";

class Import : public ::testing::Test {
 protected:
  [[nodiscard]] ProcessResult import(const Arguments& arguments) const {
    return convert("translate-import", arguments);
  }
  [[nodiscard]] ProcessResult export_to(const std::string& format, const Arguments& arguments) const {
    auto all = Arguments{"--format", format};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return convert("translate-export", all);
  }
  [[nodiscard]] ProcessResult translate(const std::string& model) const {
    return workspace_.infer({"--checkpoint", model, "--precision", "fp32", "--max-length", "20"}, kLines);
  }

  Workspace workspace_;

 private:
  [[nodiscard]] ProcessResult convert(const std::string& program, const Arguments& arguments) const {
    return Process(program, arguments, {.folder = workspace_.path(), .input = "", .stdout_path = {}, .file_limit = {}})
        .wait();
  }
};

TEST_F(Import, ACheckpointTranslatesAsTheModelItself) {
  const auto imported = import({kMarian.string(), "imported", "--source-language", "en", "--target-language", "fr"});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  const auto direct = translate(kMarian.string());
  EXPECT_EQ(direct.exit_code, 0) << direct.err;
  EXPECT_EQ(split_lines(direct.out).size(), 2U);
  EXPECT_EQ(translate("imported").out, direct.out);
}

TEST_F(Import, AModelOfFirefoxKeepsItsLicenceAndTranslationsOnItsWayToMarian) {
  const auto imported = import({kFirefox.string(), "imported", "--license", "MPL-2.0"});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("the shortlist is used if --shortlist names it"));
  const auto direct = translate(kFirefox.string());
  EXPECT_EQ(direct.exit_code, 0) << direct.err;
  EXPECT_EQ(translate("imported").out, direct.out);
  const auto exported = export_to("marian", {"imported", "exported"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(translate("exported").out, direct.out);
  for (const std::string name : {"imported", "exported"}) {
    const auto card = read_file(workspace_.path() / name / "README.md");
    EXPECT_THAT(card, AllOf(HasSubstr("license: \"MPL-2.0\""), HasSubstr("English to French"))) << name;
  }
  const auto refused = export_to("ctranslate2", {"imported", "other"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("its decoder has recurrent units"));
}

TEST_F(Import, AnOutputIsReplacedOnlyWhenAskedForAndIfItIsACheckpoint) {
  ASSERT_EQ(import({kMarian.string(), "imported"}).exit_code, 0);
  const auto again = import({kMarian.string(), "imported"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("imported exists already: choose another name, or replace it with --force"));
  EXPECT_EQ(import({kMarian.string(), "imported/", "--force"}).exit_code, 0);
  fs::create_directory(workspace_.path() / "mine");
  const auto other = import({kMarian.string(), "mine", "--force"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("mine is not a checkpoint"));
}

TEST_F(Import, WhatIsNoModelIsNamed) {
  EXPECT_THAT(import({"nowhere", "x"}).err, HasSubstr("nowhere: there is no such folder or file"));
  fs::create_directory(workspace_.path() / "empty");
  const auto empty = import({"empty", "x"});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("empty: not a model of another system"));
  std::ofstream(workspace_.path() / "a.zip") << "no archive";
  const auto damaged = import({"a.zip", "x"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, HasSubstr("a.zip: truncated or damaged zip archive"));
  EXPECT_FALSE(fs::exists(workspace_.path() / "x"));
}

TEST_F(Import, TrainingGoesOnFromTheModel) {
  ASSERT_EQ(import({kMarian.string(), "imported"}).exit_code, 0);
  const auto corpus = small_corpus();
  workspace_.write("more.en", join_lines(corpus.source));
  workspace_.write("more.fr", join_lines(corpus.target));
  const Arguments options = {"--set",     R"(data.train={"source": "more.en", "target": "more.fr"})",
                             "--set",     "training.max_steps=2",
                             "--run-dir", "runs/more"};
  auto arguments = Arguments{"--config", "imported/config.json", "--init", kMarian.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto trained = workspace_.run("translate-train", arguments);
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  const auto translated = translate("runs/more/latest");
  EXPECT_EQ(translated.exit_code, 0) << translated.err;
}

TEST_F(Import, AnotherConfigurationIsRefusedByItsKeys) {
  const auto refused = workspace_.train(tiny_config(), {"--init", kMarian.string()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("that model has other values of: "), HasSubstr("model.zero_start")));
}

}  // namespace
}  // namespace translate
