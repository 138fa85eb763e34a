#include "translate/serving/multipart_form.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "translate/serving/ascii_text.h"
#include "translate/serving/request_fields.h"

namespace translate {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

[[noreturn]] void throw_malformed(const std::string& reason) {
  throw RequestError(400, "the body is not multipart/form-data as its Content-Type says: " + reason);
}

/// Removes and returns the text up to `end`, which is removed as well; nothing if it does not occur.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const auto at = text.find(end);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

/// The end of a parameter's value: the next semicolon outside of quotation marks.
std::size_t end_of_value(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted) {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == ';' && !quoted) {
      return i;
    }
  }
  return text.size();
}

/// Without quotation marks. Browsers write '"' and line ends in names as %22, %0D and %0A, which stay as they are.
std::string unquoted(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
    return std::string(value);
  }
  std::string result;
  for (std::size_t i = 1; i + 1 < value.size(); ++i) {
    const bool escapes = value[i] == '\\' && i + 2 < value.size() && (value[i + 1] == '"' || value[i + 1] == '\\');
    result += value[escapes ? ++i : i];
  }
  return result;
}

/// The parameter of a header's value: "x" for `boundary` in "multipart/form-data; boundary=x".
std::optional<std::string> parameter(std::string_view value, std::string_view name) {
  auto end = end_of_value(value);
  while (end < value.size()) {
    value.remove_prefix(end + 1);
    end = end_of_value(value);
    const auto one = value.substr(0, end);
    const auto equals = one.find('=');
    if (equals != std::string_view::npos && ascii_lower(without_spaces(one.substr(0, equals))) == name) {
      return unquoted(without_spaces(one.substr(equals + 1)));
    }
  }
  return std::nullopt;
}

/// The name of the part that begins with these headers.
std::string part_name(std::string_view headers) {
  while (const auto line = take_until(headers, kLineEnd)) {
    const auto colon = line->find(':');
    if (colon != std::string_view::npos && ascii_lower(line->substr(0, colon)) == "content-disposition") {
      if (auto name = parameter(line->substr(colon + 1), "name")) {
        return *name;
      }
    }
  }
  throw_malformed("a part has no Content-Disposition with a name");
}

}  // namespace

FormFields multipart_fields(std::string_view content_type, std::string_view body) {
  constexpr std::size_t kLongestBoundary = 70;  // RFC 2046
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary) {
    throw_malformed("it names no boundary of 1 to 70 characters");
  }
  const auto dashes = "--" + *boundary;
  if (body.starts_with(dashes)) {
    body.remove_prefix(dashes.size());
  } else if (!take_until(body, std::string(kLineEnd) + dashes)) {
    throw_malformed("its boundary is not in the body");
  }
  FormFields fields;
  while (!body.starts_with("--")) {
    if (!take_until(body, kLineEnd)) {
      throw_malformed("its last boundary is missing");
    }
    // A part without headers begins with the empty line; the line end before that belongs to the boundary.
    const auto headers = body.starts_with(kLineEnd) ? std::nullopt : take_until(body, "\r\n\r\n");
    if (!headers) {
      throw_malformed("a part has no headers");
    }
    const auto value = take_until(body, std::string(kLineEnd) + dashes);
    if (!value) {
      throw_malformed("its last boundary is missing");
    }
    fields.emplace_back(part_name(std::string(*headers) + std::string(kLineEnd)), *value);
  }
  return fields;
}

}  // namespace translate
