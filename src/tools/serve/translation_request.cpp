#include "serve/translation_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "segments/json_glossary.h"
#include "serve/http/http_bodies.h"

namespace translate::tools {

namespace {

/// Returns the media type: "application/json" for "Application/JSON; charset=utf-8".
std::string media_type(std::string_view content_type) {
  std::string type = ascii_lower(content_type.substr(0, content_type.find(';')));
  std::erase_if(type, [](unsigned char c) { return std::isspace(c) != 0; });
  return type;
}

/// Returns the form as a JSON object. Like JSON, it must be UTF-8.
Json form_object(const FormFields& fields) {
  auto object = Json::object();
  for (const auto& [name, value] : fields) {
    if (first_invalid_utf8(name) || first_invalid_utf8(value)) {
      throw RequestError(400, fmt::format("the field {} is not valid UTF-8", replace_invalid_utf8(name)));
    }
    if (name != "q" || !object.contains(name)) {
      object[name] = value;
    } else if (object[name].is_array()) {
      object[name].push_back(value);
    } else {
      object[name] = {object[name], value};
    }
  }
  return object;
}

Json json_object(const std::string& body) {
  Json object;
  try {
    object = parse_json(body);
  } catch (const JsonError& error) {
    throw RequestError(400, fmt::format("the body is not JSON: {}", error.what()));
  }
  if (!object.is_object()) {
    throw RequestError(400, fmt::format("the body should be a JSON object, and is {} {}",
                                        object.is_array() || object.is_object() ? "an" : "a", object.type_name()));
  }
  return object;
}

/// Returns the parameters of the query, then those that only the form has.
Json query_and_form(const HttpRequest& request, const FormFields& form) {
  auto object = form_object(form);
  object.update(form_object(request.query));
  return object;
}

}  // namespace

Json request_fields(const HttpRequest& request) {
  const auto type = media_type(request.content_type);
  if (type == "application/json" || type.ends_with("+json") || (type.empty() && !request.body.empty())) {
    return json_object(request.body);
  }
  if (type == "application/x-www-form-urlencoded") {
    return query_and_form(request, form_fields(request.body));
  }
  if (type == "multipart/form-data" && !request.body.empty()) {
    return query_and_form(request, multipart_fields(request.content_type, request.body));
  }
  if (request.body.empty()) {
    return query_and_form(request, {});
  }
  throw RequestError(415, fmt::format("a body of type {} is not understood: send application/json, "
                                      "application/x-www-form-urlencoded or multipart/form-data",
                                      type));
}

namespace {

[[noreturn]] void throw_wrong_type(const char* name, const char* expected, const Json& value) {
  throw RequestError(400, fmt::format("{} should be {}, and is of type {}", name, expected, value.type_name()));
}

std::string required_text(const Json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null()) {
    throw RequestError(400, fmt::format("the field {} is missing", name));
  }
  if (!field->is_string()) {
    throw_wrong_type(name, "a text", *field);
  }
  return field->get<std::string>();
}

bool is_list_of_texts(const Json& object) { return object.contains("q") && object["q"].is_array(); }

std::vector<std::string> read_texts(const Json& object) {
  if (!is_list_of_texts(object)) {
    return {required_text(object, "q")};
  }
  std::vector<std::string> texts;
  for (const auto& text : object["q"]) {
    if (!text.is_string()) {
      throw_wrong_type("each element of q", "a text", text);
    }
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

TextFormat read_format(const Json& object) {
  const auto field = object.find("format");
  if (field == object.end() || field->is_null() || *field == "text" || *field == "") {
    return TextFormat::kText;
  }
  if (*field == "html") {
    return TextFormat::kHtml;
  }
  throw RequestError(400, "format should be \"text\" or \"html\"");
}

int read_alternatives(const Json& object) {
  const auto field = object.find("alternatives");
  if (field == object.end() || field->is_null()) {
    return 0;
  }
  constexpr int kMost = 1000;  // more than any model allows; the service has its own limit
  int count = -1;
  if (field->is_number_unsigned()) {
    count = static_cast<int>(std::min<std::uint64_t>(field->get<std::uint64_t>(), kMost));
  } else if (field->is_string()) {  // of a form
    const auto& digits = field->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    count = error == std::errc() && end == digits.data() + digits.size() ? std::min(count, kMost) : -1;
  }
  if (count < 0) {
    throw RequestError(400, "alternatives should be a whole number, 0 or more");
  }
  return count;
}

/// Returns the terms of `keep`: a list of texts, or a text with a term a line, as a form has it.
std::shared_ptr<const KeptTerms> read_kept_terms(const Json& object) {
  const auto field = object.find("keep");
  if (field == object.end() || field->is_null() || *field == "") {
    return nullptr;
  }
  std::vector<std::string> terms;
  if (field->is_string()) {
    std::istringstream lines(field->get<std::string>());
    for (std::string line; std::getline(lines, line);) {
      terms.push_back(line);
    }
  } else if (field->is_array()) {
    for (const auto& term : *field) {
      if (!term.is_string()) {
        throw_wrong_type("each element of keep", "a text", term);
      }
      terms.push_back(term.get<std::string>());
    }
  } else {
    throw_wrong_type("keep", "a list of texts", *field);
  }
  return std::make_shared<const KeptTerms>(terms);
}

/// Returns the terms of `glossary`: an object or a list of pairs, or in a form the text of that JSON.
std::shared_ptr<const Glossary> read_glossary_field(const Json& object) {
  const auto field = object.find("glossary");
  if (field == object.end() || *field == "") {
    return nullptr;
  }
  try {
    return read_json_glossary(field->is_string() ? parse_json(field->get<std::string>()) : *field);
  } catch (const JsonError& error) {
    throw RequestError(400, fmt::format("glossary is not JSON: {}", error.what()));
  } catch (const DataError& error) {
    throw RequestError(400, error.what());
  }
}

bool read_flag(const Json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null() || *field == false || *field == "false" || *field == "" ||
      *field == "0" || *field == 0) {
    return false;
  }
  if (*field == true || *field == "true" || *field == "1" || *field == 1) {
    return true;
  }
  throw RequestError(400, fmt::format("{} should be true or false", name));
}

}  // namespace

TranslationRequest read_translation_request(const HttpRequest& request) {
  const auto object = request_fields(request);
  TranslationRequest result;
  result.is_list = is_list_of_texts(object);
  result.texts = read_texts(object);
  result.source = required_text(object, "source");
  result.target = required_text(object, "target");
  result.format = read_format(object);
  result.alternatives = read_alternatives(object);
  result.keep = read_kept_terms(object);
  result.glossary = read_glossary_field(object);
  result.score = read_flag(object, "score");
  return result;
}

std::vector<std::string> read_detection_request(const HttpRequest& request) {
  return read_texts(request_fields(request));
}

}  // namespace translate::tools
