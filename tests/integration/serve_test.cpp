// translate-serve: the program over real sockets, how it stops, and what it refuses to start with.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>

#include "integration/workspace.h"
#include "support/http_client.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const Arguments kLanguages = {"--source-language", "en", "--target-language", "fr"};

/// A running server on the model of trained(), at a port of its own.
class Server {
 public:
  explicit Server(const Arguments& more = {}, const Workspace& workspace = trained(), bool languages = true,
                  std::optional<std::uint64_t> memory_limit = std::nullopt)
      : process_("translate-serve", arguments(more, languages),
                 {.folder = workspace.path(),
                  .input = {},
                  .stdout_path = {},
                  .file_limit = {},
                  .memory_limit = memory_limit}) {
    const std::string mark = "listening on http://127.0.0.1:";
    if (process_.wait_for_err(mark)) {
      EXPECT_TRUE(process_.wait_for_err(" to "));  // the whole line
      const auto err = process_.err();
      port_ = std::stoi(err.substr(err.find(mark) + mark.size()));
    }
  }

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string err() const { return process_.err(); }

  [[nodiscard]] HttpClient client() const { return HttpClient(port_); }

  /// The answer to one text, or what came in its place.
  [[nodiscard]] std::string translate(const std::string& text) const { return translate(text, "en", "fr"); }
  [[nodiscard]] std::string translate(const std::string& text, const std::string& source,
                                      const std::string& target) const {
    const Json body = {{"q", text}, {"source", source}, {"target", target}};
    const auto answer = client().post("/translate", body.dump(), "application/json");
    if (!answer) {
      return "no answer";
    }
    return answer->status == 200 ? Json::parse(answer->body)["translatedText"].get<std::string>() : answer->body;
  }

  void send(int signal) const { process_.send(signal); }
  [[nodiscard]] bool wait_for_err(const std::string& text) { return process_.wait_for_err(text); }

  [[nodiscard]] ProcessResult stop(int signal = SIGTERM) {
    process_.send(signal);
    return process_.wait();
  }

