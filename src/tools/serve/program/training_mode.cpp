// translate-serve --training: a page that shows trainings, without a model.

#include "serve/program/training_mode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "core/error.h"
#include "core/logging.h"
#include "core/stop_signal.h"
#include "serve/training/training_runs.h"
#include "serve/training/training_service.h"

namespace translate::tools {

extern const std::string_view kTrainingPage;  // in a source file that the build makes from the HTML

namespace {

using std::chrono::milliseconds;

/// The options that concern the server or the program itself.
constexpr std::array<std::string_view, 15> kAllowed = {
    "--training",        "--host",           "--port",   "--allow-host", "--cors",   "--http-threads",
    "--max-connections", "--client-timeout", "--grace",  "--help",       "--device", "--threads",
    "--log-level",       "--quiet",          "--version"};

}  // namespace

void add_training_option(CLI::App& app, std::vector<std::string>& runs) {
  app.add_option("--training", runs,
                 "Translate nothing, but show the training of these runs on a page: curves, time left, sample "
                 "translations, and how their configurations differ; the folders need not exist yet")
      ->type_name("RUN");
}

void check_training_options(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    const auto name = option->get_name();
    if (option->count() > 0 && std::ranges::find(kAllowed, name) == kAllowed.end()) {
      throw ConfigError(
          fmt::format("{} concerns translating, and a server with --training does not translate: leave "
                      "out one of them, or start two servers with different --port",
                      name));
    }
  }
}

int serve_trainings(const ServerArguments& arguments, const std::vector<std::string>& runs) {
  TrainingRuns trainings({runs.begin(), runs.end()});
  for (const auto& run : runs) {
    if (!std::filesystem::exists(run)) {
      log_warning(fmt::format("{} does not exist; the page shows the run once its training has begun", run));
    }
  }
  auto sites = arguments.service.sites;
  sites.listening = arguments.http.host;
  TrainingService service(sites, trainings, kTrainingPage);
  auto http = arguments.http;
  http.client_time = in_milliseconds(arguments.client_timeout);
  HttpServer server(http, [&](const HttpRequest& request) { return service.answer(request); });
  server.start();
  log_info(fmt::format("listening on {} (training of {})", server_address(http, server.port()),
                       fmt::join(trainings.names(), ", ")));
  while (!stop_signal()) {
    if (server.wait(milliseconds(50))) {
      throw RuntimeError("the server ended by itself: the system no longer accepts connections");
    }
  }
  const int signal = *stop_signal();
  log_info(fmt::format("{}: answering the requests in progress, then ending", signal_name(signal)));
  server.stop();
  if (!server.wait(in_milliseconds(arguments.grace))) {
    std::_Exit(exit_code_of_signal(signal));  // does not wait any longer for a client that will not end soon
  }
  log_info("ended");
  return exit_code_of_signal(signal);
}

}  // namespace translate::tools
