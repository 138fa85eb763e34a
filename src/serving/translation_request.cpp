#include "translate/serving/translation_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace translate {
namespace {

using Json = nlohmann::json;
using Fields = std::vector<std::pair<std::string, std::string>>;

/// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  std::erase_if(type, [](unsigned char c) { return std::isspace(c) != 0; });
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type;
}

/// Text of a form: '+' is a space, %XX a byte. What is no such pair of digits stays.
std::string decode_form(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned int byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ptr == &text[i + 1] + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

Fields form_fields(std::string_view body) {
  Fields fields;
  while (!body.empty()) {
    const auto pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    fields.emplace_back(decode_form(pair.substr(0, equals)),
                        decode_form(pair.substr(std::min(equals + 1, pair.size()))));
  }
  return fields;
}

/// The form as the JSON object that it stands for.
Json form_object(const Fields& fields) {
  auto object = Json::object();
  for (const auto& [name, value] : fields) {
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
    object = Json::parse(body);
  } catch (const Json::parse_error& error) {
    // The library's own words for where, without the name of its exception: "[json.exception.parse_error.101] ...".
    const std::string_view what = error.what();
    const auto words = what.find("] ");
    throw RequestError(
        400, fmt::format("the body is not JSON: {}", what.substr(words == std::string_view::npos ? 0 : words + 2)));
  }
  if (!object.is_object()) {
    throw RequestError(400, fmt::format("the body should be a JSON object, and is {} {}",
                                        object.is_array() || object.is_object() ? "an" : "a", object.type_name()));
  }
  return object;
}

Json body_object(const HttpRequest& request) {
  const auto type = media_type(request.content_type);
  if (type == "application/x-www-form-urlencoded") {
    return form_object(form_fields(request.body));
  }
  if (type == "multipart/form-data") {
    return form_object(request.fields);
  }
  if (type.empty() || type == "application/json" || type.ends_with("+json")) {
    return json_object(request.body);
  }
  throw RequestError(415, fmt::format("a body of type {} is not understood: send application/json, "
                                      "application/x-www-form-urlencoded or multipart/form-data",
                                      type));
}

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

void read_texts(const Json& object, TranslationRequest& request) {
  const auto field = object.find("q");
  request.is_list = field != object.end() && field->is_array();
  if (!request.is_list) {
    request.texts = {required_text(object, "q")};
    return;
  }
  for (const auto& text : *field) {
    if (!text.is_string()) {
      throw_wrong_type("each element of q", "a text", text);
    }
    request.texts.push_back(text.get<std::string>());
  }
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
  constexpr int kMost = 1000;  // beyond any model's; the service has a limit of its own
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

}  // namespace

TranslationRequest read_translation_request(const HttpRequest& request) {
  const auto object = body_object(request);
  TranslationRequest result;
  read_texts(object, result);
  result.source = required_text(object, "source");
  result.target = required_text(object, "target");
  result.format = read_format(object);
  result.alternatives = read_alternatives(object);
  return result;
}

}  // namespace translate
