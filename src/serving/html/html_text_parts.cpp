#include <algorithm>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "serving/html/html_texts.h"
#include "serving/html/text_parts.h"

namespace translate {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns the length of the tag at the beginning of `text`: up to its '>' outside quotes.
std::size_t tag_length(std::string_view text) {
  char quote = '\0';
  char before = '\0';  // skipped white space
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '>') {
      return i + 1;
    } else if ((c == '"' || c == '\'') && before == '=') {
      quote = c;
    }
    before = is_html_space(c) ? before : c;
  }
  return text.size();
}

/// Returns the length of the markup at the beginning of `text`, which begins with '<'; 0 if that is an ordinary
/// character ("2 < 3").
std::size_t markup_length(std::string_view text) {
  const auto to = [&](std::string_view mark) {
    const auto end = text.find(mark);
    return end == std::string_view::npos ? text.size() : end + mark.size();
  };
  const char next = text.size() > 1 ? text[1] : '\0';
  if (is_letter(next) || (next == '/' && text.size() > 2 && is_letter(text[2]))) {
    return tag_length(text);
  }
  if (text.starts_with("<!--")) {
    return to("-->");
  }
  if (text.starts_with("<![CDATA[")) {
    return to("]]>");
  }
  return next == '!' || next == '?' || (next == '/' && text.size() > 2) ? to(">") : 0;
}

/// Splits an HTML text, from the front.
class HtmlSplitter {
 public:
  explicit HtmlSplitter(std::string_view html) : html_(html) {}

  TextParts split() {
    for (const auto& text : html_texts(html_)) {
      if (text.translated) {
        keep_to(text.begin);
        take(text);
      }
    }
    keep_to(html_.size());
    return std::move(parts_);
  }

 private:
  void keep_to(std::size_t end) {
    parts_.between.back() += html_.substr(at_, end - at_);
    at_ = end;
  }

  /// Takes the text, without the tags in it that the parser ignored.
  void take(const HtmlText& text) {
    for (auto i = text.begin; i < text.end; ++i) {
      if (!text.has_tags || html_[i] != '<') {
        continue;
      }
      if (const auto length = markup_length(html_.substr(i, text.end - i)); length > 0) {
        take_run(i);
        keep_to(i + length);
        i += length - 1;
      }
    }
    take_run(text.end);
  }

  /// Takes the text up to `end`; white space around it stays.
  void take_run(std::size_t end) {
    const auto run = html_.substr(at_, end - at_);
    const auto* const first = std::ranges::find_if_not(run, is_html_space);
    keep_to(at_ + static_cast<std::size_t>(first - run.begin()));
    auto words = html_.substr(at_, end - at_);
    while (!words.empty() && is_html_space(words.back())) {
      words.remove_suffix(1);
    }
    TextSpacing spacing;
    auto text = decode_html(take_spacing(words, spacing));
    std::ranges::replace_if(text, is_html_space, ' ');  // from references
    if (!is_blank(text)) {
      parts_.texts.push_back(std::move(text));
      parts_.spacing.push_back(std::move(spacing));
      parts_.between.emplace_back();
      at_ += words.size();
    }
    keep_to(end);
  }

  std::string_view html_;
  std::size_t at_ = 0;  ///< everything before it is in parts_
  TextParts parts_{.texts = {}, .between = {""}, .spacing = {}};
};

}  // namespace

TextParts split_html(std::string_view html) { return HtmlSplitter(html).split(); }

}  // namespace translate
