// The OpenAPI description at /spec says what the service does: every path, method, parameter, status and answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "serve/translation_service.h"
#include "unit/tools/serve/gated_translator.h"
#include "unit/tools/serve/models/stand_in_models.h"

namespace translate::tools {
namespace {

using Json = nlohmann::json;

/// Checks values by the part of JSON Schema that the description uses.
class Schemas {
 public:
  explicit Schemas(Json description) : description_(std::move(description)) {}

  /// What is wrong with the value; empty where nothing is.
  std::string check(const Json& schema, const Json& value) const {
    if (schema.contains("$ref")) {
      const auto path = schema["$ref"].get<std::string>();
      return check(description_.at(Json::json_pointer(path.substr(1))), value);
    }
    if (schema.contains("oneOf")) {
      const auto fits = [&](const Json& one) { return check(one, value).empty(); };
      return std::ranges::count_if(schema["oneOf"], fits) == 1 ? "" : "not one of the choices: " + value.dump();
    }
    if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
      return "not of the list: " + value.dump();
    }
    if (value.is_null() && schema.value("nullable", false)) {
      return "";
    }
    const auto type = schema.at("type").get<std::string>();
    if (type == "object") {
      return check_object(schema, value);
    }
    if (type == "array") {
      return check_array(schema, value);
    }
    const bool fits = type == "string"    ? value.is_string()
                      : type == "integer" ? value.is_number_integer()
                      : type == "number"  ? value.is_number()
                      : type == "boolean" ? value.is_boolean()
                                          : false;
    const bool in_range = !fits || !value.is_number() ||
                          (value >= schema.value("minimum", -1e300) && value <= schema.value("maximum", 1e300));
    return fits && in_range ? "" : "not a " + type + " as described: " + value.dump();
  }

 private:
  std::string check_object(const Json& schema, const Json& value) const {
    if (!value.is_object()) {
      return "not an object: " + value.dump();
    }
    for (const auto& name : schema.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) {
        return "without " + name.dump() + ": " + value.dump();
      }
    }
    const auto properties = schema.value("properties", Json::object());
    for (const auto& [name, field] : value.items()) {
      if (properties.contains(name)) {
        if (const auto wrong = check(properties[name], field); !wrong.empty()) {
          return name + ": " + wrong;
        }
      } else if (const auto others = schema.value("additionalProperties", Json(true)); others.is_object()) {
        if (const auto wrong = check(others, field); !wrong.empty()) {
          return name + ": " + wrong;
        }
      } else if (others == false) {
        return "not described: " + name;
      }
    }
    return "";
  }

