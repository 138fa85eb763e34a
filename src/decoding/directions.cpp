#include "decoding/directions.h"

#include <utility>

#include "data/language_names.h"

namespace translate {

std::vector<Direction> directions(const Config& config, const Tokenizer& source) {
  auto codes = language_codes(config.data);
  std::vector<Direction> found;
  for (const auto& language : source.tagged_languages()) {
    found.push_back({.source = codes.source, .target = language, .tag = language_tag_of(language)});
  }
  if (found.empty()) found.push_back({.source = std::move(codes.source), .target = std::move(codes.target), .tag = ""});
  return found;
}

}  // namespace translate
