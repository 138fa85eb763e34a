#include <gtest/gtest.h>

#include "distillation/distillation.h"

namespace translate::trainer {
namespace {

using Role = DistillationPart::Role;

Config whole() {
  Config config;
  config.data.train = {{.source = "/a.en", .target = "/a.fr", .alignment = "/a.align"}};
  config.data.validation.files = {{.source = "/v.en", .target = "/v.fr"}};
  config.data.test = {{.source = "/t.en", .target = "/t.fr"}};
  config.data.source_language = "en";
  config.data.target_language = "fr";
  config.tokenizer.source_model = "/s.spm";
  config.tokenizer.target_model = "/t.spm";
  config.training.seed = 5;
  config.distillation.teachers = 2;
  config.distillation.student = {"model.dropout=0.25", "training.max_steps=7"};
  config.run_dir = "/run";
  return config;
}

TEST(PartConfigurationTest, TeachersAreTheConfigurationWithSeedsOfTheirOwn) {
  auto expected = whole();
  expected.distillation = {};
  expected.run_dir = "/run/distillation/teacher-2";
  expected.training.seed = 6;
  EXPECT_EQ(config_of_part(whole(), {.role = Role::kTeacher, .number = 1, .run_dir = expected.run_dir}), expected);
}

TEST(PartConfigurationTest, TheOtherDirectionExchangesBothSides) {
  const auto config = config_of_part(whole(), {.role = Role::kReverse, .run_dir = "/run/distillation/reverse"});
  for (const auto& corpora : {config.data.train, config.data.validation.files, config.data.test}) {
    EXPECT_EQ(corpora.front().source.extension(), ".fr");
    EXPECT_EQ(corpora.front().target.extension(), ".en");
    EXPECT_TRUE(corpora.front().alignment.empty());
  }
  EXPECT_EQ(config.data.source_language, "fr");
  EXPECT_EQ(config.data.target_language, "en");
  EXPECT_EQ(config.tokenizer.source_model, "/t.spm");
  EXPECT_EQ(config.tokenizer.target_model, "/s.spm");
  EXPECT_EQ(config.training.seed, 5U);
}

TEST(PartConfigurationTest, StudentsReadMoreAndHaveTheirOwnSettings) {
  DistillationPart part{.role = Role::kStudent, .run_dir = "/run"};
  part.written = {{.source = "/made/source.txt", .target = "/made/target.txt"}};
  part.tokenizers = "/teacher";
  const auto config = config_of_part(whole(), part);
  ASSERT_EQ(config.data.train.size(), 2U);
  EXPECT_EQ(config.data.train.front(), whole().data.train.front());
  EXPECT_EQ(config.data.train.back(), part.written.front());
  EXPECT_EQ(config.model.dropout, 0.25);
  EXPECT_EQ(config.training.max_steps, 7);
  EXPECT_EQ(config.tokenizer.source_model, "/s.spm");  // their own, where the configuration names one
  EXPECT_EQ(config.distillation, DistillationOptions());
  EXPECT_EQ(config.training.teacher, "");
}

TEST(PartConfigurationTest, StudentsLearnWhatTeachersPredict) {
  auto config = whole();
  config.distillation.teacher_weight = 0.4;
  const DistillationPart part{.role = Role::kStudent, .run_dir = "/run", .teachers = "/a,/b"};
  EXPECT_EQ(config_of_part(config, part).training.teacher, "/a,/b");
  EXPECT_EQ(config_of_part(config, part).training.teacher_weight, 0.4);
  EXPECT_EQ(config_of_part(config, {.role = Role::kStudent, .run_dir = "/run"}).training.teacher, "");
  EXPECT_EQ(config_of_part(config, {.role = Role::kTeacher, .run_dir = "/run"}).training.teacher, "");
}

}  // namespace
}  // namespace translate::trainer
