#include "serve/translation_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <optional>

#include "unit/tools/serve/gated_translator.h"
#include "unit/tools/serve/models/stand_in_models.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using Json = nlohmann::json;

class TranslationServiceTest : public ::testing::Test {
 protected:
  TranslationServiceTest() { options_.page = "<!DOCTYPE html>"; }
  ~TranslationServiceTest() override { translator_.open(); }

  TranslationService& service() {
    if (!service_) {
      models_ = only_model(stand_in("a model", {{"en", "fr", ""}}, translator_, max_alternatives_, limits_));
      service_.emplace(options_, *models_);
    }
    return *service_;
  }

  HttpAnswer get(const std::string& path, const std::string& method = "GET") {
    return service().answer({.method = method, .path = path, .content_type = "", .body = ""});
  }
  HttpAnswer post(const std::string& body, bool overload = false) {
    return service().answer({.method = "POST",
                             .path = "/translate",
                             .content_type = "application/json",
                             .body = body,
                             .overload = overload});
  }
  HttpAnswer translate(const Json& fields) {
    Json body = {{"source", "en"}, {"target", "fr"}};
    body.update(fields);
    return post(body.dump());
  }
  Json translated(const Json& fields) {
    const auto answer = translate(fields);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.content_type, "application/json");
    return Json::parse(answer.body);
  }
  static void expect_error(const HttpAnswer& answer, int status, const std::string& words) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.content_type, "application/json");
    const auto json = Json::parse(answer.body);
    ASSERT_EQ(json.size(), 1U);
    EXPECT_THAT(json["error"].get<std::string>(), HasSubstr(words));
  }

  ServiceOptions options_;
  QueueOptions limits_;
  GatedTranslator translator_;
  int max_alternatives_ = 0;
  std::unique_ptr<ModelRegistry> models_;
  std::optional<TranslationService> service_;
};

TEST_F(TranslationServiceTest, ATextGivesATextAndAListAList) {
  EXPECT_EQ(translated({{"q", "a"}}), Json({{"translatedText", "<a>"}}));
  EXPECT_EQ(translated({{"q", {"a", "", "b"}}}), Json({{"translatedText", {"<a>", "", "<b>"}}}));
  EXPECT_EQ(translated({{"q", Json::array()}}), Json({{"translatedText", Json::array()}}));
  EXPECT_EQ(translated({{"q", Json::array({"a"})}}), Json({{"translatedText", Json::array({"<a>"})}}));
}

TEST_F(TranslationServiceTest, LineBreaksAndBlankLinesStay) {
  EXPECT_EQ(translated({{"q", "a\n\n b\r\n  \n"}})["translatedText"], "<a>\n\n< b>\r\n  \n");
  EXPECT_EQ(translated({{"q", ""}})["translatedText"], "");
  EXPECT_EQ(translated({{"q", "\n\n"}})["translatedText"], "\n\n");
}

TEST_F(TranslationServiceTest, AllTextsOfARequestAreOneBatch) {
  (void)translated({{"q", {"a\nb", "c", "d\n\ne"}}});
  ASSERT_THAT(translator_.calls(), SizeIs(1));
  EXPECT_THAT(translator_.calls()[0], SizeIs(5));
}

TEST_F(TranslationServiceTest, HtmlKeepsItsTags) {
  EXPECT_EQ(translated({{"q", "<p>a &amp; <b>b</b></p>"}, {"format", "html"}})["translatedText"],
            "<p>&lt;a &amp; <b>b</b>&gt;</p>");
}

TEST_F(TranslationServiceTest, HtmlIsTranslatedAsPagesAre) {
  const auto html = [&](const std::string& q, const Json& more = Json::object()) {
    Json fields = {{"q", q}, {"format", "html"}};
    fields.update(more);
    return translated(fields)["translatedText"].get<std::string>();
  };
  EXPECT_EQ(html("<img alt='a' title=b><input placeholder=\"c\" aria-label=\"d\">"),
            "<img alt='&lt;a&gt;' title=\"&lt;b&gt;\"><input placeholder=\"&lt;c&gt;\" aria-label=\"&lt;d&gt;\">");
  EXPECT_EQ(html("<meta name=description content=a>"), "<meta name=description content=\"&lt;a&gt;\">");
  EXPECT_EQ(html("<html lang=en-GB dir=rtl><body>a"), "<html lang=\"fr\" dir=\"ltr\"><body>&lt;a&gt;");
  EXPECT_EQ(html("<p contenteditable>a</p>"), "<p contenteditable>a</p>");
  EXPECT_EQ(html("<p contenteditable>a</p>", {{"editable", true}}), "<p contenteditable>&lt;a&gt;</p>");
}

