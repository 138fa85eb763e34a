#pragma once

#include <CLI/CLI.hpp>

#include "translate/serving/http_server.h"
#include "translate/serving/request_queue.h"
#include "translate/serving/service_options.h"

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

}  // namespace translate
