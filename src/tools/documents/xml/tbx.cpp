#include "documents/xml/tbx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/markup.h"
#include "documents/parts_document.h"
#include "documents/xml/xml_file.h"

namespace translate::tools {

namespace {

/// A term of a concept in one language.
struct TermText {
  std::string text;
  std::size_t begin = 0;  ///< the first byte of its <term>
  bool is_preferred = false;
  bool is_forbidden = false;
  bool is_of_code = false;  ///< its language is the very code that is wanted, with script and region
};

/// "en-us" of "en_US".
std::string plain_code(std::string_view code) { return ascii_lower(replace_all(code, "_", "-")); }

/// Returns a text with runs of white space as single spaces, and none around it.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_html_space(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  line.erase(line.ends_with(' ') ? line.size() - 1 : line.size());
  return line;
}

/// Reads the concepts of a file, from its beginning to its end.
class TbxReader {
 public:
  explicit TbxReader(const DocumentInput& input)
      : input_(input),
        file_(input),
        source_(plain_code(input.source_language)),
        target_(plain_code(input.target_language)) {}

  std::vector<PlacedTerm> read() {
    const auto& events = file_.events();
    const auto root =
        static_cast<std::size_t>(std::ranges::find(events, XmlEvent::Kind::kStart, &XmlEvent::kind) - events.begin());
    const auto text = file_.child(root, "text");
    const auto body = text == 0 ? 0 : file_.child(text, "body");
    if ((name_of(root) != "martif" && name_of(root) != "tbx") || body == 0) {
      throw error(root, "expected TBX: <martif> or <tbx>, with a <text> that has a <body>");
    }
    for (const auto entry : file_.children(body)) {
      if (name_of(entry) == "termEntry" || name_of(entry) == "conceptEntry") {
        add_concept(entry);
      }
    }
    if (terms_.empty() && !languages_.empty()) {
      throw DataError(
          fmt::format("{}: no concept has a term in {} and one in {} that may be used; the file has terms in {}; "
                      "expected both languages of the model",
                      input_.name, input_.source_language, input_.target_language, fmt::join(languages_, ", ")));
    }
    return std::move(terms_);
  }

 private:
  [[nodiscard]] std::string_view name_of(std::size_t start) const { return file_.events()[start].local_name(); }

  [[nodiscard]] DataError error(std::size_t start, std::string_view problem) const {
    return document_error(input_, file_.events()[start].begin, problem);
  }

  void add_concept(std::size_t entry) {
    std::vector<TermText> sources;
    std::vector<TermText> targets;
    for (const auto section : file_.children(entry)) {
      if (name_of(section) != "langSet" && name_of(section) != "langSec") {
        continue;
      }
      const auto code = plain_code(language_of(file_.events()[section]));
      if (code.empty()) {
        throw error(section, fmt::format("<{}> has no xml:lang; expected the language of its terms, such as \"{}\"",
                                         name_of(section), input_.source_language));
      }
      languages_.insert(code);
      if (primary_language(code) == primary_language(source_)) {
        add_terms(section, code == source_, sources);
      }
      if (primary_language(code) == primary_language(target_)) {
        add_terms(section, code == target_, targets);
      }
    }
    std::erase_if(targets, &TermText::is_forbidden);
    if (targets.empty()) {
      return;
    }
    const auto& best = *std::ranges::min_element(
        targets, {}, [](const TermText& term) { return std::pair(!term.is_of_code, !term.is_preferred); });
    for (const auto& source : sources) {
      check(source, "source");
      check(best, "target");
      terms_.push_back({.term = {.source = source.text, .target = best.text}, .line = line_of(source.begin)});
    }
  }

  /// Adds the terms of a <langSet> or <langSec>.
  void add_terms(std::size_t section, bool is_of_code, std::vector<TermText>& terms) const {
    for (const auto group : file_.children(section)) {
      if (name_of(group) == "tig" || name_of(group) == "ntig" || name_of(group) == "termSec") {
        terms.push_back(term_of(group));
        terms.back().is_of_code = is_of_code;
      }
    }
  }

  /// Returns the term of a <tig>, <ntig> or <termSec>: the term and its notes may lie in groups of their own.
  [[nodiscard]] TermText term_of(std::size_t group) const {
    const auto& events = file_.events();
    TermText result;
    bool has_term = false;
    for (auto i = group + 1; i < events[group].partner; ++i) {
      if (events[i].kind != XmlEvent::Kind::kStart) {
        continue;
      }
      if (!has_term && name_of(i) == "term") {
        has_term = true;
        result.text = text_of(i);
        result.begin = events[i].begin;
      }
      const auto note = name_of(i) == "termNote" ? events[i].attribute("type") : name_of(i);
      if (note == "administrativeStatus" || note == "normativeAuthorization") {
        add_status(text_of(i), result);
      }
    }
    if (!has_term) {
      throw error(group, fmt::format("<{}> has no <term>; expected one with the text of a term", name_of(group)));
    }
    return result;
  }

  static void add_status(std::string_view status, TermText& term) {
    status = status.substr(0, status.find("-admn-sts"));
    term.is_preferred = term.is_preferred || status == "preferredTerm";
    term.is_forbidden = term.is_forbidden || status == "deprecatedTerm" || status == "supersededTerm" ||
                        status == "forbiddenTerm" || status == "forbidden";
  }

  /// Returns the text inside of an element, without its markup.
  [[nodiscard]] std::string text_of(std::size_t start) const {
    std::string text;
    for (auto i = start; i < file_.events()[start].partner; ++i) {
      text += file_.events()[i].text;
    }
    return in_one_line(text);
  }

  void check(const TermText& term, std::string_view side) const {
    if (const auto fault = fault_of(term.text, side)) {
      throw document_error(input_, term.begin, fmt::format("{}; correct or remove this <term>", *fault));
    }
  }

  /// The line of a byte; those of later calls are not before it.
  std::size_t line_of(std::size_t at) {
    line_ += static_cast<std::size_t>(std::ranges::count(file_.bytes().substr(counted_, at - counted_), '\n'));
    counted_ = at;
    return line_;
  }

  const DocumentInput& input_;
  XmlFile file_;
  std::string source_;
  std::string target_;
  std::set<std::string> languages_;  ///< of the file, for messages
  std::vector<PlacedTerm> terms_;
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<PlacedTerm> read_tbx(const DocumentInput& input) { return TbxReader(input).read(); }

}  // namespace translate::tools
