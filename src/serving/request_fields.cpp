#include "translate/serving/request_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "translate/core/utf8.h"
#include "translate/serving/ascii_text.h"
#include "translate/serving/form_text.h"
#include "translate/serving/multipart_form.h"

namespace translate {
namespace {

/// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string_view content_type) {
  std::string type = ascii_lower(content_type.substr(0, content_type.find(';')));
  std::erase_if(type, [](unsigned char c) { return std::isspace(c) != 0; });
  return type;
}

/// The form as the JSON object that it stands for. Like JSON, it has to be UTF-8.
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

/// The parameters of the query, then those of the form that it does not have.
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

}  // namespace translate
