// Requests to translate-serve: the head, the body and its encoding, the routing by path and method, JSON, forms and
// HTML, and the bytes of the answer. Sockets are left out; the model repeats each line.

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <nlohmann/json.hpp>

#include "core/utf8.h"
#include "fuzz/fuzz_input.h"
#include "serve/http/http_bodies.h"
#include "serve/http/http_messages.h"
#include "serve/http/http_request_reader.h"
#include "serve/models/model_registry.h"
#include "serve/translation_service.h"

namespace {

using namespace translate;

/// "x" becomes "x", with the alternatives "x2" and "x3".
void repeat_lines(LineSource& source) {
  while (auto line = source.take({.waits = true, .under_way = 0})) {
    Translation translation;
    for (const auto* end : {"", "2", "3"}) {
      translation.nbest.emplace_back();
      translation.nbest.back().text = line->line.text + end;
    }
    source.give(line->number, std::move(translation));
  }
}

class Server {
 public:
  Server() : models_(one_model(), tools::Pivoting::kOn), service_(options(), models_) {}

  [[nodiscard]] tools::HttpAnswer answer(const tools::HttpRequest& request) { return service_.answer(request); }
  void forget_files() { service_.look_after(tools::TranslationWork::Clock::now() + std::chrono::hours(1)); }
  [[nodiscard]] std::size_t max_body() const { return service_.max_body(); }

 private:
  static tools::ServiceOptions options() {
    tools::ServiceOptions options;
    options.page = "<!DOCTYPE html>";
    options.docs_page = "<!DOCTYPE html>";
    options.sites.hosts = {"translate.example.org"};
    options.sites.origins = {"https://example.org"};
    return options;
  }

  static std::vector<std::unique_ptr<tools::ServedModel>> one_model() {
    std::vector<std::unique_ptr<tools::ServedModel>> models;
    models.push_back(std::make_unique<tools::ServedModel>(
        tools::ModelFacts{.name = "model", .directions = {{"en", "fr", ""}, {"fr", "de", ""}}, .max_alternatives = 2},
        tools::ModelTranslators{.plain = repeat_lines}, tools::QueueOptions{}));
    return models;
  }

  tools::ModelRegistry models_;
  tools::TranslationService service_;
};

/// An answer must be a message that the library reads, with the body that it announces.
void check_answer(const std::string& bytes) {
  boost::beast::http::response_parser<boost::beast::http::string_body> parser;
  parser.skip(true);  // the body: that of a HEAD is not sent
  parser.body_limit(boost::none);
  boost::system::error_code error;
  const auto head = parser.put(boost::asio::buffer(bytes), error);
  fuzz::require(!error && parser.is_header_done());
  const auto body = bytes.size() - head;
  fuzz::require(body == 0 || parser.content_length() == body);
}

/// Returns the bytes of the answer to a request, whose body may be announced and left out.
std::string bytes_of(const tools::HttpAnswer& answer, const tools::HttpExchange& exchange) {
  const tools::KeepAlive keep_alive = {.idle = std::chrono::seconds(1), .requests = 10};
  auto bytes = tools::answer_head(answer, exchange.version, keep_alive);
  if (exchange.request.method != "HEAD") {
    bytes += tools::body_of(answer);
  }
  return bytes;
}

/// Reads requests as a connection does, from portions of the input, and checks the bytes of their answers.
void answer_all(std::string_view input, std::size_t portion, Server& server) {
  tools::HttpRequestReader reader({.max_body = server.max_body()});
  try {
    while (!input.empty()) {
      reader.append(input.substr(0, portion));
      input.remove_prefix(std::min(portion, input.size()));
      while (reader.read()) {
        auto exchange = reader.take();
        auto& request = exchange.request;
        request.body = tools::decode_content(std::move(request.body), exchange.content_encoding, server.max_body());
        auto answer = server.answer(request);
        tools::compress_answer(answer, exchange.accept_encoding);
        check_answer(bytes_of(answer, exchange));
      }
    }
    reader.end();
  } catch (const tools::RequestError& error) {
    check_answer(bytes_of(tools::error_answer(error.status(), error.what()), {}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  static Server server;
  const auto input = fuzz::text_of(data, size);
  for (const std::size_t portion : {input.size() + 1, std::size_t{7}}) {
    answer_all(input, portion, server);
  }
  // The input as a body, so that changes need not keep a head whole.
  const auto* const type = input.starts_with('{')    ? "application/json"
                           : input.starts_with("--") ? "multipart/form-data; boundary=b"
                                                     : "application/x-www-form-urlencoded";
  for (const auto* path : {"/translate", "/translate_file", "/detect"}) {
    const auto answer = server.answer(
        {.method = "POST", .path = path, .content_type = type, .body = std::string(input), .host = "localhost"});
    fuzz::require(nlohmann::json::accept(answer.body));
  }
  server.forget_files();
  return 0;
}
