#include "interface/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "config/config_file.h"
#include "core/error.h"
#include "core/threads.h"
#include "inference/weight_format.h"

namespace translate {

namespace {

[[noreturn]] void fail_value(const std::string& name, const std::string& expected, const std::string& value) {
  throw ConfigError(fmt::format("option {}: expected {}, got \"{}\"", name, expected, value));
}

bool parse_bool(const std::string& name, const std::string& value) {
  if (value != "true" && value != "false") {
    fail_value(name, "true or false", value);
  }
  return value == "true";
}

int parse_threads(const std::string& value) {
  int threads = -1;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || rest != value.data() + value.size() || threads < 0 || threads > kMostThreads) {
    fail_value("threads", fmt::format("an integer from 0 to {}", kMostThreads), value);
  }
  return threads;
}

}  // namespace

void set_option(translate_options& options, const std::string& name, const std::string& value) {
  constexpr std::array<std::string_view, 6> kOfOpening = {"device",  "threads", "precision",
                                                          "run_dir", "config",  "tokenizers"};
  if (name == "device") {
    options.computing.device = value;
  } else if (name == "threads") {
    options.threads = parse_threads(value);
  } else if (name == "precision") {
    if (std::ranges::find(kTranslationPrecisions, value) == kTranslationPrecisions.end()) {
      fail_value(name, fmt::format("one of {}", fmt::join(kTranslationPrecisions, ", ")), value);
    }
    options.computing.precision = value;
  } else if (name == "alignments") {
    options.alignments = parse_bool(name, value);
  } else if (name == "word_scores") {
    options.word_scores = parse_bool(name, value);
  } else if (name == "raw") {
    options.raw = parse_bool(name, value);
  } else if (name == "keep") {
    options.keep.push_back(value);
  } else if (name == "glossary") {
    options.glossary = value;
  } else if (name == "shortlist") {
    options.shortlist = value;
  } else if (name == "target_language") {
    options.target_language = value;
  } else if (name == "run_dir") {
    options.checkpoint.run_dir = value;
  } else if (name == "config") {
    options.checkpoint.config = value;
  } else if (name == "tokenizers") {
    options.checkpoint.tokenizers = value;
  } else {
    auto setting = fmt::format("decoding.{}={}", name, value);
    Config config;
    override_config(config, {&setting, 1}, "option");  // throws if there is no such key or if it cannot have the value
    options.decoding.push_back(std::move(setting));
  }
  if (std::ranges::find(kOfOpening, name) != kOfOpening.end()) {
    options.of_opening.push_back(name);
  }
}

}  // namespace translate
