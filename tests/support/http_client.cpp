#include "support/http_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>

namespace translate {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

tcp::socket connected(asio::io_context& context, int port, error_code& error) {
  tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}, error);
  return socket;
}

std::string text_of(const std::string& method, const std::string& target, int port, const HttpPairs& headers,
                    const std::string& body) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", method, target, port);
  for (const auto& [name, value] : headers) {
    text += name + ": " + value + "\r\n";
  }
  if (!body.empty() || method == "POST") {
    text += fmt::format("Content-Length: {}\r\n", body.size());
  }
  return text + "\r\n" + body;
}

}  // namespace

std::string HttpReply::header(const std::string& name) const {
  for (const auto& [other, value] : headers) {
    if (boost::beast::iequals(other, name)) {
      return value;
    }
  }
  return "";
}

std::optional<HttpReply> HttpClient::send(const std::string& method, const std::string& target,
                                          const HttpPairs& headers, const std::string& body) const {
  asio::io_context context;
  error_code error;
  auto socket = connected(context, port_, error);
  if (error) {
    return std::nullopt;
  }
  asio::write(socket, asio::buffer(text_of(method, target, port_, headers, body)), error);  // may be refused before
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  parser.skip(method == "HEAD");
  boost::beast::flat_buffer buffer;
  http::read(socket, buffer, parser, error);
  if (error) {
    return std::nullopt;
  }
  HttpReply reply;
  reply.status = static_cast<int>(parser.get().result_int());
  reply.body = parser.get().body();
  for (const auto& field : parser.get()) {
    reply.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  return reply;
}

std::optional<HttpReply> HttpClient::post_form(const std::string& target, const HttpPairs& fields) const {
  return post(target, encode_form(fields), "application/x-www-form-urlencoded");
}

std::string encode_form(const HttpPairs& fields) {
  std::string form;
  const auto encode = [&](const std::string& text) {
    for (const unsigned char c : text) {
      form += std::isalnum(c) != 0 ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
    }
  };
  for (const auto& [name, value] : fields) {
    form += form.empty() ? "" : "&";
    encode(name);
    form += '=';
    encode(value);
  }
  return form;
}

std::string raw_answer(int port, const std::string& bytes, bool half_close) {
  asio::io_context context;
  error_code error;
  auto socket = connected(context, port, error);
  asio::write(socket, asio::buffer(bytes), error);
  if (half_close) {
    socket.shutdown(tcp::socket::shutdown_send, error);
  }
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

}  // namespace translate