TEST_F(TranslationServiceTest, MarkupDoesNotCountAsText) {
  options_.max_characters = 5;
  const std::string markup = "<p class=\"of more than five characters\">";
  EXPECT_EQ(translated({{"q", markup + "12345"}, {"format", "html"}})["translatedText"], markup + "&lt;12345&gt;");
  expect_error(translate({{"q", markup + "123456"}, {"format", "html"}}), 400, "6 characters of text, of 5 at most");
}

TEST_F(TranslationServiceTest, ALineIsNotAsLongAsAText) {
  EXPECT_EQ(translate({{"q", std::string(10'000, 'x')}}).status, 200);
  expect_error(translate({{"q", std::string(10'001, 'x')}}), 400, "a line or paragraph has 10001 characters, of 10000");
}

TEST_F(TranslationServiceTest, AutoSaysWhatWasDetectedWhereTheModelHasIt) {
  const std::string english = "The train to the mountains leaves in the morning.";
  const std::string german = "Der Zug in die Berge fährt morgen früh vom Bahnhof ab.";
  const auto answer = translated({{"q", {english, german, "123"}}, {"source", "auto"}});
  EXPECT_EQ(answer["translatedText"], Json({"<" + english + ">", "<" + german + ">", "<123>"}));
  const auto detected = answer["detectedLanguage"];
  EXPECT_EQ(detected[0]["language"], "en");
  EXPECT_GT(detected[0]["confidence"], 80);
  for (int i : {1, 2}) {
    EXPECT_EQ(detected[i], Json({{"language", "en"}, {"confidence", 0}})) << i;
  }
  EXPECT_EQ(translated({{"q", english}, {"source", "auto"}})["detectedLanguage"], detected[0]);
  EXPECT_FALSE(translated({{"q", english}}).contains("detectedLanguage"));
}

TEST_F(TranslationServiceTest, WithAutoATextInTheTargetLanguageStaysAsItIs) {
  const std::string french = "Le train pour la montagne part demain matin de la gare.";
  const auto answer = translated({{"q", french}, {"source", "auto"}, {"alternatives", 1}, {"score", true}});
  EXPECT_EQ(answer["translatedText"], french);
  EXPECT_EQ(answer["detectedLanguage"]["language"], "fr");
  EXPECT_EQ(answer["alternatives"], Json::array());
  EXPECT_EQ(answer["score"], 0);
  const auto html = "<p class=x>" + french + "&amp;</p>";
  EXPECT_EQ(translated({{"q", html}, {"source", "auto"}, {"format", "html"}})["translatedText"], html);
  EXPECT_EQ(translated({{"q", french}, {"source", "en"}})["translatedText"], "<" + french + ">");
}

TEST_F(TranslationServiceTest, WithAutoTheMarkupOfHtmlDoesNotCount) {
  const std::string markup =
      "<p class=\"the english words of this attribute are many\"><!-- and of this comment, too -->";
  const auto answer = translated({{"q", markup + "Le train part."}, {"source", "auto"}, {"format", "html"}});
  EXPECT_EQ(answer["detectedLanguage"]["language"], "fr");
}

TEST_F(TranslationServiceTest, Detection) {
  const auto detect = [&](const Json& q) {
    const auto answer = service().answer(
        {.method = "POST", .path = "/detect", .content_type = "application/json", .body = Json{{"q", q}}.dump()});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Json::parse(answer.body);
  };
  const auto german = detect("Der Zug in die Berge fährt morgen früh vom Bahnhof ab.");
  EXPECT_EQ(german[0]["language"], "de");
  EXPECT_GT(german[0]["confidence"], 80);
  EXPECT_EQ(detect({"Der Zug in die Berge", "fährt morgen früh vom Bahnhof ab."})[0]["language"], "de");
  EXPECT_EQ(detect(""), Json::parse(R"([{"confidence": 0.0, "language": "en"}])"));
  EXPECT_EQ(
      service()
          .answer({.method = "POST", .path = "/detect", .content_type = "", .body = "", .query = {{"q", "Hello you"}}})
          .status,
      200);
  options_.max_characters = 3;
  service_.reset();
  expect_error(get("/detect", "POST"), 400, "field q is missing");
  expect_error(service().answer({.method = "POST", .path = "/detect", .content_type = "", .body = R"({"q": "four"})"}),
               400, "4 characters, of 3 at most");
}

TEST_F(TranslationServiceTest, ParametersOfTheQueryAreAsGood) {
  const auto answer = service().answer({.method = "POST",
                                        .path = "/translate",
                                        .content_type = "",
                                        .body = "",
                                        .query = {{"q", "a"}, {"source", "en"}, {"target", "fr"}}});
  EXPECT_EQ(Json::parse(answer.body), Json({{"translatedText", "<a>"}}));
}

TEST_F(TranslationServiceTest, LanguagesAreNamedWithoutRegardToCapitals) {
  EXPECT_EQ(translated({{"q", "a"}, {"source", "EN"}, {"target", "Fr"}})["translatedText"], "<a>");
}

TEST_F(TranslationServiceTest, OtherPairsAreNamedInTheError) {
  expect_error(translate({{"q", "a"}, {"target", "de"}}), 400, "en to de is not supported");
  expect_error(translate({{"q", "a"}, {"source", "fr"}, {"target", "en"}}), 400, "fr to en is not supported");
  expect_error(translate({{"q", "a"}, {"target", "auto"}}), 400, "this server translates from en to fr");
  expect_error(translate({{"q", "a"}, {"source", ""}}), 400, " to fr is not supported");
  EXPECT_THAT(translator_.calls(), SizeIs(0));
}

TEST_F(TranslationServiceTest, AsManyAlternativesAsThereAre) {
  EXPECT_EQ(translated({{"q", "a"}, {"alternatives", 3}}),
            Json({{"translatedText", "<a>"}, {"alternatives", Json::array()}}));
  EXPECT_FALSE(translated({{"q", "a"}, {"alternatives", 0}}).contains("alternatives"));
  max_alternatives_ = 2;
  service_.reset();
  EXPECT_EQ(translated({{"q", "a"}, {"alternatives", 2}}),
            Json({{"translatedText", "<a>"}, {"alternatives", {"<a>2", "<a>3"}}}));
  EXPECT_EQ(translated({{"q", {"a\nb", "c"}}, {"alternatives", 1}})["alternatives"],
            Json({Json::array({"<a>2\n<b>2"}), Json::array({"<c>2"})}));
  EXPECT_THAT(translated({{"q", "a"}, {"alternatives", 3}})["alternatives"], SizeIs(2));
  EXPECT_EQ(translated({{"q", ""}, {"alternatives", 2}})["alternatives"], Json::array());  // no repetitions
}

TEST_F(TranslationServiceTest, AlternativesHaveAQueueOfTheirOwn) {
  GatedTranslator other;
  models_ = only_model(std::make_unique<ServedModel>(
      ModelFacts{.name = "m", .directions = {{"en", "fr", ""}}, .max_alternatives = 2},
      ModelTranslators{.plain = translator_.function(), .several = other.function()}, limits_));
  service_.emplace(options_, *models_);
  (void)translated({{"q", "a"}});
  EXPECT_THAT(other.calls(), SizeIs(0));
  EXPECT_THAT(translated({{"q", "b"}, {"alternatives", 1}})["alternatives"], SizeIs(1));
  EXPECT_THAT(other.calls(), SizeIs(1));
  EXPECT_THAT(translator_.calls(), SizeIs(1));
  EXPECT_THAT(get("/metrics").body, HasSubstr("translate_lines_together_count 2\n"));
}

TEST_F(TranslationServiceTest, AModelIsGivenAwayOnlyWhereThatWasAskedFor) {
  const auto page = get("/learn");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(std::string(body_of(page)), HasSubstr("a model"));
  EXPECT_EQ(get("/learn").shared_body, page.shared_body) << "no copy for each client";
  EXPECT_THAT(page.headers, Contains(Pair("Content-Security-Policy", HasSubstr("default-src 'none'"))));
  EXPECT_EQ(Json::parse(get("/frontend/settings").body)["learn"], true);
  service_.reset();
  models_ = only_model(std::make_unique<ServedModel>(ModelFacts{.name = "m", .directions = {{"en", "fr", ""}}},
                                                     ModelTranslators{.plain = translator_.function()}, limits_));
  service_.emplace(options_, *models_);
  expect_error(get("/learn"), 404, "started with --learn");
  EXPECT_EQ(Json::parse(get("/frontend/settings").body)["learn"], false);
}

TEST_F(TranslationServiceTest, ScoresAreThoseOfAllLines) {
  EXPECT_EQ(translated({{"q", "a\n\nb"}, {"score", true}})["score"], -2.0);
  EXPECT_EQ(translated({{"q", {"a", ""}}, {"score", "1"}})["score"], Json({-1.0, 0.0}));
  EXPECT_FALSE(translated({{"q", "a"}, {"score", false}}).contains("score"));
  EXPECT_FALSE(translated({{"q", "a"}}).contains("confidence"));
  EXPECT_EQ(translated({{"q", "a\n\nb"}, {"score", true}})["confidence"], 0.5);
  EXPECT_EQ(translated({{"q", {"a", ""}}, {"score", true}})["confidence"], Json({0.75, nullptr}));
  EXPECT_FALSE(translated({{"q", ""}, {"score", true}}).contains("confidence"));
  expect_error(translate({{"q", "a"}, {"score", "much"}}), 400, "score should be true or false");
}

TEST_F(TranslationServiceTest, WordsThatTheModelDoesNotKnowComeWithScores) {
  EXPECT_EQ(translated({{"q", "x"}}), Json({{"translatedText", "<x>"}}));
  const auto one = translated({{"q", "a\n\nbx\nx"}, {"score", true}});
  EXPECT_EQ(one["unknown_words"], Json({"bx", "x"}));
  EXPECT_EQ(one["unseen_words"], Json({"bx", "x", "x", "x"}));
  const auto several = translated({{"q", {"a", "x"}}, {"score", true}});
  EXPECT_EQ(several["unknown_words"], Json({Json::array(), Json::array({"x"})}));
  const auto none = translated({{"q", "a"}, {"score", true}});
  EXPECT_FALSE(none.contains("unknown_words") || none.contains("unseen_words"));
}

TEST_F(TranslationServiceTest, TermsThatTranslationsLackAreNamedWhereThereAreAny) {
  const Json terms = {{"a", "A"}, {"b", "B"}};
  EXPECT_FALSE(translated({{"q", "a"}}).contains("missing_terms"));
  EXPECT_EQ(translated({{"q", "c"}, {"glossary", terms}}), Json({{"translatedText", "<c>"}}));
  EXPECT_FALSE(translated({{"q", ""}, {"glossary", terms}}).contains("missing_terms"));
  EXPECT_EQ(translated({{"q", "a\n\nb a"}, {"glossary", terms}})["missing_terms"], Json({"A", "A", "B"}));
  EXPECT_EQ(translated({{"q", {"b", "", "c"}}, {"glossary", terms}})["missing_terms"],
            Json({Json::array({"B"}), Json::array(), Json::array()}));
  EXPECT_EQ(translated({{"q", "<p>a</p><p>b</p>"}, {"format", "html"}, {"glossary", terms}})["missing_terms"],
            Json({"A", "B"}));
}

TEST_F(TranslationServiceTest, HtmlWithoutEndIsTheClientsMistake) {
  std::string html = "<p>";
  for (int i = 0; i < 500; ++i) {
    html += "<b c=" + std::to_string(i) + ">";
  }
  for (int i = 0; i < 500; ++i) {
    html += "</p><p>a";
  }
  expect_error(translate({{"q", html}, {"format", "html"}}), 400, "the HTML cannot be parsed");
}

TEST_F(TranslationServiceTest, WrongBodiesAreTheClientsMistakes) {
  expect_error(post("{"), 400, "not JSON");
  expect_error(post("{}"), 400, "field q is missing");
  expect_error(service().answer({.method = "POST", .path = "/translate", .content_type = "text/csv", .body = "a"}), 415,
               "text/csv");
}

TEST_F(TranslationServiceTest, TooManyCharactersOrLines) {
  options_.max_characters = 10;
  options_.max_lines = 3;
  EXPECT_EQ(translated({{"q", "éééééééééé"}})["translatedText"], "<éééééééééé>");
  expect_error(translate({{"q", "ééééééééééé"}}), 400, "11 characters of text, of 10 at most");
  expect_error(translate({{"q", {"123456", "12345"}}}), 400, "11 characters");
  EXPECT_EQ(translated({{"q", "a\nb\n\n\nc"}})["translatedText"], "<a>\n<b>\n\n\n<c>");
  expect_error(translate({{"q", "a\nb\nc\nd"}}), 400, "4 lines to translate, of 3 at most");
  EXPECT_GT(service().max_body(), 120U);
}

TEST_F(TranslationServiceTest, AFullQueueSaysWhenToComeAgain) {
  limits_.max_waiting = 1;
  translator_.close();
  auto running = std::async(std::launch::async, [&] { return translate({{"q", "a"}}); });
  ASSERT_TRUE(comes_true([&] { return translator_.calls().size() == 1; }));
  auto waiting = std::async(std::launch::async, [&] { return translate({{"q", "b"}}); });
  ASSERT_TRUE(comes_true([&] { return models_->counts().queue.waiting == 1; }));
  const auto refused = translate({{"q", "c"}});
  expect_error(refused, 503, "try again");
  EXPECT_THAT(refused.headers, Contains(Pair("Retry-After", "1")));
  translator_.open();
  EXPECT_EQ(running.get().status, 200);
  EXPECT_EQ(waiting.get().status, 200);
}

TEST_F(TranslationServiceTest, UnderOverloadOnlyTranslatingIsRefused) {
  const auto refused = post(R"({"q": "a", "source": "en", "target": "fr"})", /*overload=*/true);
  expect_error(refused, 503, "too many connections");
  EXPECT_THAT(refused.headers, Contains(Pair("Retry-After", "1")));
  EXPECT_EQ(
      service().answer({.method = "GET", .path = "/health", .content_type = "", .body = "", .overload = true}).status,
      200);
}

TEST_F(TranslationServiceTest, TheTimeLimit) {
  options_.timeout = std::chrono::milliseconds(20);
  translator_.close();
  expect_error(translate({{"q", "a"}}), 504, "time limit");
}

TEST_F(TranslationServiceTest, AStoppingServerSaysSo) {
  (void)service();
  models_->stop();
  expect_error(translate({{"q", "a"}}), 503, "stopping");
}

TEST_F(TranslationServiceTest, WhatFailsInsideIsNotToldOutside) {
  const auto answer = translate({{"q", "boom"}});
  expect_error(answer, 500, "the translation failed");
  EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("boom")));
  EXPECT_EQ(translate({{"q", "a"}}).status, 200);
}

TEST_F(TranslationServiceTest, Languages) {
  EXPECT_EQ(Json::parse(get("/languages").body), Json::parse(R"([{"code": "en", "name": "English", "targets": ["fr"]},
                                                                 {"code": "fr", "name": "French", "targets": []}])"));
}

TEST_F(TranslationServiceTest, HealthSettingsAndPage) {
  EXPECT_EQ(Json::parse(get("/health").body), Json({{"status", "ok"}}));
  const auto settings = Json::parse(get("/frontend/settings").body);
  EXPECT_EQ(settings["charLimit"], 1'000'000);
  EXPECT_EQ(settings["language"]["source"], Json({{"code", "en"}, {"name", "English"}}));
  EXPECT_EQ(settings["keyRequired"], false);
  EXPECT_EQ(settings["model"], "a model");
  EXPECT_EQ(settings["models"],
            Json::parse(R"([{"name": "a model", "bytes": 7000, "directions": [{"source": "en", "target": "fr"}]}])"));
  const auto page = get("/");
  EXPECT_EQ(body_of(page), "<!DOCTYPE html>");
  EXPECT_EQ(get("/").shared_body, page.shared_body);
  EXPECT_THAT(page.content_type, HasSubstr("text/html"));
  EXPECT_THAT(page.headers, Contains(Pair("Content-Security-Policy", HasSubstr("default-src 'none'"))));
}

TEST_F(TranslationServiceTest, PathsAndMethodsThatAreNotThere) {
  expect_error(get("/nothing"), 404, "there is no /nothing here");
  expect_error(get("/translate/"), 404, "POST /translate");
  expect_error(get(""), 404, "there is no");
  const auto wrong = get("/translate");
  expect_error(wrong, 405, "/translate takes POST, not GET");
  EXPECT_THAT(wrong.headers, Contains(Pair("Allow", "POST, OPTIONS")));
  expect_error(get("/health", "DELETE"), 405, "/health takes GET");
  EXPECT_EQ(get("/health", "HEAD").status, 200);
}

TEST_F(TranslationServiceTest, OtherSitesAreLetInWhereOneSaysSo) {
  const auto header = [](const HttpAnswer& answer, const std::string& name) {
    const auto found = std::ranges::find(answer.headers, name, &std::pair<std::string, std::string>::first);
    return found == answer.headers.end() ? "" : found->second;
  };
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& origin) {
    return service().answer({.method = method,
                             .path = path,
                             .content_type = "",
                             .body = R"({"q": "a", "source": "en", "target": "fr"})",
                             .host = "127.0.0.1:5000",
                             .origin = origin});
  };
  constexpr auto kAllow = "Access-Control-Allow-Origin";
  EXPECT_EQ(header(ask("GET", "/health", "https://example.org"), kAllow), "");
  for (const auto* path : {"/translate", "/detect", "/nothing"}) {
    expect_error(ask("POST", path, "https://example.org"), 403, "--cors https://example.org");
  }
  EXPECT_EQ(ask("POST", "/translate", "http://127.0.0.1:5000").status, 200);  // its own page
  EXPECT_THAT(translator_.calls(), SizeIs(1));
  service_.reset();
  options_.sites.origins = {"https://other.org", "https://example.org"};
  for (const auto* method : {"GET", "POST"}) {
    const auto answer = ask(method, "/translate", "https://example.org");
    EXPECT_EQ(header(answer, kAllow), "https://example.org");
    EXPECT_EQ(header(answer, "Vary"), "Origin");
  }
  EXPECT_EQ(ask("POST", "/translate", "https://example.org").status, 200);
  const auto preflight = ask("OPTIONS", "/translate", "https://example.org");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(header(preflight, kAllow), "https://example.org");
  EXPECT_EQ(header(preflight, "Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(header(preflight, "Access-Control-Allow-Headers"), "Content-Type");
  EXPECT_EQ(header(ask("OPTIONS", "/translate", "https://third.org"), kAllow), "");
}

TEST_F(TranslationServiceTest, OtherNamesOfTheServerAreRefused) {
  const auto ask = [&](const std::string& host) {
    return service().answer({.method = "GET", .path = "/", .content_type = "", .body = "", .host = host});
  };
  expect_error(ask("evil.example:5000"), 403, "--allow-host evil.example");
  expect_error(ask("a b"), 400, "Host");
  EXPECT_EQ(ask("localhost:5000").status, 200);
  service_.reset();
  options_.sites.hosts = {"evil.example"};
  EXPECT_EQ(ask("evil.example").status, 200);
}

TEST_F(TranslationServiceTest, MetricsCountWhatWasDone) {
  (void)translate({{"q", {"ab\nc", "d"}}});
  (void)translate({{"q", "boom"}});
  (void)translate({{"q", "a"}, {"target", "de"}});
  (void)get("/nothing");
  const auto answer = get("/metrics");
  EXPECT_THAT(answer.content_type, HasSubstr("text/plain"));
  for (const auto* line :
       {"translate_requests_total{status=\"200\"} 1\n", "translate_requests_total{status=\"400\"} 1\n",
        "translate_requests_total{status=\"500\"} 1\n", "translate_texts_total 2\n", "translate_characters_total 5\n",
        "translate_waiting_lines 0\n", "translate_running_lines 0\n", "translate_most_lines_together 3\n",
        "translate_lines_together_bucket{le=\"1\"} 2\n", "translate_lines_together_bucket{le=\"4\"} 4\n",
        "translate_lines_together_bucket{le=\"+Inf\"} 4\n", "translate_lines_together_sum 7\n",
        "translate_request_seconds{quantile=\"0.99\"}", "translate_model_bytes{model=\"a model\"} 7000\n",
        "translate_reloads_total{outcome=\"loaded\"} 0\n"}) {
    EXPECT_THAT(answer.body, HasSubstr(line));
  }
}

/// A server from English to French and from French to German, and from Spanish to French.
class SeveralModels : public TranslationServiceTest {
 protected:
  SeveralModels() {
    std::vector<std::unique_ptr<ServedModel>> models;
    models.push_back(stand_in("en-fr", {{"en", "fr", ""}}, translator_));
    models.push_back(stand_in("fr-de", {{"fr", "de", ""}}, german_, /*max_alternatives=*/2));
    models.push_back(stand_in("es-fr", {{"es", "fr", ""}}, spanish_));
    models_ = std::make_unique<ModelRegistry>(std::move(models), Pivoting::kOn);
    service_.emplace(options_, *models_);
  }

  GatedTranslator german_;
  GatedTranslator spanish_;
  const std::string english_text_ = "The train to the mountains leaves in the morning.";
  const std::string spanish_text_ = "El tren hacia las montañas sale mañana por la mañana de la estación.";
  const std::string german_text_ = "Der Zug in die Berge fährt morgen früh vom Bahnhof ab.";
};

TEST_F(SeveralModels, AThirdLanguageLiesBetweenWhereNoModelHasTheDirection) {
  EXPECT_EQ(translated({{"q", "a\n\nb"}, {"target", "de"}})["translatedText"], "<<a>>\n\n<<b>>");
  const auto answer = translated({{"q", "a"}, {"target", "de"}, {"alternatives", 5}, {"score", true}});
  EXPECT_EQ(answer["alternatives"], Json({"<<a>>2", "<<a>>3"}));
  EXPECT_EQ(answer["score"], -2.0);
  EXPECT_FALSE(answer.contains("confidence"));
  EXPECT_EQ(translated({{"q", "a"}, {"alternatives", 5}})["alternatives"], Json::array());  // that model has none
  EXPECT_EQ(translated({{"q", "<p>a <b>b</b></p>"}, {"target", "de"}, {"format", "html"}})["translatedText"],
            "<p>&lt;&lt;a <b>b</b>&gt;&gt;</p>");
}

TEST_F(SeveralModels, LanguagesAndSettingsTellAllOfThem) {
  const auto languages = Json::parse(get("/languages").body);
  ASSERT_EQ(languages.size(), 4U);
  EXPECT_EQ(languages[0], Json::parse(R"({"code": "en", "name": "English", "targets": ["fr", "de"]})"));
  EXPECT_EQ(languages[2]["code"], "es");
  EXPECT_EQ(languages[3], Json::parse(R"({"code": "de", "name": "German", "targets": []})"));
  const auto settings = Json::parse(get("/frontend/settings").body);
  EXPECT_EQ(settings["model"], "en-fr, fr-de, es-fr");
  EXPECT_EQ(settings["models"][1]["directions"], Json::parse(R"([{"source": "fr", "target": "de"}])"));
  EXPECT_EQ(settings["alternativesLimit"], 2);
  EXPECT_THAT(get("/spec").body, HasSubstr("Translates from en to fr; from fr to de; from es to fr."));
  for (const auto* name : {"en-fr", "fr-de", "es-fr"}) {
    EXPECT_THAT(get("/metrics").body, HasSubstr("translate_model_bytes{model=\"" + std::string(name) + "\"} 5000\n"));
  }
}

TEST_F(SeveralModels, ThePageToExperimentWithIsThatOfTheDirection) {
  const auto page = [&](const std::vector<std::pair<std::string, std::string>>& query) {
    return service().answer({.method = "GET", .path = "/learn", .content_type = "", .body = "", .query = query});
  };
  EXPECT_THAT(std::string(body_of(page({}))), HasSubstr("en-fr"));
  EXPECT_THAT(std::string(body_of(page({{"source", "fra"}, {"target", "de"}}))), HasSubstr("fr-de"));
  for (const auto& [source, target] : {std::pair("en", "de"), std::pair("de", "en")}) {
    expect_error(page({{"source", source}, {"target", target}}), 404,
                 "there are models from en to fr; from fr to de; from es to fr");
  }
  expect_error(page({{"source", std::string("en\0", 3)}, {"target", "fr"}}), 404,
               "from \"en\\u0000\" to \"fr\"; there are");
  expect_error(page({{"target", "fr"}}), 400,
               "both source and target, or neither, for the first model; got only target");
}

TEST_F(SeveralModels, ANulIsAPartOfACode) {
  const std::string nul(1, '\0');
  expect_error(translate({{"q", "a"}, {"source", "en" + nul}}), 400,
               "en\\u0000 to fr is not supported: this server translates from en to fr; from fr to de");
  expect_error(translate({{"q", "a"}, {"target", nul}}), 400, "en to \\u0000 is not supported: this server");
  expect_error(translate({{"q", "a"}, {"source", "auto" + nul}}), 400, "auto\\u0000 to fr is not supported");
  expect_error(get("/x" + nul + "y"), 404, "there is no /x\\u0000y here; there are");
}

TEST_F(SeveralModels, UnknownDirectionsAreAnsweredWithThoseThatThereAre) {
  expect_error(translate({{"q", "a"}, {"source", "de"}}), 400,
               "de to fr is not supported: this server translates from en to fr; from fr to de; from es to fr");
  expect_error(translate({{"q", "a"}, {"source", "auto"}, {"target", "es"}}), 400, "auto to es is not supported");
}

TEST_F(SeveralModels, AutoChoosesAmongTheSourcesForEachText) {
  const auto answer = translated(
      {{"q", {english_text_, spanish_text_, "123", german_text_, english_text_ + "\nx"}}, {"source", "auto"}});
  EXPECT_EQ(answer["translatedText"], Json({"<" + english_text_ + ">", "<" + spanish_text_ + ">", "<123>",
                                            "<" + german_text_ + ">", "<" + english_text_ + ">\n<x>"}));
  std::vector<std::string> detected;
  for (const auto& one : answer["detectedLanguage"]) {
    detected.push_back(one["language"]);
  }
  EXPECT_EQ(detected, (std::vector<std::string>{"en", "es", "en", "en", "en"}));
  EXPECT_EQ(spanish_.calls(), (std::vector<GatedTranslator::Lines>{{spanish_text_}}));
  EXPECT_EQ(translator_.calls(),
            (std::vector<GatedTranslator::Lines>{{english_text_, "123", german_text_, english_text_, "x"}}));
}

TEST_F(SeveralModels, WithAutoATextInTheTargetLanguageStaysWhereItCouldBeASourceToo) {
  const std::string french = "Le train pour la montagne part demain matin de la gare.";
  const auto answer = translated({{"q", {french, english_text_}}, {"source", "auto"}});
  EXPECT_EQ(answer["translatedText"], Json({french, "<" + english_text_ + ">"}));
  EXPECT_EQ(translated({{"q", french}, {"source", "auto"}, {"target", "de"}})["translatedText"], "<" + french + ">");
  EXPECT_EQ(translated({{"q", german_text_}, {"source", "auto"}, {"target", "de"}})["translatedText"], german_text_);
}

TEST_F(TranslationServiceTest, TheDetectedScriptChoosesTheModel) {
  const std::string simplified = "明天城里的天气会很好，我们一起去学习汉语。";
  const std::string traditional = "明天城裡的天氣會很好，我們一起去學習漢語。";
  GatedTranslator other;
  std::vector<std::unique_ptr<ServedModel>> models;
  models.push_back(stand_in("simplified", {{"zh-Hans", "en", ""}}, translator_));
  models.push_back(stand_in("traditional", {{"zh-Hant", "en", ""}}, other));
  models_ = std::make_unique<ModelRegistry>(std::move(models), Pivoting::kOn);
  service_.emplace(options_, *models_);
  const auto answer =
      translated({{"q", {simplified, traditional}}, {"source", "auto"}, {"target", "en"}})["detectedLanguage"];
  EXPECT_EQ(answer[0]["language"], "zh-Hans");
  EXPECT_EQ(answer[1]["language"], "zh-Hant");
  EXPECT_EQ(other.calls(), (std::vector<GatedTranslator::Lines>{{traditional}}));
}

TEST_F(SeveralModels, DetectionTellsTheLanguagesOfAllModels) {
  const auto answer = service().answer({.method = "POST",
                                        .path = "/detect",
                                        .content_type = "application/json",
                                        .body = Json{{"q", german_text_}}.dump()});
  EXPECT_EQ(Json::parse(answer.body)[0]["language"], "de");
}

TEST_F(SeveralModels, TheTimeLimitHoldsForBothSteps) {
  service_.reset();
  options_.timeout = std::chrono::milliseconds(100);
  service_.emplace(options_, *models_);
  german_.close();
  expect_error(translate({{"q", "a"}, {"target", "de"}}), 504, "time limit");
  german_.open();
}

}  // namespace
}  // namespace translate::tools
