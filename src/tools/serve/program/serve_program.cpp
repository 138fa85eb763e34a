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
#include "core/error.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/stop_signal.h"
#include "core/system/allocator.h"
#include "serve/http/http_server.h"
#include "serve/models/model_reloader.h"
#include "serve/models/reload_signal.h"
#include "serve/program/model_loading.h"
#include "serve/program/training_mode.h"
#include "serve/request_queue.h"
#include "serve/translation_service.h"

namespace translate::tools {

extern const std::string_view kTranslationPage;  // in source files that the build makes from the HTML
extern const std::string_view kApiPage;

namespace {

using std::chrono::milliseconds;

struct Arguments {
  CommonOptions common;
  ModelArguments models;
  ServerArguments server;
  std::vector<std::string> trainings;  ///< run folders
};

constexpr const char* kFooter = R"(Examples:
  translate-serve
      serve the newest model under runs/ at http://127.0.0.1:5000, with a page for people and
      LibreTranslate's POST /translate for programs (docs/serving.md)
  translate-serve --checkpoint best --run-dir runs/en-fr --port 8080
  curl -d q="The cat sat" -d source=en -d target=fr http://127.0.0.1:8080/translate
  curl -F file=@page.html -F source=en -F target=fr http://127.0.0.1:8080/translate_file
      translate a file; the answer has the address of the translated one
  translate-serve --model runs/en-fr/best --model runs/fr-de/best
      serve several models, and from English to German through French
  translate-serve --learn
      also serve http://127.0.0.1:5000/learn, where a browser computes the model, to experiment with
  translate-serve --allow-host translate.example.org
      serve behind a proxy with this name
  translate-serve --training runs/en-fr runs/en-fr-large
      show how these runs train, at http://127.0.0.1:5000

SIGINT and SIGTERM stop the server after the requests in progress, with exit code 130 or 143. SIGHUP
has it load its models again, without a pause; if its terminal was closed, it stops with 129. Other
exit codes: 1 failed (a port in use, a damaged checkpoint), 2 wrong option.)";

void add_options(CLI::App& app, Arguments& arguments) {
  add_server_options(app, arguments.server);
  add_model_options(app, arguments.models);
  add_training_option(app, arguments.trainings);
  add_common_options(app, arguments.common, Work::kTranslation);
  app.footer(kFooter);
}

ServiceOptions service_options(const Arguments& arguments) {
  constexpr std::size_t kMebibyte = 1024UL * 1024;
  constexpr std::size_t kQueuesOfRequest = 20;
  auto options = arguments.server.service;
  const auto& queue = arguments.server.queue;
  options.max_lines = kQueuesOfRequest * queue.max_waiting;
  options.portion = std::max<std::size_t>(1, queue.max_waiting / 4);
  options.max_long = std::min(options.max_long, std::max<std::size_t>(arguments.server.http.threads / 2, 1));
  options.max_file = arguments.server.max_file * kMebibyte;
  options.kept_files = arguments.server.kept_files * kMebibyte;
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

int run(const Arguments& arguments, const PageMaker& make_page) {
  start_logging(arguments.common);
  const StopSignals signals;
  ReloadSignal reload;
  reserve_little_address_space();
  if (!arguments.trainings.empty()) {
    return serve_trainings(arguments.server, arguments.trainings);
  }
  start_computing(arguments.common);  // sets the number of threads for sums
  auto models = load_models(arguments, make_page);
  TranslationService service(service_options(arguments), models.models());
  auto http = arguments.server.http;
  http.max_body = service.max_body();
  http.max_query = service.max_query();
  http.client_time = in_milliseconds(arguments.server.client_timeout);
  HttpServer server(http, [&](const HttpRequest& request) { return service.answer(request); });
  server.start();
  log_info(fmt::format("listening on {} ({})", server_address(http, server.port()),
                       directions_text(models.models().current()->directions())));
  while (!stop_signal()) {
    if (server.wait(milliseconds(50))) {
      throw RuntimeError("the server ended by itself: the system no longer accepts connections");
    }
    if (reload.take()) {
      models.request_reload();
    }
    models.look_after();
    service.look_after(std::chrono::steady_clock::now());
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
  return run_program(line.app, argc, argv, [&] {
    if (!line.arguments.trainings.empty()) {
      check_training_options(line.app);
    }
    return run(line.arguments, make_page);
  });
}

}  // namespace translate::tools
