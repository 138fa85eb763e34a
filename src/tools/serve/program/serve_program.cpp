#include "serve/program/serve_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "command_line/program.h"
#include "core/allocator.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/stop_signal.h"
#include "serve/http/http_server.h"
#include "serve/models/model_reloader.h"
#include "serve/models/reload_signal.h"
#include "serve/program/model_loading.h"
#include "serve/request_queue.h"
#include "serve/translation_service.h"

namespace translate::tools {

namespace {

/// Makes an option's check from a function that returns whether a value is valid.
CLI::Validator check_that(bool (*is_right)(std::string_view), const std::string& expected) {
  return CLI::Validator(
      [=](const std::string& value) { return is_right(value) ? "" : fmt::format("\"{}\" is not {}", value, expected); },
      "");
}

/// Returns a range check that refuses "nan", unlike CLI::Range.
CLI::Validator seconds_between(double least, double most) {
  return CLI::Validator(
      [=](const std::string& value) {
        double seconds = 0.0;
        const bool fits = CLI::detail::lexical_cast(value, seconds) && seconds >= least && seconds <= most;
        return fits ? "" : fmt::format("\"{}\" is not a number of seconds from {} to {}", value, least, most);
      },
      fmt::format("FLOAT in [{} - {}]", least, most));
}

void add_site_options(CLI::App& app, SiteOptions& sites) {
  app.add_option("--allow-host", sites.hosts,
                 "Also answer requests to this host name, such as that of a proxy, and from its own pages (repeatable; "
                 "default: localhost and the addresses of --host)")
      ->check(check_that(is_host, "a host's name or address without scheme and port, such as translate.example.org"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  app.add_option("--cors", sites.origins,
                 "Also answer requests of the scripts of this web site (https://example.org, or * for all; repeatable; "
                 "default: none)")
      ->check(check_that(is_origin,
                         "a web site as browsers name it, such as https://example.org or "
                         "http://localhost:3000, without a path; nor *, for all"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("ORIGIN");
}

}  // namespace

void add_server_options(CLI::App& app, ServerArguments& arguments) {
  constexpr std::size_t kMany = 1UL << 24U;
  app.add_option("--host", arguments.http.host,
                 "The address to listen on: a name or address of this machine, or 0.0.0.0 for all")
      ->check(check_that(is_host, "a name or address of this machine, such as localhost, 0.0.0.0 or ::1"))
      ->capture_default_str()
      ->type_name("HOST");
  app.add_option("--port", arguments.http.port, "The port to listen on (0: any free port, which is logged)")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option(
         "--max-queue", arguments.queue.max_waiting,
         "The most lines waiting to be translated, and the most lines of a request; the excess is answered with 503")
      ->check(CLI::Range(std::size_t{1}, kMany))
      ->capture_default_str()
      ->type_name("LINES");
  app.add_option("--max-batch", arguments.queue.max_batch,
                 "The most lines translated at a time, from all requests together")
      ->check(CLI::Range(std::size_t{1}, kMany))
      ->capture_default_str()
      ->type_name("LINES");
  app.add_option("--max-characters", arguments.service.max_characters, "The most characters of a request")
      ->check(CLI::Range(std::size_t{1}, kMany))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--timeout", arguments.timeout,
                 "The most time for translating a request; later it is answered with 504")
      ->check(seconds_between(0.001, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  app.add_option("--grace", arguments.grace, "The time to finish the requests in progress after a signal to stop")
      ->check(seconds_between(0.0, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  app.add_option("--http-threads", arguments.http.threads,
                 "The most requests handled at a time; the excess is answered with 503")
      ->check(CLI::Range(std::size_t{1}, std::size_t{512}))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-connections", arguments.http.connections,
                 "The most connections at a time; to make room, connections that wait for their client are closed")
      ->check(CLI::Range(std::size_t{1}, std::size_t{65536}))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--client-timeout", arguments.client_timeout,
                 "The most time for a client to send a request, later answered with 408, and to read the answer")
      ->check(seconds_between(0.1, 86400.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_site_options(app, arguments.service.sites);
}

extern const std::string_view kTranslationPage;  // in source files that the build makes from the HTML
extern const std::string_view kApiPage;

namespace {

using std::chrono::milliseconds;

struct Arguments {
  CommonOptions common;
  ModelArguments models;
  ServerArguments server;
};

constexpr const char* kFooter = R"(Examples:
  translate-serve
      serve the newest model under runs/ at http://127.0.0.1:5000, with a page for people and
      LibreTranslate's POST /translate for programs (docs/serving.md)
  translate-serve --checkpoint best --run-dir runs/en-fr --port 8080
  curl -d q="The cat sat" -d source=en -d target=fr http://127.0.0.1:8080/translate
  translate-serve --model runs/en-fr/best --model runs/fr-de/best
      serve several models, and from English to German through French
  translate-serve --learn
      also serve http://127.0.0.1:5000/learn, where a browser computes the model, to experiment with
  translate-serve --allow-host translate.example.org
      serve behind a proxy with this name

SIGINT and SIGTERM stop the server after the requests in progress, with exit code 130 or 143. SIGHUP
has it load its models again, without a pause; if its terminal was closed, it stops with 129. Other
exit codes: 1 failed (a port in use, a damaged checkpoint), 2 wrong option.)";

void add_options(CLI::App& app, Arguments& arguments) {
  add_server_options(app, arguments.server);
  add_model_options(app, arguments.models);
  add_common_options(app, arguments.common, Work::kTranslation);
  app.footer(kFooter);
}

milliseconds in_milliseconds(double seconds) { return milliseconds(static_cast<std::int64_t>(seconds * 1000.0)); }

ServiceOptions service_options(const Arguments& arguments) {
  auto options = arguments.server.service;
  options.max_lines = arguments.server.queue.max_waiting;
  options.timeout = in_milliseconds(arguments.server.timeout);
  options.sites.listening = arguments.server.http.host;
  options.page = kTranslationPage;
  options.docs_page = kApiPage;
  return options;
}

/// Answers the requests in progress until `grace` is over, and ends with the signal's exit code.
int stop(HttpServer& server, ModelReloader& models, double grace) {
  constexpr auto kLastAnswers = std::chrono::seconds(5);  // for refusing requests that were not translated
  const int signal = *stop_signal();
  const int code = exit_code_of_signal(signal);
  log_info(fmt::format("{}: answering the requests in progress, then ending", signal_name(signal)));
  const auto deadline = std::chrono::steady_clock::now() + in_milliseconds(grace);
  server.stop();
  bool in_time = server.wait(in_milliseconds(grace));
  models.models().stop();
  if (!in_time) {
    log_warning("requests were not answered within --grace; they are refused");
    in_time = server.wait(kLastAnswers);
  }
  if (!in_time || !models.models().wait_until_idle(deadline)) {
    std::_Exit(code);  // does not wait any longer for a batch or a client that will not end soon
  }
  log_info("ended");
  if (models.is_reloading()) {
    std::_Exit(code);  // nobody needs the model that is being loaded
  }
  return code;
}

/// Returns the first models, which it loads, and how to load them again.
ModelReloader load_models(const Arguments& arguments, const PageMaker& make_page) {
  const auto loader = std::make_shared<const ModelLoader>(arguments.models, arguments.common.computing,
                                                          arguments.server.queue, make_page);
  const auto load = [loader](std::size_t index, const std::optional<FileStamps>& known) {
    const auto source = loader->open(index);
    const bool is_known = known && source.stamps() == known;
    return is_known ? std::nullopt : std::optional(loader->load(index, source));
  };
  return {load, loader->count(), arguments.models.no_pivot ? Pivoting::kOff : Pivoting::kOn};
}

void log_address(const HttpServerOptions& http, int port, const ModelSet& models) {
  const auto host = http.host.find(':') != std::string::npos ? "[" + http.host + "]" : http.host;  // IPv6
  log_info(fmt::format("listening on http://{}:{} ({})", host, port, directions_text(models.directions())));
}

int run(const Arguments& arguments, const PageMaker& make_page) {
  start_logging(arguments.common);
  const StopSignals signals;
  ReloadSignal reload;
  reserve_little_address_space();
  start_computing(arguments.common);  // sets the number of threads for sums
  auto models = load_models(arguments, make_page);
  TranslationService service(service_options(arguments), models.models());
  auto http = arguments.server.http;
  http.max_body = service.max_body();
  http.client_time = in_milliseconds(arguments.server.client_timeout);
  HttpServer server(http, [&](const HttpRequest& request) { return service.answer(request); });
  server.start();
  log_address(http, server.port(), *models.models().current());
  while (!stop_signal()) {
    if (server.wait(milliseconds(50))) {
      throw RuntimeError("the server ended by itself: the system no longer accepts connections");
    }
    if (reload.take()) {
      models.request_reload();
    }
    models.look_after();
  }
  return stop(server, models, arguments.server.grace);
}

struct CommandLine {
  CommandLine() { add_options(app, arguments); }

  CLI::App app{"Translates over HTTP with trained models.", "translate-serve"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> serve_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_serve(int argc, char** argv, const PageMaker& make_page) {
  end_with_exit_code_on_stop_signals();
  ignore_broken_pipes();  // the server continues without its terminal
  CommandLine line;
  return run_program(line.app, argc, argv, [&] { return run(line.arguments, make_page); });
}

}  // namespace translate::tools
