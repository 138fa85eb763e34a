#include "translate/serving/content_coding.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <utility>

#include "translate/serving/ascii_text.h"
#include "translate/serving/request_fields.h"

namespace translate {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;        // windowBits of zlib: a gzip stream
constexpr int kGzipOrZlib = 32 + MAX_WBITS;  // either; "deflate" is a zlib stream
constexpr std::size_t kChunk = 16UL * 1024;

/// In lower case and without white space.
std::string compact(std::string_view text) {
  std::string result = ascii_lower(text);
  std::erase_if(result, [](unsigned char c) { return std::isspace(c) != 0; });
  return result;
}

Bytef* bytes(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }  // zlib's own habit

/// What a zlib stream gives, chunk by chunk, until it ends; `run` is inflate or deflate. Returns zlib's last status.
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

/// Whether a list such as "deflate, gzip;q=1.0, *;q=0.5" has gzip.
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

void compress_answer(HttpAnswer& answer, std::string_view accepted) {
  constexpr std::size_t kWorthwhile = 1024;  // bytes; a shorter answer is one packet anyway
  if (answer.body.size() < kWorthwhile || !accepts_gzip(accepted)) {
    return;
  }
  z_stream stream = {};
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return;
  }
  std::string packed;
  const int status =
      run_stream(stream, answer.body, packed, answer.body.size(), [](z_stream& s) { return deflate(&s, Z_FINISH); });
  deflateEnd(&stream);
  if (status == Z_STREAM_END) {
    answer.body = std::move(packed);
    answer.headers.emplace_back("Content-Encoding", "gzip");
    answer.headers.emplace_back("Vary", "Accept-Encoding");
  }
}

}  // namespace translate
