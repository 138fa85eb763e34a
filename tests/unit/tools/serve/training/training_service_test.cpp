#include "serve/training/training_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class TrainingServiceTest : public TemporaryFolderTest {
 protected:
  /// Writes a file of a run.
  void write(const std::string& name, const std::string& text) const {
    const auto file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  [[nodiscard]] HttpAnswer get(TrainingRuns& runs, const std::string& path, const std::string& method = "GET",
                               const std::string& host = "localhost:5000") const {
    TrainingService service({}, runs, "<!DOCTYPE html>");
    return service.answer({.method = method, .path = path, .content_type = "", .body = "", .host = host});
  }
};

TEST_F(TrainingServiceTest, ThePageHasTheRulesOfAllPages) {
  TrainingRuns runs({folder_});
  const auto answer = get(runs, "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(body_of(answer), "<!DOCTYPE html>");
  EXPECT_THAT(answer.headers, Contains(Pair("Content-Security-Policy", HasSubstr("default-src 'none'"))));
  EXPECT_THAT(answer.headers, Contains(Pair("X-Content-Type-Options", "nosniff")));
}

TEST_F(TrainingServiceTest, NothingElseIsServed) {
  TrainingRuns runs({folder_});
  for (const auto* path : {"/metrics.jsonl", "/training/", "/training/../config.json", "//etc/passwd", "/translate"}) {
    EXPECT_EQ(get(runs, path).status, 404) << path;
  }
  EXPECT_EQ(get(runs, "/training", "POST").status, 405);
  EXPECT_EQ(get(runs, "/training", "OPTIONS").status, 204);
  EXPECT_EQ(get(runs, "/training", "GET", "evil.example").status, 403);
  EXPECT_EQ(parse_json(get(runs, "/health").body).dump(), R"({"status":"ok"})");
}

TEST_F(TrainingServiceTest, TellsWhatRunsHaveReported) {
  write("a/config.json", R"({"training":{"max_steps":100,"seed":1},"run_dir":"a"})");
  write("a/metrics.jsonl",
        R"({"kind":"train","step":10,"epoch":1,"loss":2.0,"lr":0.5,"seconds":3.0,"seconds_left":27.0,"memory_bytes":7})"
        "\n"
        R"({"kind":"validation","step":10,"loss":1.5,"bleu":20.0,"best":true,)"
        R"("samples":[{"source":"s","reference":"r","translation":"t"},{"source":"s"},5]})"
        "\n{\"kind\":\"tr");
  write("b/config.json", R"({"training":{"max_steps":0,"seed":2},"run_dir":"b"})");
  TrainingRuns runs({folder_ / "a", folder_ / "b", folder_ / "c"});
  const auto answer = get(runs, "/training");
  EXPECT_EQ(answer.status, 200);
  const auto json = parse_json(answer.body);
  const auto& a = json["runs"][0];
  EXPECT_EQ(a["name"], "a");
  EXPECT_TRUE(a["problem"].is_null());
  EXPECT_EQ(a["max_steps"], 100);
  EXPECT_EQ(a["seconds_left"], 27.0);
  EXPECT_EQ(a["memory_bytes"], 7);
  EXPECT_GE(a["age_seconds"], 0.0);
  EXPECT_EQ(a["best"].dump(), R"({"step":10,"loss":1.5,"bleu":20.0})");
  EXPECT_EQ(a["curves"]["training_loss"].dump(), "[[10,2.0]]");
  EXPECT_EQ(a["curves"]["learning_rate"].dump(), "[[10,0.5]]");
  EXPECT_EQ(a["samples"].dump(), R"({"step":10,"list":[{"source":"s","reference":"r","translation":"t"}]})");
  EXPECT_EQ(json["runs"][1]["problem"], "The training has not reported anything yet.");
  EXPECT_FALSE(json["runs"][1].contains("max_steps"));
  EXPECT_EQ(json["runs"][2]["problem"], "There is no such folder yet.");
  EXPECT_EQ(json["differences"].dump(),
            R"([{"key":"training.max_steps","values":[100,0,null]},{"key":"training.seed","values":[1,2,null]}])");
}

TEST_F(TrainingServiceTest, ARunMayComeAndGo) {
  TrainingRuns runs({folder_ / "a"});
  EXPECT_EQ(runs.json()["runs"][0]["problem"], "There is no such folder yet.");
  write("a/metrics.jsonl", "{\"kind\":\"train\",\"step\":10,\"loss\":2.0}\n");
  EXPECT_TRUE(runs.json()["runs"][0]["problem"].is_null());
  std::filesystem::remove_all(folder_ / "a");
  EXPECT_EQ(runs.json()["runs"][0]["curves"]["training_loss"].size(), 0U);
  write("a/notes.txt", "");
  EXPECT_THAT(runs.json()["runs"][0]["problem"].get<std::string>(), HasSubstr("is not a run"));
  std::filesystem::create_directory(folder_ / "a" / "metrics.jsonl");
  EXPECT_THAT(runs.json()["runs"][0]["problem"].get<std::string>(), HasSubstr("metrics.jsonl is not a file"));
  std::filesystem::remove_all(folder_ / "a");
  write("a", "a file");
  EXPECT_EQ(runs.json()["runs"][0]["problem"], "This is not a folder.");
}

TEST_F(TrainingServiceTest, AConfigurationThatIsNotJsonIsLeftOut) {
  write("a/config.json", "{");
  write("b/config.json", R"({"a":1})");
  TrainingRuns runs({folder_ / "a", folder_ / "b"});
  EXPECT_TRUE(runs.json()["differences"].empty());
}

TEST_F(TrainingServiceTest, RunsAreNamedByTheirFolders) {
  EXPECT_THAT(TrainingRuns({folder_ / "x/", folder_ / "y/../z"}).names(), ElementsAre("x", "z"));
  const auto same = TrainingRuns({folder_ / "1/x", folder_ / "2/x"}).names();
  EXPECT_THAT(same, ElementsAre((folder_ / "1/x").string(), (folder_ / "2/x").string()));
}

TEST_F(TrainingServiceTest, WhatIsNotAFolderAndWhatComesTwiceIsRefused) {
  write("file", "");
  EXPECT_THAT(testing::error_of<ConfigError>([&] { TrainingRuns({folder_ / "file"}); }),
              HasSubstr("file is not a folder"));
  EXPECT_THAT(testing::error_of<ConfigError>([&] {
                TrainingRuns({folder_ / "x", folder_ / "x/."});
              }),
              HasSubstr("is named twice"));
}

}  // namespace
}  // namespace translate::tools
