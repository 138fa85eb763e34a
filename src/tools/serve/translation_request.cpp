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

[[noreturn]] void throw_wrong_type(std::string_view name, const char* expected, const Json& value) {
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

/// Returns a list of texts, or the lines of a text, as a form has them.
std::vector<std::string> read_list(const Json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null() || *field == "") {
    return {};
  }
  std::vector<std::string> list;
  if (field->is_string()) {
    std::istringstream lines(field->get<std::string>());
    for (std::string line; std::getline(lines, line);) {
      line.erase(line.ends_with('\r') ? line.size() - 1 : line.size());  // browsers send CRLF
      list.push_back(std::move(line));
    }
  } else if (field->is_array()) {
    for (const auto& one : *field) {
      if (!one.is_string()) {
        throw_wrong_type(fmt::format("each element of {}", name), "a text", one);
      }
      list.push_back(one.get<std::string>());
    }
  } else {
    throw_wrong_type(name, "a list of texts", *field);
  }
  return list;
}

/// Returns the terms of `keep`; null if there are none.
std::shared_ptr<const KeptTerms> read_kept_terms(const Json& object) {
  const auto terms = read_list(object, "keep");
  return terms.empty() ? nullptr : std::make_shared<const KeptTerms>(terms);
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

/// Reads what a text and a file have in common.
TranslationRequest read_wishes(const Json& object) {
  TranslationRequest result;
  result.source = required_text(object, "source");
  result.target = required_text(object, "target");
  result.keep = read_kept_terms(object);
  result.glossary = read_glossary_field(object);
  result.editable = read_flag(object, "editable") ? EditableRegions::kTranslated : EditableRegions::kStay;
  return result;
}

/// Returns the name of a file without folders, whatever the system that it comes from, and without what does not belong
/// into a name. Of a long one, the end stays.
std::string plain_file_name(std::string_view sent) {
  constexpr std::size_t kLongest = 200;                                     // bytes; file systems take 255
  sent.remove_prefix(std::min(sent.find_last_of("/\\") + 1, sent.size()));  // of npos: 0
  auto name = replace_invalid_utf8(std::string(sent));
  std::erase_if(name, [](unsigned char c) { return c < ' ' || c == 0x7F || c == '"'; });
  if (name.size() > kLongest) {
    name.erase(0, name.size() - kLongest);
    name.erase(0, static_cast<std::size_t>(std::ranges::find_if_not(name, is_continuation_byte) - name.begin()));
  }
  return name.find_first_not_of('.') == std::string::npos ? "file" : name;
}

}  // namespace

TranslationRequest read_translation_request(const HttpRequest& request) {
  const auto object = request_fields(request);
  const bool is_list = is_list_of_texts(object);
  auto texts = read_texts(object);  // the first field to be missed
  auto result = read_wishes(object);
  result.is_list = is_list;
  result.texts = std::move(texts);
  result.format = read_format(object);
  result.alternatives = read_alternatives(object);
  result.score = read_flag(object, "score");
  return result;
}

FileRequest read_file_request(const HttpRequest& request, std::size_t max_file) {
  if (media_type(request.content_type) != "multipart/form-data") {
    throw RequestError(415, "a file is sent as multipart/form-data, with the fields file, source and target");
  }
  FileRequest result;
  FormFields fields;
  bool has_file = false;
  for (auto& part : multipart_parts(request.content_type, request.body)) {
    if (part.name != "file") {
      fields.emplace_back(std::move(part.name), part.value);
      continue;
    }
    if (has_file || !part.file_name) {
      throw RequestError(400, has_file ? "the form has several fields called file; expected one"
                                       : "the field file has no file name, by which its format is known");
    }
    if (part.value.size() > max_file) {
      throw RequestError(413, fmt::format("the file has {} bytes, of {} at most", part.value.size(), max_file));
    }
    has_file = true;
    result.name = plain_file_name(*part.file_name);
    result.bytes = part.value;
  }
  if (!has_file) {
    throw RequestError(400, "the field file is missing");
  }
  const auto object = query_and_form(request, fields);
  result.wanted = read_wishes(object);
  result.columns = read_list(object, "column");
  return result;
}

std::vector<std::string> read_detection_request(const HttpRequest& request) {
  return read_texts(request_fields(request));
}

}  // namespace translate::tools
