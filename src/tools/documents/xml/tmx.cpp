#include "documents/xml/tmx.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/file_parts.h"
#include "documents/html/html_texts.h"
#include "documents/inline_tokens.h"
#include "documents/parts_document.h"
#include "documents/xml/xml_file.h"

namespace translate::tools {

namespace {

InlineElement tmx_element(const XmlEvent& start) {
  using Kind = InlineElement::Kind;
  if (start.name == "bpt" || start.name == "ept") {
    return {.kind = start.name == "bpt" ? Kind::kOpens : Kind::kCloses, .pair = std::string(start.attribute("i"))};
  }
  return {.kind = start.name == "hi" ? Kind::kContent : Kind::kWhole};
}

/// Makes the parts of a file, from its beginning to its end.
class TmxReader {
 public:
  explicit TmxReader(const DocumentInput& input) : input_(input), file_(input) {}

  TextParts read() {
    const auto& events = file_.events();
    const auto root =
        static_cast<std::size_t>(std::ranges::find(events, XmlEvent::Kind::kStart, &XmlEvent::kind) - events.begin());
    const auto header = file_.child(root, "header");
    const auto body = file_.child(root, "body");
    if (events[root].name != "tmx" || body == 0) {
      throw document_error(input_, events[root].begin, "expected <tmx> with a <body>");
    }
    source_ = primary_language(input_.source_language);
    if (source_.empty() && header != 0 && events[header].attribute("srclang") != "*all*") {
      source_ = primary_language(events[header].attribute("srclang"));
    }
    if (source_.empty() || input_.target_language.empty()) {
      throw DataError(
          fmt::format("{}: TMX needs the languages of the model, which does not name them; give "
                      "--target-language",
                      input_.name));
    }
    for (const auto unit : file_.children(body)) {
      if (events[unit].name == "tu") {
        add_unit(unit);
      }
    }
    return parts_.finish();
  }

 private:
  /// Returns the first <tuv> of a language; 0 if there is none.
  [[nodiscard]] std::size_t variant(std::size_t unit, const std::string& language) const {
    for (const auto i : file_.children(unit)) {
      const auto& event = file_.events()[i];
      if (event.name == "tuv" && primary_language(language_of(event)) == language) {
        return i;
      }
    }
    return 0;
  }

  void add_unit(std::size_t unit) {
    const auto& events = file_.events();
    const auto source = variant(unit, source_);
    const auto target = variant(unit, primary_language(input_.target_language));
    const auto from = source == 0 ? 0 : file_.child(source, "seg");
    if (from == 0 || !file_.has_text(from, events[from].partner) || file_.has_cdata(from, events[from].partner)) {
      return;
    }
    if (target == 0) {
      parts_.keep_to(events[events[source].partner].end);
      parts_.keep(indentation_before(file_.bytes(), events[source].begin));
      parts_.keep(fmt::format("<tuv xml:lang=\"{}\"><seg>", replace_all(input_.target_language, "_", "-")));
      add_text(from);
      parts_.keep("</seg></tuv>");
      return;
    }
    const auto empty = file_.child(target, "seg");
    if (empty != 0 && !file_.has_text(empty, events[empty].partner)) {
      auto tag = std::string(file_.bytes(events[empty]));
      if (tag.ends_with("/>")) {
        tag.replace(tag.size() - 2, 2, ">");
      }
      parts_.keep_to(events[empty].begin);
      parts_.keep(tag);
      add_text(from);
      parts_.keep("</seg>");
      parts_.skip_to(events[events[empty].partner].end);
    }
  }

  void add_text(std::size_t from) {
    std::vector<InlineToken> tokens;
    add_xml_tokens(file_, from + 1, file_.events()[from].partner, tmx_element, add_xml_text, tokens);
    add_inline_text(tokens, {.escape = escape_html}, parts_);
  }

  const DocumentInput& input_;
  XmlFile file_;
  std::string source_;
  FileParts parts_{file_.bytes()};
};

}  // namespace

std::unique_ptr<Document> read_tmx(DocumentInput input) {
  return std::make_unique<PartsDocument>(TmxReader(input).read());
}

}  // namespace translate::tools
