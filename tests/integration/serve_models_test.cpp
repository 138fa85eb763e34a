// translate-serve with several models, and how it loads them again while it translates.
#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "integration/workspace.h"
#include "support/http_client.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// A running server in a folder, at a port of its own.
class ModelServer {
 public:
  ModelServer(const Workspace& workspace, Arguments arguments)
      : process_("translate-serve", all(std::move(arguments)), options(workspace)) {
    const std::string mark = "listening on http://127.0.0.1:";
    if (process_.wait_for_err(mark) && process_.wait_for_err(")\n")) {
      const auto err = process_.err();
      port_ = std::stoi(err.substr(err.find(mark) + mark.size()));
    }
  }

  [[nodiscard]] HttpClient client() const { return HttpClient(port_); }
  [[nodiscard]] Json get(const std::string& path) const { return Json::parse(client().get(path)->body); }

  [[nodiscard]] Json translate(const Json& fields) const {
    const auto answer = client().post("/translate", fields.dump(), "application/json");
    return answer ? Json::parse(answer->body) : Json{{"error", "no answer"}};
  }
  [[nodiscard]] std::string text(const std::string& text, const std::string& source, const std::string& target) const {
    const auto answer = translate({{"q", text}, {"source", source}, {"target", target}});
    return answer.value("translatedText", answer.value("error", ""));
  }

  /// Sends SIGHUP, and waits until the log has `text` once more than before.
  void reload(const std::string& text = "all models are up to date") {
    const auto before = count_of(process_.err(), text);
    process_.send(SIGHUP);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (count_of(process_.err(), text) == before && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(count_of(process_.err(), text), before + 1) << process_.err();
  }
  void send(int signal) const { process_.send(signal); }
  [[nodiscard]] std::string err() const { return process_.err(); }
  [[nodiscard]] bool wait_for_err(const std::string& text) { return process_.wait_for_err(text); }
  [[nodiscard]] ProcessResult stop() {
    process_.send(SIGTERM);
    return process_.wait();
  }

 private:
  static Arguments all(Arguments arguments) {
    arguments.insert(arguments.end(), {"--threads", "1", "--port", "0"});
    return arguments;
  }
  static ProcessOptions options(const Workspace& workspace) {
    return {.folder = workspace.path(), .input = {}, .stdout_path = {}, .file_limit = {}};
  }

  Process process_;
  int port_ = 0;
};

/// What translate-infer gives for the lines with a checkpoint of trained().
std::vector<std::string> inferred(const std::vector<std::string>& lines, const std::string& checkpoint) {
  const auto result = trained().infer({"--checkpoint", checkpoint}, join_lines(lines));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return split_lines(result.out);
}

constexpr const char* kOld = "runs/tiny/checkpoints/step-00000075";
constexpr const char* kNew = "runs/tiny/checkpoints/step-00000150";

TEST(ServeModels, SeveralModelsAndAThirdLanguageBetween) {
  const auto lines = small_corpus().source;
  const auto french = inferred(lines, kNew);
  const auto german = inferred(french, kOld);
  ModelServer server(trained(), {"--model", std::string("en:fr=") + kNew, "--model", std::string("fr:de=") + kOld});
  EXPECT_EQ(server.translate({{"q", lines}, {"source", "en"}, {"target", "fr"}})["translatedText"], french);
  EXPECT_EQ(server.translate({{"q", lines}, {"source", "eng"}, {"target", "DE"}})["translatedText"], german);
  EXPECT_EQ(server.text(lines[0] + "\n\n" + lines[1], "en", "de"), german[0] + "\n\n" + german[1]);
  const auto scored = [&](const std::string& text, const char* source, const char* target) {
    return server.translate({{"q", text}, {"source", source}, {"target", target}, {"score", true}})["score"]
        .get<double>();
  };
  EXPECT_NEAR(scored(lines[0], "en", "de"), scored(lines[0], "en", "fr") + scored(french[0], "fr", "de"), 1e-6);
  const auto languages = server.get("/languages");
  EXPECT_EQ(languages[0]["targets"], Json({"fr", "de"}));
  EXPECT_EQ(languages[1]["targets"], Json({"de"}));
  EXPECT_EQ(languages[2], Json::parse(R"({"code": "de", "name": "German", "targets": []})"));
  const auto models = server.get("/frontend/settings")["models"];
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0]["name"], "tiny/step-00000150");
  EXPECT_GT(models[0]["bytes"], 10000);
  const auto metrics = server.client().get("/metrics")->body;
  EXPECT_THAT(metrics, HasSubstr("translate_model_bytes{model=\"tiny/step-00000075\"} "));
  EXPECT_THAT(server.err(), AllOf(HasSubstr("step-00000150, from en to fr, 0."), HasSubstr(" MiB of weights"),
                                  HasSubstr("(from en to fr; from fr to de)")));
  EXPECT_THAT(server.text("a", "de", "en"), HasSubstr("this server translates from en to fr; from fr to de"));
  EXPECT_EQ(server.stop().exit_code, 143);
}

