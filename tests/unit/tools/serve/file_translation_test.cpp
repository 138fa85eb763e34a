// Files that a service translates: POST /translate_file and the download.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>

#include "serve/translation_service.h"
#include "unit/tools/serve/gated_translator.h"
#include "unit/tools/serve/models/stand_in_models.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;
using ::testing::SizeIs;
using Json = nlohmann::json;
using Fields = std::vector<std::pair<std::string, std::string>>;

class FileTranslation : public ::testing::Test {
 protected:
  FileTranslation() { options_.sites.hosts = {"a.example"}; }
  ~FileTranslation() override { translator_.open(); }

  TranslationService& service() {
    if (!service_) {
      models_ = only_model(stand_in("a model", {{"en", "fr", ""}}, translator_, 0, limits_));
      service_.emplace(options_, *models_);
    }
    return *service_;
  }

  static HttpRequest upload(const std::string& name, const std::string& bytes,
                            const Fields& fields = {{"source", "en"}, {"target", "fr"}}) {
    HttpRequest request = {.method = "POST",
                           .path = "/translate_file",
                           .content_type = "multipart/form-data; boundary=xyz",
                           .body = "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
                                   "\"\r\nContent-Type: application/octet-stream\r\n\r\n" + bytes + "\r\n"};
    for (const auto& [field, value] : fields) {
      request.body += "--xyz\r\nContent-Disposition: form-data; name=\"" + field + "\"\r\n\r\n" + value + "\r\n";
    }
    request.body += "--xyz--\r\n";
    request.host = "a.example";
    return request;
  }

  HttpAnswer fetch(const std::string& url) {
    const auto path = url.substr(url.find("/download_file/"));
    return service().answer({.method = "GET", .path = path, .content_type = "", .body = ""});
  }

  /// Uploads a file and downloads its translation.
  HttpAnswer translated(const HttpRequest& request) {
    const auto answer = service().answer(request);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? fetch(Json::parse(answer.body)["translatedFileUrl"].get<std::string>()) : answer;
  }

  std::string content(const std::string& name, const std::string& bytes) {
    return std::string(body_of(translated(upload(name, bytes))));
  }

  void expect_error(const HttpRequest& request, int status, const std::string& words) {
    const auto answer = service().answer(request);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_THAT(Json::parse(answer.body)["error"].get<std::string>(), HasSubstr(words));
  }

  ServiceOptions options_;
  QueueOptions limits_;
  GatedTranslator translator_;
  std::unique_ptr<ModelRegistry> models_;
  std::optional<TranslationService> service_;
};

TEST_F(FileTranslation, TheFormatIsThatOfTheName) {
  EXPECT_EQ(content("a.txt", "\xEF\xBB\xBFone\r\n\ntwo\n"), "\xEF\xBB\xBF<one>\r\n\n<two>\n");
  EXPECT_EQ(content("a.JSON", R"({"a": "one", "b": 2})"), R"({"a": "<one>", "b": 2})");
  EXPECT_EQ(content("strings.xml", "<resources><string name=\"a\">one</string></resources>"),
            "<resources><string name=\"a\">&lt;one&gt;</string></resources>");
  EXPECT_EQ(content("a.html", "<html lang=en><p title=one>two</p></html>"),
            "<html lang=\"fr\"><p title=\"&lt;one&gt;\">&lt;two&gt;</p></html>");
  EXPECT_EQ(std::string(body_of(translated(
                upload("a.csv", "id,text\n1,one\n", {{"source", "en"}, {"target", "fr"}, {"column", "text"}})))),
            "id,text\n1,<one>\n");
}

TEST_F(FileTranslation, TheResultIsADownloadUnderANameOfItsOwn) {
  const auto answer = service().answer(upload("notes.txt", "one"));
  const auto url = Json::parse(answer.body)["translatedFileUrl"].get<std::string>();
  EXPECT_THAT(url, MatchesRegex("http://a\\.example/download_file/[0-9a-f]{32}"));
  const auto file = fetch(url);
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.content_type, "application/octet-stream");
  EXPECT_THAT(file.headers, Contains(Pair("Content-Disposition", HasSubstr("attachment; filename=\"notes_fr.txt\""))));
  EXPECT_THAT(file.headers, Contains(Pair("Content-Security-Policy", HasSubstr("sandbox"))));
  EXPECT_EQ(fetch(url).shared_body, file.shared_body) << "no copy for each client";
  EXPECT_EQ(fetch("/download_file/" + std::string(32, '0')).status, 404);
  EXPECT_EQ(fetch("/download_file/").status, 404);
}

