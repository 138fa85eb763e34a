#include "translate/serving/request_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The parameters of the query, then those of the form that it does not have.
Json query_and_form(const HttpRequest& request, const Fields& form) {
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
  if (type == "multipart/form-data") {
    return query_and_form(request, request.fields);
  }
  if (request.body.empty()) {
    return query_and_form(request, {});
  }
  throw RequestError(415, fmt::format("a body of type {} is not understood: send application/json, "
                                      "application/x-www-form-urlencoded or multipart/form-data",
                                      type));
}

}  // namespace translate
