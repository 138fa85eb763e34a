// The options of translate-serve for its address, the allowed clients, and the limits.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "serve/program/serve_program.h"
#include "serve/site_policy.h"

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

void add_file_options(CLI::App& app, ServerArguments& arguments) {
  constexpr std::size_t kMany = 1024;
  app.add_option("--max-file-size", arguments.max_file,
                 "The largest file to translate; larger ones are answered with 413 (0: no files are translated)")
      ->check(CLI::Range(std::size_t{0}, kMany))
      ->capture_default_str()
      ->type_name("MIB");
  app.add_option("--file-memory", arguments.kept_files,
                 "The most memory for translated files, which are kept for ten minutes; without room for another, a "
                 "file is answered with 503")
      ->check(CLI::Range(std::size_t{1}, kMany * kMany))
      ->capture_default_str()
      ->type_name("MIB");
  app.add_option("--max-long", arguments.service.max_long,
                 "The most files and texts of more than 64 KiB translated at a time, at most half of --http-threads; "
                 "the excess is answered with 503")
      ->check(CLI::Range(std::size_t{1}, std::size_t{512}))
      ->capture_default_str()
      ->type_name("N");
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
  app.add_option("--max-queue", arguments.queue.max_waiting,
                 "The most lines waiting to be translated; the excess is answered with 503. A request may have twenty "
                 "times this "
                 "number of lines, and at most a quarter of this number of them wait at a time")
      ->check(CLI::Range(std::size_t{1}, kMany))
      ->capture_default_str()
      ->type_name("LINES");
  app.add_option("--max-batch", arguments.queue.max_batch,
                 "The most lines translated at a time, from all requests together")
      ->check(CLI::Range(std::size_t{1}, kMany))
      ->capture_default_str()
      ->type_name("LINES");
  app.add_option("--max-characters", arguments.service.max_characters,
                 "The most characters of the texts of a request or file; tags and the like do not count")
      ->check(CLI::Range(std::size_t{1}, kMany))
      ->capture_default_str()
      ->type_name("N");
  add_file_options(app, arguments);
  app.add_option(
         "--timeout", arguments.timeout,
         "The most time for translating a request of up to 10,000 characters, and in proportion more for a longer "
         "one; later it is answered with 504")
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

}  // namespace translate::tools
