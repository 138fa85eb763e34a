#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "decoding/model_backend.h"
#include "serving/http/http_server.h"
#include "serving/request_queue.h"
#include "serving/translation_answer.h"

namespace translate {

/// The server's part of translate-serve's command line.
struct ServerArguments {
  HttpServerOptions http;
  QueueOptions queue;
  ServiceOptions service;
  double timeout = 30.0;         ///< seconds
  double grace = 10.0;           ///< seconds
  double client_timeout = 15.0;  ///< seconds
};

/// Adds the options for where to listen, whom to answer, and how much to take.
void add_server_options(CLI::App& app, ServerArguments& arguments);

/// The options of translate-serve, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> serve_command_line();

/// The whole of translate-serve. Returns its exit code. Where the backend throws NeedsLibTorch, before the server
/// starts, translate-serve-libtorch goes on.
int run_serve(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
