#include "languages/language_tags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace translate {

std::string with_language_tag(std::string_view target_language, std::string source) {
  if (target_language.empty() || is_blank(source)) {
    return source;
  }
  return fmt::format("{} {}", language_tag_of(target_language), source);
}

std::vector<std::string> language_tags(const DataOptions& data) {
  std::vector<std::string> tags;
  for (const CorpusFiles& files : data.train) {
    if (files.target_language.empty()) {
      continue;
    }
    auto tag = language_tag_of(files.target_language);
    if (std::ranges::find(tags, tag) == tags.end()) {
      tags.push_back(std::move(tag));
    }
  }
  return tags;
}

namespace {

[[noreturn]] void refuse(const char* key, const CorpusFiles& files, const Tokenizer& source) {
  std::vector<std::string> known;
  for (const auto& language : source.tagged_languages()) {
    known.push_back(language_tag_of(language));
  }
  throw ConfigError(fmt::format(
      "{}: the tag {} of the corpus {} is not in the vocabulary of the source's tokenizer, which {}: name a language "
      "that it has, add the tag to the tokenizer, or let translate-train build one from data.train (without "
      "tokenizer.source_model and --init)",
      key, language_tag_of(files.target_language), files.source.string(),
      known.empty() ? "has no tags" : fmt::format("has {}", fmt::join(known, ", "))));
}

}  // namespace

void check_language_tags(const DataOptions& data, const Tokenizer& source) {
  const auto check = [&](const char* key, const std::vector<CorpusFiles>& corpora) {
    for (const CorpusFiles& files : corpora) {
      if (files.target_language.empty()) {
        continue;
      }
      const auto tag = language_tag_of(files.target_language);
      if (source.language_tag(tag) != tag) {
        refuse(key, files, source);
      }
    }
  };
  check("data.train", data.train);
  check("data.validation", data.validation.files);
  check("data.test", data.test);
}

}  // namespace translate
