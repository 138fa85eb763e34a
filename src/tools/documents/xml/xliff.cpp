#include "documents/xml/xliff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/file_parts.h"
#include "documents/html/html_texts.h"
#include "documents/inline_tokens.h"
#include "documents/parts_document.h"
#include "documents/xml/xml_file.h"

namespace translate::tools {

namespace {

/// States of a target that has a text, but is still to be translated.
constexpr std::array<std::string_view, 5> kUntranslated = {"new", "needs-translation", "needs-l10n", "needs-adaptation",
                                                           "initial"};

InlineElement xliff_element(const XmlEvent& start) {
  const auto name = start.local_name();
  const std::string id(start.attribute("id"));
  const std::string pair(start.attribute("rid").empty() ? start.attribute("id") : start.attribute("rid"));
  using Kind = InlineElement::Kind;
  if (name == "bpt" || name == "bx") {
    return {.kind = Kind::kOpens, .pair = pair};
  }
  if (name == "ept" || name == "ex") {
    return {.kind = Kind::kCloses, .pair = pair};
  }
  if (name == "sc" || name == "sm") {
    return {.kind = Kind::kOpens, .pair = id};
  }
  if (name == "ec" || name == "em") {
    return {.kind = Kind::kCloses, .pair = std::string(start.attribute("startRef"))};
  }
  const bool is_kept =
      name == "mrk" && (start.attribute("translate") == "no" || start.attribute("mtype") == "protected");
  const bool is_code = name == "ph" || name == "it" || name == "x" || name == "cp";
  return {.kind = is_kept || is_code ? Kind::kWhole : Kind::kContent};
}

/// Makes the parts of a file, from its beginning to its end.
class XliffReader {
 public:
  explicit XliffReader(const DocumentInput& input) : input_(input), file_(input) {}

  TextParts read() {
    const auto& events = file_.events();
    const auto root =
        static_cast<std::size_t>(std::ranges::find(events, XmlEvent::Kind::kStart, &XmlEvent::kind) - events.begin());
    const auto version = events[root].attribute("version");
    if (events[root].local_name() != "xliff" || !(version.starts_with("1.") || version.starts_with("2."))) {
      throw document_error(input_, events[root].begin, "expected <xliff version=\"1.2\"> or 2.x");
    }
    is_second_ = version.starts_with("2.");
    if (is_second_) {
      set_target_language(root, "trgLang");
    }
    visit(root);
    return parts_.finish();
  }

 private:
  void replace_tag(const XmlEvent& start, const std::string& tag) {
    parts_.keep_to(start.begin);
    parts_.keep(tag);
    parts_.skip_to(start.end);
  }

  void set_target_language(std::size_t start, const char* attribute) {
    const auto& event = file_.events()[start];
    if (event.attribute(attribute).empty() && !input_.target_language.empty()) {
      const auto language = replace_all(input_.target_language, "_", "-");
      replace_tag(event, with_attribute(file_.bytes(event), attribute, language));
    }
  }

  /// An element whose content is looked at, up to `end`.
  struct Open {
    std::size_t end;
    bool translated;
  };

  /// Looks at all elements below `root`.
  void visit(std::size_t root) {
    const auto& events = file_.events();
    std::vector<Open> open = {{.end = events[root].partner, .translated = true}};
    for (auto i = root + 1; i < events[root].partner; ++i) {
      while (i > open.back().end) {
        open.pop_back();
      }
      const auto& event = events[i];
      if (event.kind != XmlEvent::Kind::kStart) {
        continue;
      }
      const auto translate = event.attribute("translate");
      const bool translated = translate.empty() ? open.back().translated : translate == "yes";
      const auto name = event.local_name();
      if (name == "file" && !is_second_) {
        set_target_language(i, "target-language");
      }
      if (name == (is_second_ ? "segment" : "trans-unit")) {
        if (translated && event.attribute("approved") != "yes") {
          add_unit(i);
        }
        i = event.partner - 1;
      }
      open.push_back({.end = event.partner, .translated = translated});
    }
  }

  /// Whether the unit still needs a translation. `target`: the index of its target, or 0.
  [[nodiscard]] bool is_untranslated(const XmlEvent& unit, std::size_t target) const {
    if (target == 0 || target + 1 == file_.events()[target].partner) {
      return true;
    }
    const auto state = is_second_ ? unit.attribute("state") : file_.events()[target].attribute("state");
    return std::ranges::find(kUntranslated, state) != kUntranslated.end() ||
           !file_.has_text(target, file_.events()[target].partner);
  }

  void add_unit(std::size_t unit) {
    const auto& events = file_.events();
    const auto source = file_.child(unit, "source");
    const auto target = file_.child(unit, "target");
    const auto text = is_second_ ? 0 : file_.child(unit, "seg-source");
    if (source == 0 || !file_.has_text(source, events[source].partner) ||
        file_.has_cdata(source, events[source].partner) || !is_untranslated(events[unit], target)) {
      return;
    }
    if (is_second_) {
      const auto tag = without_attribute(file_.bytes(events[unit]), "subState");
      replace_tag(events[unit], with_attribute(tag, "state", "translated"));
    }
    const auto from = text == 0 ? source : text;
    if (target == 0) {
      const auto& end = events[events[from].partner];
      parts_.keep_to(end.end);
      parts_.keep(indentation_before(file_.bytes(), events[source].begin));
      parts_.keep(start_tag("<" + prefix_of(events[source]) + "target>"));
      add_text(from, "</" + prefix_of(events[source]) + "target>");
      return;
    }
    const auto& end = events[events[target].partner];
    auto tag = std::string(file_.bytes(events[target]));
    if (tag.ends_with("/>")) {
      tag.replace(tag.size() - 2, 2, ">");
    }
    replace_tag(events[target], start_tag(tag));
    parts_.skip_to(end.end);
    add_text(from, "</" + events[target].name + ">");
  }

  static std::string prefix_of(const XmlEvent& event) {
    return event.name.substr(0, event.name.size() - event.local_name().size());
  }

  /// The start tag of a target that a machine has translated.
  [[nodiscard]] std::string start_tag(const std::string& tag) const {
    if (is_second_) {
      return tag;
    }
    return with_attribute(with_attribute(tag, "state", "needs-review-translation"), "state-qualifier", "leveraged-mt");
  }

  void add_text(std::size_t from, const std::string& end_tag) {
    std::vector<InlineToken> tokens;
    add_xml_tokens(file_, from + 1, file_.events()[from].partner, xliff_element, add_xml_text, tokens);
    add_inline_text(tokens, {.escape = escape_html}, parts_);
    parts_.keep(end_tag);
  }

  const DocumentInput& input_;
  XmlFile file_;
  bool is_second_ = false;
  FileParts parts_{file_.bytes()};
};

}  // namespace

std::unique_ptr<Document> read_xliff(DocumentInput input) {
  return std::make_unique<PartsDocument>(XliffReader(input).read());
}

}  // namespace translate::tools
