#include "decoding/glossary_file.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/utf8.h"
#include "corpora/corpus_reader.h"
#include "corpora/unpacked_file.h"
#include "segments/term_base.h"

namespace translate {

namespace {

/// Returns the term of a line, which is not blank.
GlossaryTerm parse_term(std::string_view line, const std::string& place) {
  const auto tab = line.find('\t');
  if (tab == std::string_view::npos) {
    throw DataError(fmt::format("{}: no tab; expected SOURCE TERM<TAB>TARGET TERM{}", place,
                                line.starts_with("<?xml") ? ", or TBX in a file whose name ends in .tbx" : ""));
  }
  const auto target = line.substr(tab + 1);
  GlossaryTerm term{.source = std::string(line.substr(0, tab)),
                    .target = std::string(target.substr(0, target.find('\t')))};
  if (const auto fault = fault_of(term)) {
    throw DataError(fmt::format("{}: {}; expected SOURCE TERM<TAB>TARGET TERM", place, *fault));
  }
  return term;
}

/// Notices terms that are there a second time with another target.
class OtherTargets {
 public:
  void look_at(const GlossaryTerm& term, std::size_t line) {
    const auto [place, is_new] = first_.try_emplace(term.source, First{.target = term.target, .line = line});
    if (is_new || place->second.target == term.target) {
      return;
    }
    if (count_++ == 0) {
      example_ = fmt::format("line {}: \"{}\" has another target than in line {}, which counts", line, term.source,
                             place->second.line);
    }
  }

  void warn(const std::filesystem::path& path) const {
    if (count_ > 0) {
      log_warning(fmt::format(
          "{}: {}{}", path.string(), example_,
          count_ > 1 ? fmt::format("; so {} {}", count_ > 2 ? "have" : "has", counted(count_ - 1, "other line")) : ""));
    }
  }

 private:
  struct First {
    std::string target;
    std::size_t line;
  };
  std::unordered_map<std::string, First> first_;
  std::int64_t count_ = 0;
  std::string example_;
};

/// A language as readers of files take it: empty if the model does not name it.
std::string named(const std::string& code, std::string_view unknown) { return code == unknown ? "" : code; }

std::vector<PlacedTerm> read_tbx_terms(const std::filesystem::path& path, const LanguageCodes& languages) {
  constexpr const char* kExpected = "a smaller file, or the terms as lines, SOURCE TERM<TAB>TARGET TERM";
  return read_term_base({.bytes = read_unpacked(path, kLargestDocument, kExpected),
                         .name = path.string(),
                         .source_language = named(languages.source, kUnknownSource),
                         .target_language = named(languages.target, kUnknownTarget)});
}

std::vector<PlacedTerm> read_line_terms(const std::filesystem::path& path) {
  std::vector<PlacedTerm> terms;
  std::size_t number = 0;
  for (const auto& line : read_lines(path)) {
    ++number;
    if (!is_blank(line)) {
      terms.push_back({.term = parse_term(line, fmt::format("{}: line {}", path.string(), number)), .line = number});
    }
  }
  return terms;
}

}  // namespace

std::shared_ptr<const Glossary> read_glossary(const std::filesystem::path& path, const LanguageCodes& languages) {
  std::vector<GlossaryTerm> terms;
  OtherTargets others;
  for (auto& [term, line] : is_term_base(path) ? read_tbx_terms(path, languages) : read_line_terms(path)) {
    others.look_at(term, line);
    terms.push_back(std::move(term));
  }
  others.warn(path);
  return std::make_shared<const Glossary>(std::move(terms));
}

}  // namespace translate
