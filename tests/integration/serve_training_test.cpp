// translate-serve --training: a page that shows trainings, also while they are made.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "integration/workspace.h"
#include "support/http_client.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A running server that shows runs.
class TrainingServer {
 public:
  TrainingServer(const Workspace& workspace, const Arguments& runs)
      : process_("translate-serve", arguments(runs),
                 {.folder = workspace.path(), .input = {}, .stdout_path = {}, .file_limit = {}}) {
    const std::string mark = "listening on http://127.0.0.1:";
    if (process_.wait_for_err(mark) && process_.wait_for_err("(training of ")) {
      const auto err = process_.err();
      port_ = std::stoi(err.substr(err.find(mark) + mark.size()));
    }
  }

  [[nodiscard]] HttpReply get(const std::string& path) const {
    return HttpClient(port_).get(path).value_or(HttpReply{});
  }
  [[nodiscard]] Json training() const { return Json::parse(get("/training").body); }
  [[nodiscard]] std::string err() const { return process_.err(); }

  [[nodiscard]] ProcessResult stop() {
    process_.send(SIGTERM);
    return process_.wait();
  }

 private:
  static Arguments arguments(const Arguments& runs) {
    Arguments all = {"--port", "0", "--training"};
    all.insert(all.end(), runs.begin(), runs.end());
    return all;
  }

  Process process_;
  int port_ = 0;
};

class ServeTraining : public ProgramTest {};

TEST_F(ServeTraining, ShowsRunsThatComeToBe) {
  auto config = tiny_config();
  config["training"]["show_translations"] = 2;
  TrainingServer server(workspace_, {"runs/tiny", "runs/wider"});
  EXPECT_THAT(server.err(), HasSubstr("runs/tiny does not exist; the page shows the run once its training has begun"));
  EXPECT_EQ(server.training()["runs"][0]["problem"], "There is no such folder yet.");
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  config["model"]["d_model"] = 32;
  config["training"]["max_steps"] = 6;
  ASSERT_EQ(workspace_.train(config, {"--run-dir", "runs/wider"}).exit_code, 0);
  const auto json = server.training();
  const auto& tiny = json["runs"][0];
  EXPECT_EQ(tiny["name"], "tiny");
  EXPECT_TRUE(tiny["problem"].is_null());
  EXPECT_EQ(tiny["step"], 8);
  EXPECT_EQ(tiny["max_steps"], 8);
  EXPECT_EQ(tiny["seconds_left"], 0.0);
  EXPECT_GT(tiny["memory_bytes"], 0);
  EXPECT_EQ(tiny["curves"]["training_loss"].size(), 4U);  // of each second step
  EXPECT_EQ(tiny["curves"]["validation_loss"].size(), 3U);
  EXPECT_EQ(tiny["samples"]["list"].size(), 2U);
  EXPECT_EQ(tiny["samples"]["list"][0]["reference"], split_lines(workspace_.read("held.fr")).front());
  EXPECT_EQ(json["differences"].dump(),
            R"([{"key":"model.d_model","values":[16,32]},{"key":"training.max_steps","values":[8,6]}])");
  const auto page = server.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<title>Training</title>"));
  EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(server.stop().exit_code, 143);
}

TEST_F(ServeTraining, FollowsATrainingThatIsResumed) {
  auto config = tiny_config();
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  TrainingServer server(workspace_, {"runs/tiny"});
  EXPECT_EQ(server.training()["runs"][0]["step"], 8);
  std::filesystem::remove_all(workspace_ / "runs/tiny/checkpoints/step-00000008");
  config["training"]["max_steps"] = 10;
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const auto json = server.training();
  std::vector<int> steps;
  for (const auto& point : json["runs"][0]["curves"]["training_loss"]) {
    steps.push_back(point[0]);
  }
  EXPECT_THAT(steps, ::testing::ElementsAre(2, 4, 6, 8, 10));
  ASSERT_EQ(workspace_.train(config, {"--resume", "never", "--set", "training.max_steps=4"}).exit_code, 0);
  EXPECT_EQ(server.training()["runs"][0]["step"], 4);
}

TEST_F(ServeTraining, FilesOfARunAreNotServed) {
  TrainingServer server(trained(), {"runs/tiny"});
  for (const auto* path : {"/config.json", "/metrics.jsonl", "/training/config.json", "/..%2fconfig.json"}) {
    EXPECT_EQ(server.get(path).status, 404) << path;
  }
}

TEST_F(ServeTraining, WrongOptionsAreNamed) {
  workspace_.write("notes.txt", "no run");
  const auto file = workspace_.run("translate-serve", {"--training", "notes.txt"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, AllOf(HasSubstr("notes.txt is not a folder"), HasSubstr("runs/en-fr")));
  const auto twice = workspace_.run("translate-serve", {"--training", "runs/a", "./runs/a"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("./runs/a is named twice"));
  const auto both = workspace_.run("translate-serve", {"--training", "runs/a", "--checkpoint", "best"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--checkpoint concerns translating"));
}

}  // namespace
}  // namespace translate
