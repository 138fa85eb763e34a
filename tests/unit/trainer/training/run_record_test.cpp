#include "training/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunRecordTest : public TemporaryFolderTest {
 protected:
  RunRecordTest() : run_(folder_ / "run") {
    run_.open();
    state_.step = 20;
    state_.epoch = 1;
    state_.target_tokens = 500;
    state_.seconds = 2.0;
  }

  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> objects;
    std::istringstream text(read_file(folder_ / "run" / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) {
      objects.push_back(nlohmann::json::parse(line));
    }
    return objects;
  }

  /// The bytes of the only event file.
  [[nodiscard]] std::string events() const {
    const std::filesystem::directory_iterator files(folder_ / "run" / "tensorboard");
    return read_file(files->path());
  }

  RunDirectory run_;
  TrainingState state_;
};

TEST_F(RunRecordTest, AReportIsALineAndCurves) {
  RunRecord record(run_, cpu_device());
  record.start_events(1);
  record.add(state_, {.loss = 2.0, .smoothed_loss = 2.5, .learning_rate = 0.001, .tokens_per_second = 250.0});
  record.add(state_, {.loss = std::numeric_limits<double>::infinity(), .divergence = 0.5, .seconds_left = 60.0});
  const auto all = lines();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["kind"], "train");
  EXPECT_EQ(all[0]["step"], 20);
  EXPECT_EQ(all[0]["smoothed_loss"], 2.5);
  EXPECT_GT(all[0]["memory_bytes"], 0);
  EXPECT_GE(all[0]["peak_memory_bytes"], all[0]["memory_bytes"]);
  for (const auto* missing : {"seconds_left", "kl", "alignment_loss", "device_memory_bytes"}) {
    EXPECT_FALSE(all[0].contains(missing)) << missing;
  }
  EXPECT_TRUE(all[1]["loss"].is_null());
  EXPECT_EQ(all[1]["kl"], 0.5);
  EXPECT_EQ(all[1]["seconds_left"], 60.0);
  for (const auto* tag : {"training/loss", "training/smoothed_loss", "training/learning_rate",
                          "training/tokens_per_second", "training/kl"}) {
    EXPECT_THAT(events(), HasSubstr(tag));
  }
}

TEST_F(RunRecordTest, AValidationHasItsSamples) {
  RunRecord record(run_, cpu_device());
  record.start_events(1);
  ValidationResult result{.loss = 1.0, .bleu = 30.0, .chrf = 50.0};
  result.directions = {{.name = "en-fr", .bleu = 31.0, .chrf = 51.0}};
  result.shown = {{"A cat.", "Un chat.", "Un \xff chat."}};
  record.add(state_, result, /*is_best=*/true);
  const auto line = lines().at(0);
  EXPECT_EQ(line["best"], true);
  EXPECT_EQ(line["bleu_by_direction"]["en-fr"], 31.0);
  EXPECT_EQ(line["samples"].dump(), R"([{"reference":"Un chat.","source":"A cat.","translation":"Un � chat."}])");
  for (const auto* text : {"validation/loss", "validation/bleu", "validation/chrf",
                           "validation_by_direction/bleu/en-fr", "validation/translations", "| A cat. | Un chat. |"}) {
    EXPECT_THAT(events(), HasSubstr(text));
  }
}

TEST_F(RunRecordTest, WithoutSamplesThereIsNoField) {
  RunRecord record(run_, cpu_device());
  record.start_events(1);
  record.add(state_, ValidationResult{.loss = 1.0}, /*is_best=*/false);
  EXPECT_FALSE(lines().at(0).contains("samples"));
  EXPECT_THAT(events(), Not(HasSubstr("translations")));
}

TEST_F(RunRecordTest, WithoutTensorBoardThereIsNoFolder) {
  RunRecord record(run_, cpu_device());
  record.add(state_, {.loss = 2.0});
  record.flush();
  EXPECT_EQ(lines().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run" / "tensorboard"));
}

TEST_F(RunRecordTest, GoingBackStaysInTheFile) {
  RunRecord record(run_, cpu_device());
  record.start_events(1);
  record.start_events(11);
  const std::filesystem::directory_iterator files(folder_ / "run" / "tensorboard");
  EXPECT_EQ(std::distance(files, {}), 1);
  EXPECT_THAT(events(), HasSubstr(std::string("\x10\x0b\x3a\x02\x08\x01", 6)));
}

}  // namespace
}  // namespace translate::trainer