/// A model that answers "oui oui" behind the tag of French and "ja" behind that of German.
TEST(ServeModels, TheTargetOfARequestChoosesAmongThoseOfAModelWithTags) {
  Workspace workspace;
  workspace.write_corpus();
  const auto count = split_lines(workspace.read("train.en")).size();
  auto config = tiny_config();
  auto& data = config["data"];
  data["train"] = Json::array();
  for (const auto& [language, word] : {std::pair("fr", "oui oui"), std::pair("de", "ja")}) {
    const auto file = std::string("yes.") + language;
    workspace.write(file, join_lines(std::vector<std::string>(count, word)));
    data["train"].push_back(
        {{"source", "train.en"}, {"target", file}, {"source_language", "en"}, {"target_language", language}});
  }
  data.erase("validation");
  data.erase("test");
  config["model"]["dropout"] = 0.0;
  config["training"].update({{"max_steps", 60}, {"checkpoint_every", 60}});
  config["training"].erase("validate_every");
  const auto result = workspace.train(config);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ModelServer server(workspace, {});
  EXPECT_EQ(server.text("the cat. the dog.", "en", "fr"), "oui oui. oui oui.");  // the tag holds for both sentences
  EXPECT_EQ(server.text("the cat\n\nthe dog", "en", "deu"), "ja\n\nja");
  EXPECT_EQ(server.text(">>de<< the cat", "en", "fr"), "oui oui");
  const Json html = {{"q", "<p>the <b>cat</b></p>"}, {"source", "auto"}, {"target", "de"}, {"format", "html"}};
  EXPECT_EQ(server.translate(html)["translatedText"], "<p><b>ja</b></p>");
  EXPECT_EQ(server.get("/languages")[0]["targets"], Json({"fr", "de"}));
  EXPECT_EQ(server.get("/frontend/settings")["models"][0]["directions"].size(), 2U);
  EXPECT_EQ(server.stop().exit_code, 143);
  ModelServer one(workspace, {"--model", ":de=latest"});
  EXPECT_EQ(one.get("/languages")[0]["targets"], Json({"de"}));
  EXPECT_EQ(one.text("the cat", "en", "de"), "ja");
}

TEST(ServeModels, WithoutPivotingThereAreOnlyDirectDirections) {
  ModelServer server(trained(), {"--checkpoint", kNew, "--model", std::string("fr:de=") + kOld, "--no-pivot"});
  EXPECT_EQ(server.get("/languages")[0]["targets"], Json({"fr"}));
  EXPECT_THAT(server.text("the cat", "en", "de"), HasSubstr("en to de is not supported"));
}

TEST(ServeModels, WhatCannotBeServedIsRefusedAtTheStart) {
  const auto refused = [](const Arguments& arguments) { return trained().run("translate-serve", arguments); };
  const auto twice = refused({"--checkpoint", kNew, "--model", kOld});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("two models translate from en to fr: tiny/step-00000150 and tiny/step-00000075"));
  const auto missing = refused({"--checkpoint", kNew, "--model", "fr:de=runs/none/best"});
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_THAT(missing.err, HasSubstr("runs/none"));
  const auto nameless = refused({"--model", "fr:de="});
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_THAT(nameless.err, HasSubstr("--model fr:de=: the name of the model is missing"));
  const auto homeless = refused({"--model", kNew, "--source-language", "en"});
  EXPECT_EQ(homeless.exit_code, 2);
  EXPECT_THAT(homeless.err, HasSubstr("--source-language concerns the model of --checkpoint"));
}

