#include "serve/http/http_bodies.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <charconv>
#include <new>
#include <optional>

namespace translate::tools {

namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

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

[[noreturn]] void throw_malformed(std::string_view reason) {
  throw RequestError(400, fmt::format("the body is not multipart/form-data as its Content-Type says: {}", reason));
}

/// Removes and returns the text up to `end`, which is removed as well; if there is none, the form is malformed.
std::string_view take_until(std::string_view& text, std::string_view end, std::string_view problem) {
  const auto at = text.find(end);
  if (at == std::string_view::npos) {
    throw_malformed(problem);
  }
  const auto taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

/// Returns the parameter of a header's value: "x" for `boundary` in "multipart/form-data; boundary=x". Browsers write
/// '"' and line ends in names as %22, %0D and %0A, which stay as they are.
std::optional<std::string> parameter(std::string_view value, std::string_view name) {
  const auto parameters = value.substr(std::min(value.find(';'), value.size()));
  for (const auto& [key, text] : http::param_list(parameters)) {
    if (iequals(key, name)) {
      return std::string(text);
    }
  }
  return std::nullopt;
}

/// Returns the part with these headers and this value.
FormPart form_part(std::string_view headers, std::string_view value) {
  while (!headers.empty()) {
    const auto line = headers.substr(0, headers.find(kLineEnd));
    headers.remove_prefix(std::min(line.size() + kLineEnd.size(), headers.size()));
    const auto colon = std::min(line.find(':'), line.size());
    if (!iequals(line.substr(0, colon), "content-disposition")) {
      continue;
    }
    if (auto name = parameter(line, "name")) {
      return {.name = std::move(*name), .file_name = parameter(line, "filename"), .value = value};
    }
  }
  throw_malformed("a part has no Content-Disposition with a name");
}

}  // namespace

std::vector<FormPart> multipart_parts(std::string_view content_type, std::string_view body) {
  constexpr std::size_t kLongestBoundary = 70;  // RFC 2046
  constexpr std::string_view kNoEnd = "its last boundary is missing";
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary) {
    throw_malformed("it names no boundary of 1 to 70 characters");
  }
  const auto delimiter = fmt::format("{}--{}", kLineEnd, *boundary);
  if (const auto first = delimiter.substr(kLineEnd.size()); body.starts_with(first)) {
    body.remove_prefix(first.size());
  } else {
    (void)take_until(body, delimiter, "its boundary is not in the body");
  }
  std::vector<FormPart> parts;
  while (!body.starts_with("--")) {
    (void)take_until(body, kLineEnd, kNoEnd);
    // A part without headers begins with the empty line; the line end before that belongs to the boundary.
    if (body.starts_with(kLineEnd)) {
      throw_malformed("a part has no headers");
    }
    const auto headers = take_until(body, "\r\n\r\n", "a part has no headers");
    const auto value = take_until(body, delimiter, kNoEnd);
    parts.push_back(form_part(headers, value));
  }
  return parts;
}

FormFields multipart_fields(std::string_view content_type, std::string_view body) {
  FormFields fields;
  for (auto& part : multipart_parts(content_type, body)) {
    fields.emplace_back(std::move(part.name), part.value);
  }
  return fields;
}

namespace {

constexpr int kGzip = 16 + MAX_WBITS;        // windowBits of zlib: a gzip stream
constexpr int kGzipOrZlib = 32 + MAX_WBITS;  // either; "deflate" is a zlib stream

/// Returns the output of a zlib stream, of which no more than `limit` bytes and a chunk are made; `run` is inflate or
/// deflate. Returns nothing if the stream does not end with the input.
template <typename Run>
std::optional<std::string> run_stream(z_stream& stream, std::string_view input, std::size_t limit, Run run) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(input.size());
  std::string output;
  char chunk[16 * 1024];
  int status = Z_OK;
  while (status == Z_OK && output.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    status = run(stream);
    output.append(chunk, sizeof chunk - stream.avail_out);
  }
  const bool is_whole = (status == Z_STREAM_END && stream.avail_in == 0) || output.size() > limit;
  return is_whole ? std::optional(std::move(output)) : std::nullopt;
}

/// Returns the compressed body; nothing if that is not worthwhile.
std::optional<std::string> deflated(std::string_view body) {
  constexpr std::size_t kWorthwhile = 1024;  // bytes; a shorter answer is one packet anyway
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  if (body.size() < kWorthwhile ||
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  auto packed = run_stream(stream, body, body.size(), [](z_stream& s) { return deflate(&s, Z_FINISH); });
  deflateEnd(&stream);
  return packed && packed->size() < body.size() ? std::move(packed) : std::nullopt;
}

/// Returns whether a list such as "deflate, gzip;q=1.0, *;q=0.5" contains gzip.
bool accepts_gzip(std::string_view accepted) {
  for (const auto& [coding, parameters] : http::ext_list(accepted)) {
    if (!iequals(coding, "gzip")) {
      continue;
    }
    return std::ranges::none_of(parameters, [](const auto& parameter) {
      return iequals(parameter.first, "q") && parameter.second.find_first_not_of("0.") == std::string_view::npos;
    });
  }
  return false;
}

}  // namespace

std::string decode_content(std::string body, std::string_view coding, std::size_t limit) {
  if (coding.empty() || iequals(coding, "identity")) {
    return body;
  }
  if (!iequals(coding, "gzip") && !iequals(coding, "x-gzip") && !iequals(coding, "deflate")) {
    throw RequestError(415, fmt::format("a body with the Content-Encoding {} is not understood: send it as it is, or "
                                        "with gzip or deflate",
                                        coding));
  }
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipOrZlib) != Z_OK) {
    throw std::bad_alloc();
  }
  auto content = run_stream(stream, body, limit, [](z_stream& s) { return inflate(&s, Z_NO_FLUSH); });
  inflateEnd(&stream);
  if (!content) {
    throw RequestError(400, "the body cannot be unpacked as its Content-Encoding says");
  }
  if (content->size() > limit) {
    throw RequestError(413, fmt::format("the unpacked body is longer than {} bytes", limit));
  }
  return std::move(*content);
}

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

}  // namespace translate::tools
