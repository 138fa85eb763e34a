#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <utility>

#include "translate/core/utf8.h"
#include "translate/serving/character_references.h"
#include "translate/serving/text_parts.h"

namespace translate {
namespace {

constexpr std::string_view kUnspoken[] = {"script", "style", "code", "pre", "kbd", "samp", "var"};
constexpr std::string_view kRaw[] = {"script", "style"};  // no markup inside but their own end
constexpr std::string_view kVoid[] = {"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                                      "input", "link", "meta", "param", "source", "track", "wbr"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Whether markup begins at text[at], a '<': else it is a character like others ("2 < 3").
bool begins_markup(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) {
    return false;
  }
  const char next = text[at + 1];
  return is_letter(next) || next == '!' || next == '?' ||
         (next == '/' && at + 2 < text.size() && is_letter(text[at + 2]));
}

/// The length of the markup that `text` begins with: a comment, or a tag to its '>' outside quotes.
std::size_t markup_length(std::string_view text) {
  if (text.starts_with("<!--")) {
    const auto end = text.find("-->", 4);
    return end == std::string_view::npos ? text.size() : end + 3;
  }
  char quote = '\0';
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '>') {
      return i + 1;
    } else if ((c == '"' || c == '\'') && text[i - 1] == '=') {
      quote = c;
    }
  }
  return text.size();
}

/// A tag, read.
struct Tag {
  std::string name;  ///< in small letters; empty for comments and declarations
  bool closes = false;
  bool is_empty = false;  ///< has no content: <br>, <x/>
  bool untranslated = false;
};

Tag read_tag(std::string_view markup) {
  Tag tag;
  tag.closes = markup.starts_with("</");
  markup.remove_prefix(tag.closes ? 2 : 1);
  const auto* end = std::ranges::find_if(markup, [](char c) { return is_space(c) || c == '/' || c == '>'; });
  if (markup.empty() || !is_letter(markup.front())) {
    return tag;
  }
  tag.name = lower(markup.substr(0, static_cast<std::size_t>(end - markup.begin())));
  tag.is_empty = is_one_of(tag.name, kVoid) || markup.ends_with("/>");
  const auto attributes = lower(markup.substr(tag.name.size()));
  const auto has = [&](std::string_view attribute) { return attributes.find(attribute) != std::string::npos; };
  tag.untranslated =
      is_one_of(tag.name, kUnspoken) || has(" translate=\"no\"") || has(" translate='no'") || has(" translate=no");
  return tag;
}

/// Takes an HTML text apart, from the front.
class HtmlSplitter {
 public:
  explicit HtmlSplitter(std::string_view html) : rest_(html) {}

  TextParts split() {
    while (!rest_.empty()) {
      if (rest_.front() == '<' && begins_markup(rest_, 0)) {
        take_markup();
      } else {
        take_text();
      }
    }
    return std::move(parts_);
  }

 private:
  void keep(std::size_t length) {
    parts_.between.back() += rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  void take_markup() {
    const auto length = markup_length(rest_);
    const auto tag = read_tag(rest_.substr(0, length));
    keep(length);
    if (silent_.empty()) {
      if (tag.untranslated && !tag.closes && !tag.is_empty) {
        silent_ = tag.name;
        depth_ = 1;
      }
    } else if (tag.name == silent_ && !tag.is_empty) {
      depth_ += tag.closes ? -1 : 1;
      silent_ = depth_ == 0 ? "" : silent_;
    }
    if (is_one_of(silent_, kRaw)) {
      const auto end = "</" + silent_;
      const auto equal = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
      keep(static_cast<std::size_t>(std::search(rest_.begin(), rest_.end(), end.begin(), end.end(), equal) -
                                    rest_.begin()));
    }
  }

  void take_text() {
    std::size_t end = rest_.find('<', 1);
    while (end != std::string_view::npos && !begins_markup(rest_, end)) {
      end = rest_.find('<', end + 1);
    }
    const auto run = rest_.substr(0, end);
    if (!silent_.empty() || is_blank(decode_character_references(run))) {
      keep(run.size());
      return;
    }
    keep(static_cast<std::size_t>(std::ranges::find_if_not(run, is_space) - run.begin()));
    auto text = rest_.substr(0, run.size() - static_cast<std::size_t>(rest_.data() - run.data()));
    while (is_space(text.back())) {
      text.remove_suffix(1);
    }
    std::string words;  // white space of the source file means one space
    for (const char c : text) {
      if (!is_space(c)) {
        words += c;
      } else if (words.back() != ' ') {
        words += ' ';
      }
    }
    parts_.texts.push_back(decode_character_references(words));
    parts_.between.emplace_back();
    rest_.remove_prefix(text.size());
  }

  std::string_view rest_;
  TextParts parts_{.texts = {}, .between = {""}};
  std::string silent_;  ///< the element inside which nothing is translated
  int depth_ = 0;       ///< elements of that name around here
};

}  // namespace

TextParts split_html(std::string_view html) { return HtmlSplitter(html).split(); }

}  // namespace translate