/// A workspace where `model` is a link to a checkpoint of trained().
class Reload : public ::testing::Test {
 protected:
  Reload() { use(kOld); }

  void use(const std::string& checkpoint) const {
    const auto next = workspace_ / "next";
    fs::create_symlink(trained().path() / checkpoint, next);
    fs::rename(next, workspace_ / "model");
  }
  static Arguments arguments() {
    return {"--checkpoint", "model", "--source-language", "en", "--target-language", "fr"};
  }

  Workspace workspace_;
  std::vector<std::string> lines_ = small_corpus().source;
};

TEST_F(Reload, ANewCheckpointIsServedAndNoRequestIsLost) {
  const auto before = inferred(lines_, kOld);
  const auto after = inferred(lines_, kNew);
  ASSERT_NE(before, after);
  ModelServer server(workspace_, arguments());
  std::atomic<bool> ended = false;
  std::atomic<int> right = 0;
  std::atomic<int> wrong = 0;
  std::vector<std::future<void>> clients;
  for (std::size_t client = 0; client < 6; ++client) {
    clients.push_back(std::async(std::launch::async, [&, client] {
      for (std::size_t i = client; !ended; ++i) {
        const auto line = i % lines_.size();
        const auto answer = server.text(lines_[line], "en", "fr");
        ++(answer == before[line] || answer == after[line] ? right : wrong);
      }
    }));
  }
  const auto wait_for_more = [&] {
    const int now = right;
    while (right < now + 20 && wrong == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  wait_for_more();
  use(kNew);
  server.reload();
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    EXPECT_EQ(server.text(lines_[i], "en", "fr"), after[i]);
  }
  wait_for_more();
  ended = true;
  for (auto& client : clients) {
    client.get();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(server.err(), AllOf(HasSubstr("replaced by model, from en to fr"), ::testing::Not(HasSubstr("error"))));
  EXPECT_TRUE(server.wait_for_err("has ended its last request and left the memory"));
  EXPECT_EQ(server.stop().exit_code, 143);
}

TEST_F(Reload, AnUnchangedModelStays) {
  ModelServer server(workspace_, arguments());
  server.reload();
  EXPECT_THAT(server.err(), HasSubstr(": unchanged"));
  EXPECT_THAT(server.client().get("/metrics")->body, HasSubstr("translate_reloads_total{outcome=\"loaded\"} 1\n"));
}

TEST_F(Reload, ADamagedModelLeavesTheOldOne) {
  const auto before = inferred(lines_, kOld);
  ModelServer server(workspace_, arguments());
  fs::remove(workspace_ / "model");
  fs::copy(trained().path() / kNew, workspace_ / "model", fs::copy_options::recursive);
  fs::resize_file(workspace_ / "model" / "model.safetensors", 100);
  server.reload("some models were not loaded again");
  EXPECT_THAT(server.err(), HasSubstr("stays, because it cannot be loaded again: "));
  EXPECT_EQ(server.text(lines_[0], "en", "fr"), before[0]);
  fs::remove_all(workspace_ / "model");
  server.reload("some models were not loaded again");
  use(kNew);
  server.reload();
  EXPECT_EQ(server.text(lines_[0], "en", "fr"), inferred({lines_[0]}, kNew)[0]);
  const auto metrics = server.client().get("/metrics")->body;
  EXPECT_THAT(metrics, AllOf(HasSubstr("{outcome=\"loaded\"} 1\n"), HasSubstr("{outcome=\"failed\"} 2\n")));
}

TEST_F(Reload, AStopSignalMeanwhileStopsTheServer) {
  ModelServer server(workspace_, arguments());
  use(kNew);
  server.send(SIGHUP);
  EXPECT_EQ(server.stop().exit_code, 143);
}

}  // namespace
}  // namespace translate
