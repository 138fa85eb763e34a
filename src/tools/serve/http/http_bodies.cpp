#include "serve/http/http_bodies.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "serve/translation_request.h"

namespace translate {

namespace {

std::string decode_form(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return decode_percent(spaced);
}

}  // namespace

std::string decode_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned int byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ptr == &text[i + 1] + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

FormFields form_fields(std::string_view text) {
  FormFields fields;
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (!pair.empty()) {
      fields.emplace_back(decode_form(pair.substr(0, equals)),
                          decode_form(pair.substr(std::min(equals + 1, pair.size()))));
    }
  }
  return fields;
}

namespace {

constexpr std::string_view kLineEnd = "\r\n";

[[noreturn]] void throw_malformed(const std::string& reason) {
  throw RequestError(400, "the body is not multipart/form-data as its Content-Type says: " + reason);
}

/// Removes and returns the text up to `end`, which is removed as well; returns nothing if it does not occur.
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

/// Returns the end of a parameter's value: the next semicolon outside quotation marks.
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

/// Returns the value without quotation marks. Browsers write '"' and line ends in names as %22, %0D and %0A, which stay
/// as they are.
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

/// Returns the parameter of a header's value: "x" for `boundary` in "multipart/form-data; boundary=x".
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

/// Returns the name of the part that begins with these headers.
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

namespace {

constexpr int kGzip = 16 + MAX_WBITS;        // windowBits of zlib: a gzip stream
constexpr int kGzipOrZlib = 32 + MAX_WBITS;  // either; "deflate" is a zlib stream
constexpr std::size_t kChunk = 16UL * 1024;

/// Returns the text in lower case and without white space.
std::string compact(std::string_view text) {
  std::string result = ascii_lower(text);
  std::erase_if(result, [](unsigned char c) { return std::isspace(c) != 0; });
  return result;
}

Bytef* bytes(const char* text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));
}  // zlib takes pointers to non-const input

/// Appends the output of a zlib stream, chunk by chunk, until the stream ends; `run` is inflate or deflate. Returns
/// zlib's last status.
template <typename Run>
int run_stream(z_stream& stream, std::string_view input, std::string& output, std::size_t limit, Run run) {
  stream.next_in = bytes(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  int status = Z_OK;
  char chunk[kChunk];
  while (status == Z_OK && output.size() <= limit) {
    stream.next_out = bytes(chunk);
    stream.avail_out = kChunk;
    status = run(stream);
    output.append(chunk, kChunk - stream.avail_out);
  }
  return status;
}

std::string inflated(std::string_view body, std::size_t limit) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipOrZlib) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string content;
  const int status = run_stream(stream, body, content, limit, [](z_stream& s) { return inflate(&s, Z_NO_FLUSH); });
  const bool is_whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (content.size() > limit) {
    throw RequestError(413, fmt::format("the unpacked body is longer than {} bytes", limit));
  }
  if (!is_whole) {
    throw RequestError(400, "the body cannot be unpacked as its Content-Encoding says");
  }
  return content;
}

/// Returns whether a list such as "deflate, gzip;q=1.0, *;q=0.5" contains gzip.
bool accepts_gzip(std::string_view accepted) {
  std::string rest = compact(accepted) + ",";
  for (auto comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    const auto entry = rest.substr(0, comma);
    rest.erase(0, comma + 1);
    const auto semicolon = std::min(entry.find(';'), entry.size());
    if (entry.substr(0, semicolon) == "gzip") {
      const auto quality = entry.substr(semicolon);
      return quality.find_first_not_of(";q=0.") != std::string::npos || quality.empty();
    }
  }
  return false;
}

}  // namespace

std::string decode_content(std::string body, std::string_view coding, std::size_t limit) {
  const auto name = compact(coding);
  if (name.empty() || name == "identity") {
    return body;
  }
  if (name != "gzip" && name != "x-gzip" && name != "deflate") {
    throw RequestError(415, fmt::format("a body with the Content-Encoding {} is not understood: send it as it is, or "
                                        "with gzip or deflate",
                                        coding));
  }
  return inflated(body, limit);
}

namespace {

/// Returns the compressed body; nothing if that is not worthwhile.
std::optional<std::string> deflated(std::string_view body) {
  constexpr std::size_t kWorthwhile = 1024;  // bytes; a shorter answer is one packet anyway
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  if (body.size() < kWorthwhile ||
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string packed;
  const int status = run_stream(stream, body, packed, body.size(), [](z_stream& s) { return deflate(&s, Z_FINISH); });
  deflateEnd(&stream);
  return status == Z_STREAM_END ? std::optional(std::move(packed)) : std::nullopt;
}

}  // namespace

std::shared_ptr<const SharedBody> share_body(std::string bytes) {
  auto body = std::make_shared<SharedBody>();
  if (auto packed = deflated(bytes)) {
    body->gzip = std::make_shared<const SharedBody>(SharedBody{.bytes = std::move(*packed)});
  }
  body->bytes = std::move(bytes);
  return body;
}

void compress_answer(HttpAnswer& answer, std::string_view accepted) {
  if (!accepts_gzip(accepted)) {
    return;
  }
  if (answer.shared_body && answer.shared_body->gzip) {
    answer.shared_body = answer.shared_body->gzip;
  } else if (auto packed = deflated(answer.body)) {
    answer.body = std::move(*packed);
  } else {
    return;
  }
  answer.headers.emplace_back("Content-Encoding", "gzip");
  answer.headers.emplace_back("Vary", "Accept-Encoding");
}

}  // namespace translate
