#include "documents/html/html_document.h"

#include <fmt/format.h>
#include <unicode/uloc.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/html/html_attributes.h"
#include "documents/html/html_references.h"
#include "documents/html/html_texts.h"
#include "documents/html/inline_marks.h"
#include "documents/inline_tokens.h"

namespace translate::tools {

namespace {

std::string escape_double_quoted(std::string_view text) { return replace_all(escape_html(text), "\"", "&quot;"); }
std::string escape_single_quoted(std::string_view text) { return replace_all(escape_html(text), "'", "&#39;"); }
std::string in_double_quotes(std::string text) { return '"' + text + '"'; }

bool is_right_to_left(const std::string& language) { return uloc_isRightToLeft(language.c_str()) != 0; }

/// A page whose tags, with the texts of attributes in them, lie between `between` and are split again when the
/// attributes are translated.
class HtmlDocument : public Document {
 public:
  explicit HtmlDocument(const DocumentInput& input)
      : html_(input.bytes), editable_(input.editable), content_(join_inline_texts(split_html(html_, editable_))) {
    read_attributes(input);
    texts_ = content_.texts;
    texts_.insert(texts_.end(), attributes_.texts.begin(), attributes_.texts.end());
  }

  [[nodiscard]] const std::vector<std::string>& texts() const override { return texts_; }
  [[nodiscard]] std::vector<std::vector<TextMark>> marks() const override {
    auto ranges = content_.marked_ranges();
    ranges.resize(texts_.size());  // attributes have none
    return ranges;
  }

  [[nodiscard]] std::string write(std::span<const AlignedText> translations) const override {
    const auto of_content = translations.first(content_.texts.size());
    const auto html = join_parts(attributes_, translations.subspan(of_content.size()));
    if (html == html_) {
      return join_parts(content_, of_content);
    }
    const auto content =
        join_inline_texts(split_html(html, editable_));  // the same texts, between tags that have changed
    if (content.texts != content_.texts) {
      throw DataError("the page cannot be put together: its attributes change its structure");
    }
    return join_parts(content, of_content);
  }

 private:
  /// A change of the tags.
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string bytes = {};
    bool is_text = false;  ///< a value to translate
  };

  void read_attributes(const DocumentInput& input) {
    const auto found = find_html_attributes(html_, editable_);
    std::vector<Edit> edits;
    for (const auto& text : found.texts) {
      edits.push_back({.begin = text.begin, .end = text.end, .is_text = true});
    }
    if (!input.target_language.empty()) {
      follow_language(input, found, edits);
    }
    std::ranges::sort(edits, {}, &Edit::begin);
    std::size_t at = 0;
    for (const auto& edit : edits) {
      attributes_.keep(std::string_view(html_).substr(at, edit.begin - at));
      at = edit.end;
      if (edit.is_text) {
        add_value(edit);
      } else {
        attributes_.keep(edit.bytes);
      }
    }
    attributes_.keep(std::string_view(html_).substr(at));
  }

  static void follow_language(const DocumentInput& input, const HtmlAttributes& found, std::vector<Edit>& edits) {
    for (const auto& language : found.languages) {
      edits.push_back({.begin = language.begin,
                       .end = language.end,
                       .bytes = in_double_quotes(replace_all(input.target_language, "_", "-"))});
    }
    const bool is_rtl = is_right_to_left(input.target_language);
    const std::string direction = is_rtl ? "rtl" : "ltr";
    if (!found.directions.empty()) {
      const auto& old = found.directions.front();
      if (ascii_lower(old.value) != direction && ascii_lower(old.value) != "auto") {
        edits.push_back({.begin = old.begin, .end = old.end, .bytes = in_double_quotes(direction)});
      }
    } else if (is_rtl && found.html_name_end > 0) {
      edits.push_back({.begin = found.html_name_end, .end = found.html_name_end, .bytes = " dir=\"rtl\""});
    }
  }

  /// Adds the value of an attribute, whose quotes stay.
  void add_value(const Edit& edit) {
    const char quote = html_[edit.begin];
    const bool has_quotes = (quote == '"' || quote == '\'') && edit.end - edit.begin >= 2;
    const auto begin = edit.begin + (has_quotes ? 1 : 0);
    const auto end = edit.end - (has_quotes ? 1 : 0);
    TextWriting writing{.escape = has_quotes && quote == '\'' ? escape_single_quoted : escape_double_quoted};
    if (!has_quotes) {
      writing.finish = in_double_quotes;
    }
    std::vector<InlineToken> tokens;
    const auto value = decode_references(html_, begin, end);
    add_string_tokens(value, 0, value.text().size(), tokens);
    attributes_.keep(std::string_view(html_).substr(edit.begin, begin - edit.begin));
    add_inline_text(tokens, writing, attributes_);
    attributes_.keep(std::string_view(html_).substr(end, edit.end - end));
  }

  std::string html_;
  EditableRegions editable_;
  TextParts content_;
  TextParts attributes_{.texts = {}, .between = {""}};
  std::vector<std::string> texts_;
};

}  // namespace

std::unique_ptr<Document> read_html_document(DocumentInput input) {
  try {
    return std::make_unique<HtmlDocument>(input);
  } catch (const HtmlTooDeep& error) {
    throw DataError(fmt::format("{}: {}", input.name, error.what()));
  }
}

}  // namespace translate::tools
