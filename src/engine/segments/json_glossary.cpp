#include "segments/json_glossary.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace translate {

namespace {

constexpr const char* kExpected =
    R"(expected an object such as {"dog": "chien"} or a list of pairs such as [["dog", "chien"]])";

GlossaryTerm term_of(const Json& source, const Json& target, const std::string& place) {
  if (!source.is_string() || !target.is_string()) {
    throw DataError(fmt::format("{}: not a text; {}", place, kExpected));
  }
  GlossaryTerm term{.source = source.get<std::string>(), .target = target.get<std::string>()};
  if (const auto fault = fault_of(term)) {
    throw DataError(fmt::format("{}: {}", place, *fault));
  }
  return term;
}

}  // namespace

std::shared_ptr<const Glossary> read_json_glossary(const Json& value) {
  std::vector<GlossaryTerm> terms;
  if (value.is_object()) {
    for (const auto& [source, target] : value.items()) {
      terms.push_back(term_of(source, target, fmt::format("glossary: term {}", terms.size() + 1)));
    }
  } else if (value.is_array()) {
    for (const auto& pair : value) {
      const auto place = fmt::format("glossary: term {}", terms.size() + 1);
      if (!pair.is_array() || pair.size() != 2) {
        throw DataError(fmt::format("{}: not a pair; {}", place, kExpected));
      }
      terms.push_back(term_of(pair[0], pair[1], place));
    }
  } else if (!value.is_null()) {
    throw DataError(fmt::format("glossary: {}", kExpected));
  }
  return terms.empty() ? nullptr : std::make_shared<const Glossary>(std::move(terms));
}

}  // namespace translate