  std::string check_array(const Json& schema, const Json& value) const {
    if (!value.is_array() || value.size() < schema.value("minItems", 0U)) {
      return "not such a list: " + value.dump();
    }
    for (const auto& item : value) {
      if (const auto wrong = check(schema["items"], item); !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

  Json description_;
};

std::string form(const Json& fields) {
  std::string body;
  for (const auto& [name, value] : fields.items()) {
    for (const auto& one : value.is_array() ? value : Json::array({value})) {
      body += (body.empty() ? "" : "&") + name + "=";
      for (const char c : one.is_string() ? one.get<std::string>() : one.dump()) {
        body += c == ' ' ? '+' : c;
      }
    }
  }
  return body;
}

/// A request with the fields in a body of that type, or in the query where there is no type.
HttpRequest request_for(const std::string& path, const std::string& type, const Json& fields) {
  HttpRequest request = {.method = "POST", .path = path, .content_type = type, .body = ""};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : fields.items()) {
    pairs.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (type == "application/json") {
    request.body = fields.dump();
  }
  if (type == "application/x-www-form-urlencoded") {
    request.body = form(fields);
  }
  if (type == "multipart/form-data") {
    request.content_type += "; boundary=xyz";
    for (const auto& [name, value] : pairs) {
      const std::string file_name = name == "file" ? "; filename=\"a.txt\"" : "";
      request.body +=
          "--xyz\r\nContent-Disposition: form-data; name=\"" + name + "\"" + file_name + "\r\n\r\n" + value + "\r\n";
    }
    request.body += "--xyz--\r\n";
  }
  if (type.empty()) {
    request.query = pairs;
  }
  return request;
}

class ApiDescription : public ::testing::Test {
 protected:
  ApiDescription() {
    options_.page = "<!DOCTYPE html>";
    options_.docs_page = "<!DOCTYPE html><title>docs</title>";
    options_.timeout = std::chrono::milliseconds(300);
    make();
    description_ =
        Json::parse(service_->answer({.method = "GET", .path = "/spec", .content_type = "", .body = ""}).body);
  }
  ~ApiDescription() override { translator_.open(); }

  void make() {
    service_.reset();
    models_ = only_model(stand_in("m", {{source_, "fr", ""}}, translator_, /*max_alternatives=*/2));
    service_.emplace(options_, *models_);
  }

  /// Fails the test where the answer is not one that the description has for that path and method.
  void expect_described(const HttpRequest& request, const HttpAnswer& answer) const {
    auto method = request.method;
    std::ranges::transform(method, method.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    const bool is_file = request.path.starts_with(TranslationWork::kDownloads);
    const auto& responses = description_["paths"][is_file ? kFilePath : request.path][method]["responses"];
    const auto status = std::to_string(answer.status);
    ASSERT_TRUE(responses.contains(status)) << request.method << request.path << " " << status << answer.body;
    const auto& content = responses[status]["content"];
    const auto type = answer.content_type.substr(0, answer.content_type.find(';'));
    ASSERT_TRUE(content.contains(type)) << request.path << " " << answer.content_type;
    const auto value = type == "application/json" ? Json::parse(answer.body) : Json(body_of(answer));
    EXPECT_EQ(Schemas(description_).check(content[type]["schema"], value), "") << request.path << " " << answer.body;
  }

  HttpAnswer ask(const HttpRequest& request, int status) {
    const auto answer = service_->answer(request);
    EXPECT_EQ(answer.status, status) << request.path << ": " << answer.body;
    expect_described(request, answer);
    return answer;
  }

  /// The path of a file that the service has translated.
  std::string translated_file() {
    const auto answer = service_->answer(
        request_for("/translate_file", "multipart/form-data", {{"file", "a"}, {"source", source_}, {"target", "fr"}}));
    return Json::parse(answer.body)["translatedFileUrl"];
  }

  static constexpr auto kFilePath = "/download_file/{key}";

  ServiceOptions options_;
  GatedTranslator translator_;
  std::string source_ = "en";
  std::unique_ptr<ModelRegistry> models_;
  std::optional<TranslationService> service_;
  Json description_;
};

TEST_F(ApiDescription, HasThePathsAndMethodsOfTheServiceAndNoOthers) {
  std::set<std::pair<std::string, std::string>> known;
  std::set<std::pair<std::string, std::string>> described;
  for (const auto& endpoint : TranslationService::endpoints()) {
    auto method = std::string(endpoint.method);
    std::ranges::transform(method, method.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    known.emplace(endpoint.path, method);
  }
  for (const auto& [path, methods] : description_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      described.emplace(path, method);
    }
  }
  EXPECT_EQ(described, known);
  for (const auto& [path, method] : known) {
    for (const std::string other : {"GET", "POST", "PUT", "DELETE", "PATCH"}) {
      const auto status = service_->answer({.method = other, .path = path, .content_type = "", .body = ""}).status;
      EXPECT_EQ(status == 405, !std::ranges::equal(other, method, {}, [](char c) { return std::tolower(c); })) << path;
    }
  }
}

TEST_F(ApiDescription, EveryGetAnswersAsItSays) {
  for (const auto& [path, methods] : description_["paths"].items()) {
    if (methods.contains("get")) {
      ask({.method = "GET", .path = path == kFilePath ? translated_file() : path, .content_type = "", .body = ""}, 200);
    }
  }
}

TEST_F(ApiDescription, EveryExampleIsAnsweredInEveryTypeOfBodyAndFromTheQuery) {
  for (const auto& [path, methods] : description_["paths"].items()) {
    if (!methods.contains("post")) {
      continue;
    }
    const auto& operation = methods["post"];
    for (const auto& [type, content] : operation["requestBody"]["content"].items()) {
      EXPECT_EQ(Schemas(description_).check(content["schema"], content["example"]), "");
      const auto answer = ask(request_for(path, type, content["example"]), 200);
      if (path != "/translate_file") {  // its answers differ, and it reads no query alone
        EXPECT_EQ(ask(request_for(path, "", content["example"]), 200).body, answer.body);
      }
    }
  }
}

TEST_F(ApiDescription, EveryParameterDoesWhatItSays) {
  const auto& schema = description_["components"]["schemas"]["TranslationRequest"];
  const Json all = {{"q", "The next train leaves in the morning."},
                    {"source", "auto"},
                    {"target", "fr"},
                    {"format", "html"},
                    {"alternatives", 2},
                    {"keep", "train\nmorning"},
                    {"glossary", R"({"leaves": "part"})"},
                    {"score", true},
                    {"editable", true},
                    {"api_key", "x"}};
  EXPECT_EQ(all.size(), schema["properties"].size());
  EXPECT_EQ(Schemas(description_).check(schema, all), "");
  for (const std::string type : {"application/json", "application/x-www-form-urlencoded", "multipart/form-data", ""}) {
    const auto answer = Json::parse(ask(request_for("/translate", type, all), 200).body);
    const auto& properties = description_["components"]["schemas"]["Translation"]["properties"];
    for (const auto& [name, property] : properties.items()) {
      EXPECT_TRUE(answer.contains(name)) << type << name;
    }
  }
  auto list = all;
  list["q"] = {"One.", "Two."};
  list["keep"] = {"train", "morning"};
  list["glossary"] = {{"leaves", "part"}};
  EXPECT_EQ(Schemas(description_).check(schema, list), "");
  ask(request_for("/translate", "application/json", list), 200);
  std::set<std::string> of_query;
  for (const auto& parameter : description_["paths"]["/translate"]["post"]["parameters"]) {
    EXPECT_TRUE(schema["properties"].contains(parameter["name"].get<std::string>()));
    of_query.insert(parameter["name"]);
  }
  EXPECT_EQ(of_query.size(), schema["properties"].size() - 1);  // all but the key
}

TEST_F(ApiDescription, WhatIsRequiredCannotBeLeftOut) {
  for (const auto& [path, methods] : description_["paths"].items()) {
    if (!methods.contains("post")) {
      continue;
    }
    const auto& contents = methods["post"]["requestBody"]["content"];
    const std::string type = contents.contains("application/json") ? "application/json" : "multipart/form-data";
    const auto& content = contents[type];
    const auto reference = content["schema"]["$ref"].get<std::string>();
    for (const auto& name : description_.at(Json::json_pointer(reference.substr(1)))["required"]) {
      auto fields = content["example"];
      fields.erase(name.get<std::string>());
      ask(request_for(path, type, fields), 400);
    }
  }
}

TEST_F(ApiDescription, ErrorsAreThoseThatItHas) {
  const Json fields = {{"q", "a"}, {"source", "en"}, {"target", "fr"}};
  auto other_type = request_for("/translate", "text/csv", fields);
  other_type.body = "a";
  ask(other_type, 415);
  other_type.path = "/detect";
  ask(other_type, 415);
  auto boom = fields;
  boom["q"] = "boom";
  ask(request_for("/translate", "application/json", boom), 500);
  auto overloaded = request_for("/translate", "application/json", fields);
  overloaded.overload = true;
  ask(overloaded, 503);
  const Json file = {{"file", "a"}, {"source", "en"}, {"target", "fr"}};
  auto boom_file = file;
  boom_file["file"] = "boom";
  ask(request_for("/translate_file", "multipart/form-data", boom_file), 500);
  ask(request_for("/translate_file", "application/json", file), 415);
  auto large = file;
  large["file"] = std::string(options_.max_file + 1, 'x');
  ask(request_for("/translate_file", "multipart/form-data", large), 413);
  overloaded = request_for("/translate_file", "multipart/form-data", file);
  overloaded.overload = true;
  ask(overloaded, 503);
  ask({.method = "GET", .path = "/download_file/none", .content_type = "", .body = ""}, 404);
  for (const auto* path : {"/translate", "/translate_file", "/detect"}) {
    auto foreign = request_for(path, "application/json", fields);
    foreign.origin = "https://example.org";
    ask(foreign, 403);
  }
  translator_.close();
  ask(request_for("/translate", "application/json", fields), 504);
  ask(request_for("/translate_file", "multipart/form-data", file), 504);
  translator_.open();
}

TEST_F(ApiDescription, NamesTheServersOwnLanguages) {
  source_ = "de\"";
  make();
  const auto body = service_->answer({.method = "GET", .path = "/spec", .content_type = "", .body = ""}).body;
  const auto other = Json::parse(body);
  EXPECT_EQ(other["paths"]["/translate"]["post"]["requestBody"]["content"]["application/json"]["example"]["source"],
            "de\"");
  EXPECT_EQ(body.find("{{"), std::string::npos);
}

}  // namespace
}  // namespace translate::tools
