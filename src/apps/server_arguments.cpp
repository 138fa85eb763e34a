#include "translate/apps/server_arguments.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace translate {
namespace {

/// Makes an option's check of a function that tells whether a value is right.
CLI::Validator check_that(bool (*is_right)(std::string_view), const std::string& expected) {
  return CLI::Validator(
      [=](const std::string& value) { return is_right(value) ? "" : fmt::format("\"{}\" is not {}", value, expected); },
      "");
}

/// Unlike CLI::Range, it refuses "nan".
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

}  // namespace translate
