#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "translate/serving/site_policy.h"

namespace translate {

/// What a service translates and how much of it.
struct ServiceOptions {
  std::string source_language;         ///< as clients name it: "en"
  std::string target_language;         ///< likewise
  std::string model;                   ///< its name, for people
  std::size_t max_characters = 10000;  ///< code points in one request
  std::size_t max_lines = 1000;        ///< lines to translate in one request
  int max_alternatives = 0;            ///< further translations of a line that a request may get
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  ///< from a request to its answer
  SiteOptions sites;           ///< the server's names, and the other web sites that may use it
  std::string_view page;       ///< HTML at "/"
  std::string_view docs_page;  ///< HTML at "/docs", which shows the description at "/spec"
};

}  // namespace translate
