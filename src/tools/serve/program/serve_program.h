#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "serve/http/http_server.h"
#include "serve/program/model_loading.h"
#include "serve/request_queue.h"
#include "serve/translation_answer.h"

namespace translate::tools {

/// The options of translate-serve that concern the server.
struct ServerArguments {
  HttpServerOptions http;
  QueueOptions queue;
  ServiceOptions service;
  std::size_t max_file = 8;      ///< MiB
  std::size_t kept_files = 64;   ///< MiB
  double timeout = 30.0;         ///< seconds
  double grace = 10.0;           ///< seconds
  double client_timeout = 15.0;  ///< seconds
};

/// Returns a time that an option gives in seconds.
[[nodiscard]] inline std::chrono::milliseconds in_milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000.0));
}

/// Adds the options for the address, the allowed clients, and the limits.
void add_server_options(CLI::App& app, ServerArguments& arguments);

/// Returns the options of translate-serve for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> serve_command_line();

/// Runs translate-serve and returns its exit code. `make_page` is for --learn (see ModelLoader).
int run_serve(int argc, char** argv, const PageMaker& make_page);

}  // namespace translate::tools
