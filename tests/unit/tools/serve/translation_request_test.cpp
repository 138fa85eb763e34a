#include "serve/translation_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "serve/http/http_bodies.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HttpRequest post(std::string body, std::string type = "application/json") {
  return {.method = "POST", .path = "/translate", .content_type = std::move(type), .body = std::move(body)};
}

constexpr auto kForm = "application/x-www-form-urlencoded";

void expect_error(const HttpRequest& request, int status, const std::string& words) {
  try {
    (void)read_translation_request(request);
    ADD_FAILURE() << request.body << " was taken";
  } catch (const RequestError& error) {
    EXPECT_EQ(error.status(), status) << request.body;
    EXPECT_THAT(error.what(), HasSubstr(words)) << request.body;
  }
}

TEST(TranslationRequest, JsonWithEverything) {
  const auto request = read_translation_request(
      post(R"({"q": "Hello\nworld", "source": "en", "target": "fr", "format": "html", "alternatives": 3,
               "api_key": "secret", "other": [1]})"));
  EXPECT_THAT(request.texts, ElementsAre("Hello\nworld"));
  EXPECT_FALSE(request.is_list);
  EXPECT_EQ(request.source, "en");
  EXPECT_EQ(request.target, "fr");
  EXPECT_EQ(request.format, TextFormat::kHtml);
  EXPECT_EQ(request.alternatives, 3);
}

TEST(TranslationRequest, TermsToKeep) {
  const auto of = [](const std::string& keep) {
    return read_translation_request(post(R"({"q": "a", "source": "en", "target": "fr", "keep": )" + keep + "}")).keep;
  };
  EXPECT_EQ(of("null"), nullptr);
  EXPECT_EQ(of(R"(["Writer", "red apples"])")->match("red apples", 0), 10U);
  EXPECT_EQ(of(R"("Writer\nred apples")")->match("red apples", 0), 10U);
  const auto form = read_translation_request(post("q=a&source=en&target=fr&keep=Writer%0Ared+apples", kForm));
  EXPECT_EQ(form.keep->match("Writer", 0), 6U);
  expect_error(post(R"({"q": "a", "source": "en", "target": "fr", "keep": [1]})"), 400, "each element of keep");
  expect_error(post(R"({"q": "a", "source": "en", "target": "fr", "keep": 1})"), 400, "keep should be a list of texts");
}

