#include "serve/models/model_naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/error.h"
#include "serve/models/served_model.h"

namespace translate::tools {

namespace {

bool is_code(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

}  // namespace

NamedModel read_named_model(const std::string& text) {
  NamedModel model{.name = text};
  const auto end = text.find('=');
  const auto colon = text.find(':');
  if (end != std::string::npos && colon < end && is_code(std::string_view(text).substr(0, colon)) &&
      is_code(std::string_view(text).substr(colon + 1, end - colon - 1))) {
    model = {.name = text.substr(end + 1),
             .languages = {.source = text.substr(0, colon), .target = text.substr(colon + 1, end - colon - 1)}};
  }
  if (model.name.empty()) {
    throw ConfigError(fmt::format("--model {}: the name of the model is missing", text));
  }
  return model;
}

std::vector<Direction> named_directions(const std::vector<Direction>& directions, const NamedSides& named,
                                        const LanguageCodes& given, const std::string& model) {
  auto found = directions_between(directions, named, given);
  if (found.empty()) {
    const auto from = given.source.empty() ? "" : " from " + given.source;
    const auto to = given.target.empty() ? "" : " to " + given.target;
    throw ConfigError(
        fmt::format("{} does not translate{}{}: it translates {}", model, from, to, directions_text(directions)));
  }
  return found;
}

}  // namespace translate::tools