TEST_F(FileTranslation, TermsThatTheTranslationLacksAreNamed) {
  const auto answer = [&](const std::string& glossary) {
    return Json::parse(
        service()
            .answer(upload("a.txt", "one\ntwo\none\n", {{"source", "en"}, {"target", "fr"}, {"glossary", glossary}}))
            .body);
  };
  EXPECT_EQ(answer(R"({"one": "un"})")["missing_terms"], Json({"un", "un"}));
  EXPECT_EQ(answer(R"({"three": "trois"})").size(), 1U);
}

TEST_F(FileTranslation, TheAddressIsThatOfTheProxy) {
  auto request = upload("a.txt", "one");
  request.forwarded_scheme = "https";
  EXPECT_THAT(service().answer(request).body, HasSubstr("\"https://a.example/download_file/"));
  request.forwarded_scheme = "javascript";
  EXPECT_THAT(service().answer(request).body, HasSubstr("\"http://a.example/download_file/"));
}

TEST_F(FileTranslation, NamesHaveNoFoldersAndNothingElseThatHarms) {
  const auto disposition = [&](const std::string& name) {
    const auto file = translated(upload(name, "one"));
    return std::ranges::find(file.headers, "Content-Disposition", &Fields::value_type::first)->second;
  };
  for (const auto* name : {"../../etc/a.txt", "..\\\\a.txt", "C:\\\\x\\\\a.txt", "/a.txt"}) {
    EXPECT_THAT(disposition(name), HasSubstr("filename=\"a_fr.txt\"; filename*=UTF-8''a_fr.txt")) << name;
  }
  EXPECT_THAT(disposition("a\tb.txt"), HasSubstr("filename=\"ab_fr.txt\""));
  EXPECT_THAT(disposition("é.txt"), HasSubstr("filename*=UTF-8''%C3%A9_fr.txt"));
  EXPECT_LT(disposition(std::string(5000, 'a') + ".txt").size(), 600U);
  expect_error(upload("..", "one"), 400, "file: no format");
  expect_error(upload("", "one"), 400, "file: no format");
}

TEST_F(FileTranslation, WithAutoTheLanguageIsDetected) {
  const Fields fields = {{"source", "auto"}, {"target", "fr"}};
  const std::string french = "\xEF\xBB\xBFLe train pour la montagne part demain matin de la gare.";
  EXPECT_EQ(body_of(translated(upload("a.txt", french, fields))), french);
  EXPECT_EQ(body_of(translated(upload("a.txt", "The train leaves in the morning.", fields))),
            "<The train leaves in the morning.>");
}

TEST_F(FileTranslation, MistakesAreNamed) {
  expect_error(upload("a.pdf", "x"), 400, "a.pdf: no format has this suffix; the files that can be translated are");
  expect_error(upload("a", "x"), 400, ".txt, .html");
  expect_error(upload("a.txt", "x", {{"source", "en"}, {"target", "de"}}), 400, "en to de is not supported");
  expect_error(upload("a.txt", "x", {{"source", "en"}}), 400, "field target is missing");
  expect_error(upload("a.txt", "\xFF"), 400, "a.txt: line 1: not UTF-8");
  expect_error(upload("a.docx", "x"), 400, "a.docx: not a zip archive");
  expect_error(upload("a.json", "{"), 400, "a.json: line 1");
  expect_error(upload("a.csv", "id,text\n"), 400, "the first line has id, text");
  auto without_name = upload("a.txt", "x");
  without_name.body.replace(without_name.body.find("; filename"), std::string("; filename=\"a.txt\"").size(), "");
  expect_error(without_name, 400, "no file name");
  auto json = upload("a.txt", "x");
  json.content_type = "application/json";
  expect_error(json, 415, "multipart/form-data");
  auto no_file = upload("a.txt", "x");
  no_file.body.replace(no_file.body.find("name=\"file\""), 11, "name=\"fire\"");
  expect_error(no_file, 400, "field file is missing");
  for (std::size_t length = 0; length + 8 < json.body.size(); length += 7) {  // cut before its last boundary
    auto cut = upload("a.txt", "x");
    cut.body.resize(length);
    EXPECT_EQ(service().answer(cut).status, 400) << length;
  }
  EXPECT_THAT(translator_.calls(), SizeIs(0));
}