 private:
  static Arguments arguments(const Arguments& more, bool languages) {
    Arguments all = {"--threads", "1"};
    if (std::find(more.begin(), more.end(), "--port") == more.end()) {
      all.insert(all.end(), {"--port", "0"});
    }
    if (languages) {
      all.insert(all.end(), kLanguages.begin(), kLanguages.end());
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Process process_;
  int port_ = 0;
};

/// Lines of the corpus and what translate-infer makes of them.
Pairs expected() {
  auto pairs = small_corpus();
  const auto result = trained().infer({}, join_lines(pairs.source));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  pairs.target = split_lines(result.out);
  EXPECT_EQ(pairs.target.size(), pairs.source.size());
  return pairs;
}

TEST(Serve, ConcurrentClientsGetWhatTranslateInferGives) {
  const auto pairs = expected();
  Server server;
  std::vector<std::future<int>> clients;
  for (std::size_t client = 0; client < 6; ++client) {
    clients.push_back(std::async(std::launch::async, [&, client] {
      int right = 0;
      for (std::size_t i = 0; i < pairs.source.size(); ++i) {
        const auto line = (i * 7 + client * 11) % pairs.source.size();
        right += server.translate(pairs.source[line]) == pairs.target[line] ? 1 : 0;
      }
      return right;
    }));
  }
  for (auto& client : clients) {
    EXPECT_EQ(client.get(), static_cast<int>(pairs.source.size()));
  }
  const auto metrics = server.client().get("/metrics")->body;
  EXPECT_THAT(metrics, HasSubstr("translate_requests_total{status=\"200\"} 360\n"));
  EXPECT_EQ(server.stop().exit_code, 143);
}

TEST(Serve, SeveralLinesAndListsKeepTheirShape) {
  const auto pairs = expected();
  Server server;
  EXPECT_EQ(server.translate(pairs.source[0] + "\n\n" + pairs.source[1] + "\r\n"),
            pairs.target[0] + "\n\n" + pairs.target[1] + "\r\n");
  const Json body = {{"q", pairs.source}, {"source", "auto"}, {"target", "fr"}};
  const auto answer = server.client().post("/translate", body.dump(), "application/json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(Json::parse(answer->body)["translatedText"].get<std::vector<std::string>>(), pairs.target);
  const auto form =
      server.client().post_form("/translate", {{"q", pairs.source[2]}, {"source", "en"}, {"target", "fr"}});
  EXPECT_EQ(Json::parse(form->body)["translatedText"], pairs.target[2]);
}

TEST(Serve, ParametersOfTheQueryAndAlternatives) {
  const auto pairs = expected();
  Server server;
  auto client = server.client();
  const auto query = "/translate?" + encode_form({{"q", pairs.source[0]}, {"source", "en"}, {"target", "fr"}});
  EXPECT_EQ(Json::parse(client.send("POST", query)->body)["translatedText"], pairs.target[0]);
  const Json body = {{"q", pairs.source[0]}, {"source", "en"}, {"target", "fr"}, {"alternatives", 2}, {"score", true}};
  const auto answer = Json::parse(client.post("/translate", body.dump(), "application/json")->body);
  EXPECT_EQ(answer["translatedText"], pairs.target[0]);
  EXPECT_GE(answer["alternatives"].size(), 1U);
  EXPECT_LT(answer["score"], 0.0);
  const auto settings = Json::parse(client.get("/frontend/settings")->body);
  EXPECT_EQ(settings["alternativesLimit"], 3);
  EXPECT_THAT(settings["model"].get<std::string>(), ::testing::StartsWith("tiny/step-"));
  EXPECT_EQ(server.stop().exit_code, 143);
  Server greedy({"--beam-size", "1"});
  EXPECT_EQ(Json::parse(greedy.client().get("/frontend/settings")->body)["alternativesLimit"], 0);
  EXPECT_EQ(Json::parse(greedy.client().post("/translate", body.dump(), "application/json")->body)["alternatives"],
            Json::array());
  const auto refused = trained().run("translate-serve", {"--beam-size", "2", "--alternatives", "3", "--source-language",
                                                         "en", "--target-language", "fr"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("beam"));
}

TEST(Serve, HtmlDetectionAndTheDescription) {
  const auto pairs = expected();
  Server server;
  auto client = server.client();
  const std::string before = "<p id='a'>\r\n  ";
  const Json html = {
      {"q", before + pairs.source[0] + "</b>\n</p>"}, {"source", "en"}, {"target", "fr"}, {"format", "html"}};
  EXPECT_EQ(Json::parse(client.post("/translate", html.dump(), "application/json")->body)["translatedText"],
            before + pairs.target[0] + "</b>\n</p>");
  const auto detected = client.post_form("/detect", {{"q", "Morgen wird das Wetter schön."}});
  EXPECT_EQ(Json::parse(detected->body)[0]["language"], "de");
  EXPECT_THAT(client.get("/docs")->body, HasSubstr("</html>"));
  EXPECT_TRUE(Json::parse(client.get("/spec")->body)["paths"].contains("/translate"));
}

TEST(Serve, APageThatHoldsTheModelIfThatIsAskedFor) {
  Server server({"--learn"});
  const auto page = server.client().get("/learn");
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, AllOf(HasSubstr("projection_layer.proj.bias"), HasSubstr("</html>")));
  EXPECT_THAT(page->header("Content-Security-Policy"), HasSubstr("connect-src 'self'"));
  EXPECT_EQ(Server().client().get("/learn")->status, 404);
  const auto ensemble = trained().run("translate-serve", {"--learn", "--checkpoint", "latest,best"});
  EXPECT_EQ(ensemble.exit_code, 2);
  EXPECT_THAT(ensemble.err, HasSubstr("--learn makes a page of one model"));
}

TEST(Serve, PageLanguagesAndErrors) {
  Server server({"--max-characters", "30", "--max-file-size", "1", "--cors", "*"});
  auto client = server.client();
  const auto page = client.get("/");
  EXPECT_THAT(page->header("Content-Type"), HasSubstr("text/html"));
  EXPECT_THAT(page->body, HasSubstr("</html>"));
  EXPECT_EQ(page->header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(client.get("/", {{"Host", "a"}})->status, 400);  // the client's own Host is the second one
  EXPECT_EQ(Json::parse(client.get("/languages")->body)[0]["targets"], Json::array({"fr"}));
  EXPECT_EQ(Json::parse(client.get("/health")->body)["status"], "ok");
  EXPECT_EQ(client.get("/nothing")->status, 404);
  EXPECT_EQ(client.get("/translate")->status, 405);
  EXPECT_THAT(server.translate(std::string(31, 'x')), HasSubstr("31 characters of text, of 30 at most"));
  EXPECT_EQ(client.post("/translate", std::string(1 << 21, 'x'), "application/json")->status, 413);
}

TEST(Serve, OtherSitesNeedAnOption) {
  const HttpPairs form = {{"q", "the cat"}, {"source", "en"}, {"target", "fr"}};
  const auto ask = [&](const Server& server, const std::string& origin) {
    return server.client().send("POST", "/translate",
                                {{"Origin", origin}, {"Content-Type", "application/x-www-form-urlencoded"}},
                                encode_form(form));
  };
  Server server;
  const auto refused = ask(server, "https://evil.example");
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body, HasSubstr("--cors https://evil.example"));
  EXPECT_EQ(ask(server, "http://127.0.0.1:" + std::to_string(server.port()))->status, 200);
  const auto foreign = raw_answer(server.port(), "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(foreign, AllOf(::testing::StartsWith("HTTP/1.1 403"), HasSubstr("--allow-host evil.example")));
  Server open({"--cors", "https://a.example", "--cors", "https://b.example", "--allow-host", "c.example"});
  for (const auto* origin : {"https://a.example", "https://b.example", "https://c.example"}) {
    EXPECT_EQ(ask(open, origin)->status, 200) << origin;
  }
  EXPECT_EQ(ask(open, "https://b.example")->header("Access-Control-Allow-Origin"), "https://b.example");
}

TEST(Serve, TheLanguagesOfTheConfigurationAreTheDefault) {
  Workspace workspace;
  workspace.write_corpus();
  auto config = tiny_config();
  config["data"]["source_language"] = "en";
  config["data"]["target_language"] = "fr";
  ASSERT_EQ(workspace.train(config).exit_code, 0);
  Server server({}, workspace, /*languages=*/false);
  EXPECT_THAT(server.err(), HasSubstr("(from en to fr)"));
  EXPECT_EQ(Json::parse(server.client().get("/languages")->body)[1]["name"], "French");
}

TEST(Serve, LanguagesWithoutALabelComeFromTheTrainingFiles) {
  Server server({}, trained(), /*languages=*/false);  // train.en and train.fr
  EXPECT_THAT(server.err(), AllOf(HasSubstr("clients call them en and fr"), HasSubstr("--source-language"),
                                  HasSubstr("data.target_language"), HasSubstr("(from en to fr)")));
  EXPECT_EQ(server.translate(expected().source[0]), expected().target[0]);
}

TEST(Serve, WhereNothingTellsThemTheyAreCalledSourceAndTarget) {
  Workspace workspace;
  workspace.write_corpus();
  std::filesystem::rename(workspace / "train.en", workspace / "english.txt");
  auto config = tiny_config();
  config["data"]["train"]["source"] = "english.txt";
  config["data"]["train"]["target"] = "held.txt";
  std::filesystem::rename(workspace / "train.fr", workspace / "held.txt");
  ASSERT_EQ(workspace.train(config).exit_code, 0);
  Server server({}, workspace, /*languages=*/false);
  EXPECT_THAT(server.err(), AllOf(HasSubstr("clients call them source and target"), HasSubstr("--source-language")));
  const auto answer =
      server.client().post_form("/translate", {{"q", "the cat"}, {"source", "source"}, {"target", "target"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
}

TEST(Serve, SignalsEndItWithTheirCodes) {
  Server interrupted;
  const auto by_interrupt = interrupted.stop(SIGINT);
  EXPECT_EQ(by_interrupt.exit_code, 130);
  EXPECT_FALSE(by_interrupt.killed);
  EXPECT_EQ(by_interrupt.out, "");
  EXPECT_THAT(by_interrupt.err, HasSubstr("SIGINT: answering the requests in progress"));
}

TEST(Serve, ATerminatedServerLosesNothingItHasTaken) {
  const auto pairs = expected();
  Server server;
  std::atomic<int> right = 0;
  std::atomic<int> wrong = 0;
  std::vector<std::future<void>> clients;
  for (std::size_t client = 0; client < 6; ++client) {
    clients.push_back(std::async(std::launch::async, [&, client] {
      for (std::size_t i = client;; ++i) {
        const auto line = i % pairs.source.size();
        const auto answer = server.translate(pairs.source[line]);
        if (answer == "no answer") {
          return;  // nobody listens any more
        }
        ++(answer == pairs.target[line] ? right : wrong);
      }
    }));
  }
  while (right < 30 && wrong == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto result = server.stop();
  for (auto& client : clients) {
    client.get();
  }
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_FALSE(result.killed) << result.err;
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(result.err, HasSubstr("ended"));
}

/// Below what 68 threads reserve for their stacks and heaps where nothing limits them.
TEST(Serve, LittleAddressSpaceIsEnough) {
  const auto pairs = expected();
  Server server({}, trained(), true, 256 * kMebibyte);
  const Json body = {{"q", pairs.source}, {"source", "en"}, {"target", "fr"}};
  std::vector<std::future<int>> clients;
  for (int client = 0; client < 20; ++client) {
    clients.push_back(std::async(std::launch::async, [&] {
      const auto answer = server.client().post("/translate", body.dump(), "application/json");
      return answer ? answer->status : 0;
    }));
  }
  for (auto& client : clients) {
    EXPECT_THAT(client.get(), AnyOf(200, 500, 503));
  }
  EXPECT_EQ(server.translate(pairs.source[0]), pairs.target[0]);
  EXPECT_EQ(server.stop().exit_code, 143);
}

TEST(Serve, APortThatIsTakenIsAFailureAndOneThatWasFreedIsNot) {
  Server first;
  const auto port = std::to_string(first.port());
  Arguments arguments = {"--port", port};
  arguments.insert(arguments.end(), kLanguages.begin(), kLanguages.end());
  const auto second = trained().run("translate-serve", arguments);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("cannot listen on 127.0.0.1 port " + port));
  EXPECT_THAT(second.err, HasSubstr("another program listens there"));
  EXPECT_EQ(first.translate("the cat sees a fish .").find("no answer"), std::string::npos);
  ASSERT_EQ(first.stop().exit_code, 143);
  Server third({"--port", port});
  EXPECT_EQ(std::to_string(third.port()), port);
}

TEST(Serve, WrongOptionsAreTheUsersMistake) {
  for (const Arguments& arguments : {Arguments{"--port", "70000"},
                                     Arguments{"--port", "x"},
                                     Arguments{"--timeout", "0"},
                                     Arguments{"--grace", "-1"},
                                     Arguments{"--max-queue", "0"},
                                     Arguments{"--max-batch", "0"},
                                     Arguments{"--max-characters", "0"},
                                     Arguments{"--http-threads", "0"},
                                     Arguments{"--batch-tokens", "0"},
                                     Arguments{"--no-such-option"},
                                     Arguments{"--max-connections", "0"},
                                     Arguments{"--client-timeout", "0"},
                                     Arguments{"--client-timeout", "nan"},
                                     Arguments{"--timeout", "nan"},
                                     Arguments{"--grace", "nan"},
                                     Arguments{"--timeout", "1e999"},
                                     Arguments{"--cors", "example.org"},
                                     Arguments{"--cors", "https://example.org/"},
                                     Arguments{"--cors", ""},
                                     Arguments{"--allow-host", "https://example.org"},
                                     Arguments{"--allow-host", "example.org:80"},
                                     Arguments{"--allow-host", ""},
                                     Arguments{"--host", ""},
                                     Arguments{"argument"}}) {
    const auto result = trained().run("translate-serve", arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.front() << ": " << result.err;
  }
}

}  // namespace
}  // namespace translate
