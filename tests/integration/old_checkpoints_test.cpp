// Checkpoints of every format that there has been, made by programs of their time: they translate as then, and training
// continues from them. scripts/make-checkpoint-golden makes them.
#include <gmock/gmock.h>

#include <filesystem>

#include "core/file.h"
#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kGolden = project_folder() / "tests/golden/checkpoints";

class OldCheckpoints : public ::testing::TestWithParam<std::string> {
 protected:
  OldCheckpoints() {
    constexpr std::size_t kPairs = 40;
    for (const std::string language : {"en", "fr"}) {
      auto lines = split_lines(read_file(project_folder() / ("data/en-fr/validation." + language)));
      lines.resize(kPairs);
      workspace_.write("text." + language, join_lines(lines));
    }
    workspace_.write("config.json", read_file(kGolden / "config.json"));
    fs::create_directories(workspace_ / "run/checkpoints");
    fs::copy(kGolden / GetParam() / "step-00000006", workspace_ / "run/checkpoints/step-00000006");
  }

  Workspace workspace_;
  Json expected_ = Json::parse(read_file(kGolden / GetParam() / "expected.json"));
};

TEST_P(OldCheckpoints, TranslateAsTheyDid) {
  std::string sources;
  std::string pairs;
  for (const auto& one : expected_["translations"]) {
    sources += one["source"].get<std::string>() + "\n";
    pairs += one["source"].get<std::string>() + "\t" + one["translation"].get<std::string>() + "\n";
  }
  const Arguments which = {"--run-dir", "run", "--precision", "fp32"};
  auto greedy = which;
  greedy.insert(greedy.end(), {"--greedy", "--raw"});
  const auto translated = workspace_.infer(greedy, sources);
  ASSERT_EQ(translated.exit_code, 0) << translated.err;
  auto score = which;
  score.emplace_back("--score");
  const auto scored = workspace_.infer(score, pairs);
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  const auto lines = split_lines(translated.out);
  const auto scores = split_lines(scored.out);
  ASSERT_EQ(lines.size(), expected_["translations"].size());
  ASSERT_EQ(scores.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], expected_["translations"][i]["translation"]) << i;
    EXPECT_NEAR(std::stod(scores[i]), expected_["translations"][i]["score"].get<double>(), 1e-3) << i;
  }
}

TEST_P(OldCheckpoints, TrainingContinuesFromThem) {
  const auto result = workspace_.run("translate-train",
                                     {"--config", "config.json", "--run-dir", "run", "--set", "training.max_steps=9"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("step-00000006: step 6, epoch 0"));
  std::vector<double> losses;
  for (const auto& entry : workspace_.metrics("run")) {
    if (entry["kind"] == "train") {
      losses.push_back(entry["loss"]);
    }
  }
  ASSERT_EQ(losses.size(), 3U);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], expected_["losses"][i].get<double>(), 1e-4) << i;
  }
  EXPECT_TRUE(workspace_.holds("run/checkpoints/step-00000009"));
}

INSTANTIATE_TEST_SUITE_P(Formats, OldCheckpoints, ::testing::Values("state-1", "state-2"));

}  // namespace
}  // namespace translate