TEST(TranslationRequest, TermsOfAGlossary) {
  const auto fields = std::string(R"({"q": "a", "source": "en", "target": "fr", "glossary": )");
  const auto of = [&](const std::string& glossary) {
    return read_translation_request(post(fields + glossary + "}")).glossary;
  };
  const std::vector<GlossaryTerm> terms = {{.source = "dog", .target = "chien"}};
  EXPECT_EQ(of("null"), nullptr);
  EXPECT_EQ(of(R"("")"), nullptr);
  EXPECT_EQ(of(R"({"dog": "chien"})")->terms(), terms);
  EXPECT_EQ(of(R"([["dog", "chien"]])")->terms(), terms);
  EXPECT_EQ(of(R"("{\"dog\": \"chien\"}")")->terms(), terms);
  const auto form =
      read_translation_request(post("q=a&source=en&target=fr&glossary=%7B%22dog%22:%22chien%22%7D", kForm));
  EXPECT_EQ(form.glossary->terms(), terms);
  expect_error(post(fields + R"({"dog": ""}})"), 400, "glossary: term 1: the target term is empty");
  expect_error(post(fields + R"("dog"})"), 400, "glossary is not JSON");
  expect_error(post(fields + "1}"), 400, "glossary: expected an object");
}

TEST(TranslationRequest, WhatMayBeLeftOut) {
  for (const auto* rest : {"", R"(, "format": null, "alternatives": null)", R"(, "format": "", "alternatives": 0)"}) {
    const auto request =
        read_translation_request(post(std::string(R"({"q": "", "source": "en", "target": "fr")") + rest + "}"));
    EXPECT_THAT(request.texts, ElementsAre(""));
    EXPECT_EQ(request.format, TextFormat::kText);
    EXPECT_EQ(request.alternatives, 0);
  }
}

TEST(TranslationRequest, AListOfTexts) {
  const auto request = read_translation_request(post(R"({"q": ["a", "b"], "source": "en", "target": "fr"})"));
  EXPECT_TRUE(request.is_list);
  EXPECT_THAT(request.texts, ElementsAre("a", "b"));
  const auto none = read_translation_request(post(R"({"q": [], "source": "en", "target": "fr"})"));
  EXPECT_TRUE(none.is_list);
  EXPECT_TRUE(none.texts.empty());
}

TEST(TranslationRequest, JsonUnderAnyNameOrNone) {
  const std::string body = R"({"q": "x", "source": "en", "target": "fr"})";
  for (const auto* type : {"application/json", "Application/JSON; charset=utf-8", "application/ld+json", ""}) {
    EXPECT_THAT(read_translation_request(post(body, type)).texts, ElementsAre("x")) << type;
  }
}

TEST(TranslationRequest, AForm) {
  const auto request = read_translation_request(
      post("q=caf%C3%A9+%26%0D%0Ath%c3%a9&source=en&target=fr&alternatives=2&format=text", kForm));
  EXPECT_THAT(request.texts, ElementsAre("café &\r\nthé"));
  EXPECT_FALSE(request.is_list);
  EXPECT_EQ(request.alternatives, 2);
}

TEST(TranslationRequest, AFormWithSeveralTexts) {
  const auto request = read_translation_request(post("q=a&source=en&q=b&target=fr&q=c", kForm));
  EXPECT_TRUE(request.is_list);
  EXPECT_THAT(request.texts, ElementsAre("a", "b", "c"));
}

TEST(TranslationRequest, OddFormsAreReadAsTheyStand) {
  const auto request = read_translation_request(post("&&q=100%&x&=y&source=en=us&target=%4&", kForm));
  EXPECT_THAT(request.texts, ElementsAre("100%"));
  EXPECT_EQ(request.source, "en=us");
  EXPECT_EQ(request.target, "%4");
}

TEST(TranslationRequest, TheQueryAloneOrBeforeAForm) {
  HttpRequest request = {.method = "POST", .path = "/translate", .content_type = "", .body = ""};
  request.query = {{"q", "a"}, {"source", "en"}, {"target", "fr"}, {"alternatives", "2"}, {"score", "true"}};
  for (const auto* type : {"", kForm, "multipart/form-data", "text/plain"}) {
    request.content_type = type;
    const auto read = read_translation_request(request);
    EXPECT_THAT(read.texts, ElementsAre("a")) << type;
    EXPECT_EQ(read.alternatives, 2);
    EXPECT_TRUE(read.score);
  }
  request = post("q=c&q=d&source=de&target=fr", kForm);
  request.query = {{"source", "en"}};
  EXPECT_EQ(read_translation_request(request).source, "en");
  EXPECT_THAT(read_translation_request(request).texts, ElementsAre("c", "d"));
  request.query = {{"q", "a"}, {"q", "b"}};
  EXPECT_THAT(read_translation_request(request).texts, ElementsAre("a", "b"));
}

TEST(TranslationRequest, ABodyOfJsonIsAllThereIs) {
  auto request = post(R"({"q": "a", "source": "en"})");
  request.query = {{"target", "fr"}};
  expect_error(request, 400, "field target is missing");
}

TEST(TranslationRequest, TextsToDetect) {
  EXPECT_THAT(read_detection_request(post(R"({"q": "a"})")), ElementsAre("a"));
  EXPECT_THAT(read_detection_request(post("q=a&q=b&api_key=x", kForm)), ElementsAre("a", "b"));
}

TEST(TranslationRequest, AMultipartForm) {
  std::string body;
  for (const auto* field : {"q\"\r\n\r\na", "source\"\r\n\r\nen", "target\"\r\n\r\nfr"}) {
    body += "--x\r\nContent-Disposition: form-data; name=\"" + std::string(field) + "\r\n";
  }
  const std::string type = "multipart/form-data; boundary=x";
  EXPECT_THAT(read_translation_request(post(body + "--x--", type)).texts, ElementsAre("a"));
  expect_error(post(body, type), 400, "last boundary is missing");
}

TEST(TranslationRequest, FormsAndQueriesHaveToBeUtf8) {
  for (const auto* form :
       {"q=%FF&source=en&target=fr", "q=a&source=en&target=fr&x=\xc3", "q=a&source=en&target=fr&%80=1"}) {
    expect_error(post(form, kForm), 400, "is not valid UTF-8");
    HttpRequest request = {.method = "POST", .path = "/translate", .content_type = "", .body = ""};
    request.query = form_fields(form);
    expect_error(request, 400, "is not valid UTF-8");
  }
  const std::string part = "--x\r\nContent-Disposition: form-data; name=q\r\n\r\n\xff\r\n--x--";
  expect_error(post(part, "multipart/form-data; boundary=x"), 400, "the field q is not valid UTF-8");
}

TEST(TranslationRequest, NumbersThatOverflowAreNotJson) {
  for (const auto* number : {"1e999", "-1e999", "[1e999]"}) {
    expect_error(post(std::string(R"({"q": "a", "source": "en", "target": "fr", "x": )") + number + "}"), 400, "1e999");
  }
  const auto digits = "{\"q\": 1" + std::string(5000, '0') + "}";
  try {
    (void)read_translation_request(post(digits));
    ADD_FAILURE() << "it is a number";
  } catch (const RequestError& error) {
    EXPECT_LT(std::string(error.what()).size(), 300U);
  }
}

TEST(TranslationRequest, WrongJson) {
  for (const auto* body : {"", "{", "nonsense", R"({"q": "a",})", R"({"q": "a"} x)", "\xff", R"({"q": "\ud800"})",
                           "{\"q\": \"\xc3\x28\"}", "{'q': 'a'}"}) {
    expect_error(post(body), 400, "not JSON");
  }
  expect_error(post(std::string(100000, '[')), 400, "not JSON");
  expect_error(post(std::string(100000, '[') + std::string(100000, ']')), 400, "nested more than 100 deep");
  for (const auto* body : {"[]", "null", "3", R"("q")", "true"}) {
    expect_error(post(body), 400, "should be a JSON object");
  }
}

TEST(TranslationRequest, FieldsThatAreMissing) {
  expect_error(post("{}"), 400, "field q is missing");
  expect_error(post(R"({"q": null, "source": "en", "target": "fr"})"), 400, "field q is missing");
  expect_error(post(R"({"q": "a", "target": "fr"})"), 400, "field source is missing");
  expect_error(post(R"({"q": "a", "source": "en"})"), 400, "field target is missing");
  expect_error(post("", kForm), 400, "field q is missing");
  expect_error(post("q=a&source=en", kForm), 400, "field target is missing");
}

TEST(TranslationRequest, FieldsOfAWrongType) {
  expect_error(post(R"({"q": 3, "source": "en", "target": "fr"})"), 400, "q should be a text, and is of type number");
  expect_error(post(R"({"q": {"a": 1}, "source": "en", "target": "fr"})"), 400, "q should be a text");
  expect_error(post(R"({"q": ["a", 1], "source": "en", "target": "fr"})"), 400, "each element of q should be a text");
  expect_error(post(R"({"q": ["a", ["b"]], "source": "en", "target": "fr"})"), 400, "each element of q");
  expect_error(post(R"({"q": "a", "source": ["en"], "target": "fr"})"), 400, "source should be a text");
  expect_error(post(R"({"q": "a", "source": "en", "target": false})"), 400, "target should be a text");
}

TEST(TranslationRequest, FormatsAndAlternativesThatAreNone) {
  const std::string start = R"({"q": "a", "source": "en", "target": "fr", )";
  for (const auto* format : {R"("xml")", "1", "[]", R"("TEXT")"}) {
    expect_error(post(start + R"("format": )" + format + "}"), 400, "format should be");
  }
  for (const auto* count : {"-1", "1.5", R"("two")", R"("")", R"("3x")", "[]", "true", "-99999999999999999999"}) {
    expect_error(post(start + R"("alternatives": )" + count + "}"), 400, "alternatives should be a whole number");
  }
  EXPECT_EQ(read_translation_request(post(start + R"("alternatives": 18446744073709551615})")).alternatives, 1000);
}

TEST(TranslationRequest, OtherTypesOfBodies) {
  expect_error(post("q=a", "text/plain"), 415, "text/plain");
  expect_error(post("<q/>", "application/xml"), 415, "application/xml");
}

}  // namespace
}  // namespace translate::tools