TEST_F(FileTranslation, SizesAreBounded) {
  options_.max_file = 400;
  options_.max_characters = 20;
  expect_error(upload("a.txt", std::string(401, 'x')), 413, "401 bytes, of 400 at most");
  expect_error(upload("a.html", std::string(101, 'x')), 413, "a.html has 101 bytes, of 100 at most for HTML");
  expect_error(upload("a.txt", std::string(21, 'x')), 400, "21 characters of text, of 20 at most");
  EXPECT_EQ(content("a.html", "<p class=\"of many more characters than twenty\">one</p>"),
            "<p class=\"of many more characters than twenty\">&lt;one&gt;</p>");
  EXPECT_GE(service().max_body(), options_.max_file);
  service_.reset();
  options_.max_file = 0;
  expect_error(upload("a.txt", "x"), 403, "translates no files");
  const auto settings =
      service().answer({.method = "GET", .path = "/frontend/settings", .content_type = "", .body = ""});
  EXPECT_EQ(Json::parse(settings.body)["filesTranslation"], false);
}

TEST_F(FileTranslation, SettingsNameTheFormats) {
  const auto settings =
      service().answer({.method = "GET", .path = "/frontend/settings", .content_type = "", .body = ""});
  const auto json = Json::parse(settings.body);
  EXPECT_EQ(json["filesTranslation"], true);
  EXPECT_EQ(json["fileLimit"], options_.max_file);
  for (const auto* suffix : {".txt", ".html", ".srt", ".docx", ".po"}) {
    EXPECT_THAT(json["supportedFilesFormat"], Contains(suffix));
  }
}

TEST_F(FileTranslation, ResultsThatFindNoRoomAreRefused) {
  options_.kept_files = 3000;
  EXPECT_EQ(service().answer(upload("a.txt", std::string(1000, 'x'))).status, 200);
  const auto refused = service().answer(upload("a.txt", std::string(1000, 'x')));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.headers, Contains(Pair("Retry-After", MatchesRegex("[0-9]{3}"))));
  EXPECT_THAT(translator_.calls(), SizeIs(1)) << "is refused before it is translated";
}

TEST_F(FileTranslation, OnlySoManyAreTranslatedAtATime) {
  options_.max_long = 1;
  translator_.close();
  auto first = std::async(std::launch::async, [&] { return service().answer(upload("a.txt", "one")); });
  ASSERT_TRUE(comes_true([&] { return translator_.calls().size() == 1; }));
  expect_error(upload("a.txt", "two"), 503, "1 files or long texts are being translated, of 1 at most");
  const Json text = {{"q", std::string(LongRequests::kShort + 1, ' ')}, {"source", "en"}, {"target", "fr"}};
  expect_error({.method = "POST", .path = "/translate", .content_type = "application/json", .body = text.dump()}, 503,
               "long texts");
  translator_.open();
  EXPECT_EQ(first.get().status, 200);
  EXPECT_EQ(service().answer(upload("a.txt", "two")).status, 200);
}

TEST_F(FileTranslation, LinesGoToTheQueueInPortions) {
  options_.portion = 3;
  limits_.max_waiting = 4;
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    lines += "line\n";
  }
  EXPECT_THAT(content("a.txt", lines), HasSubstr("<line>\n<line>\n"));
  EXPECT_THAT(translator_.calls(), Each(SizeIs(::testing::Le(3U))));
  options_.max_lines = 19;
  service_.reset();
  expect_error(upload("a.txt", lines), 400, "20 lines to translate, of 19 at most");
}

TEST_F(FileTranslation, TheTimeLimitHolds) {
  options_.timeout = std::chrono::milliseconds(20);
  translator_.close();
  expect_error(upload("a.txt", "one"), 504, "time limit");
}

TEST(TimeLimit, GrowsWithTheText) {
  ServiceOptions options;
  options.timeout = std::chrono::seconds(30);
  EXPECT_EQ(time_limit(options, 0), options.timeout);
  EXPECT_EQ(time_limit(options, 10'000), options.timeout);
  EXPECT_EQ(time_limit(options, 25'000), std::chrono::seconds(75));
  EXPECT_EQ(time_limit(options, 1'000'000), 100 * options.timeout);
}

}  // namespace
}  // namespace translate::tools
