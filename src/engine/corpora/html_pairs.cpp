#include "corpora/html_pairs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "segments/characters.h"
#include "segments/tag_symbols.h"

namespace translate {

namespace {

/// Elements without symbols: the empty ones, and those whose text is not translated.
constexpr std::string_view kWithoutSymbols[] = {"area",  "base", "br",   "col",   "embed",  "hr",     "img",
                                                "input", "link", "meta", "param", "source", "track",  "wbr",
                                                "code",  "kbd",  "samp", "var",   "pre",    "script", "style"};

/// Returns the length of the tag or comment at the beginning of a text; 0 if there is none.
std::size_t tag_length(std::string_view text) {
  constexpr std::string_view kComment = "<!--";
  if (text.starts_with(kComment)) {
    const auto end = text.find("-->", kComment.size());
    return end == std::string_view::npos ? 0 : end + 3;
  }
  const auto name = text.substr(0, 2) == "</" ? 2U : 1U;
  if (name >= text.size() || !is_ascii_letter(static_cast<unsigned char>(text[name]))) {
    return 0;
  }
  char quote = 0;
  for (std::size_t i = name; i < text.size(); ++i) {
    if (quote != 0) {
      quote = text[i] == quote ? '\0' : quote;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i + 1;
    }
  }
  return 0;
}

std::string name_of(std::string_view tag) {
  tag.remove_prefix(tag.starts_with("</") ? 2 : 1);
  return ascii_lower(tag.substr(0, tag.find_first_of(" \t\n\r/>")));
}

/// Returns the character of a reference, which is given without `&` and `;`; nothing if it is unknown.
std::optional<char32_t> referred_character(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, char32_t>, 6> kNames = {
      {{"amp", U'&'}, {"lt", U'<'}, {"gt", U'>'}, {"quot", U'"'}, {"apos", U'\''}, {"nbsp", U'\u00a0'}}};
  const auto* const known = std::ranges::find(kNames, name, [](const auto& one) { return one.first; });
  if (known != kNames.end()) {
    return known->second;
  }
  if (!name.starts_with('#')) {
    return std::nullopt;
  }
  name.remove_prefix(1);
  const bool is_hexadecimal = name.starts_with('x') || name.starts_with('X');
  name.remove_prefix(is_hexadecimal ? 1 : 0);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, is_hexadecimal ? 16 : 10);
  const bool is_scalar = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (name.empty() || error != std::errc() || end != name.data() + name.size() || !is_scalar) {
    return std::nullopt;
  }
  return static_cast<char32_t>(code);
}

/// An element with its content, as bytes of the text without tags.
struct Element {
  std::string name;
  TextMark content;
};

/// A line of HTML without its tags.
struct PlainText {
  std::string text;
  std::vector<Element> elements;  ///< by their places, outer ones first
};

class HtmlLine {
 public:
  explicit HtmlLine(std::string_view html) : html_(html) {}

  PlainText read() {
    while (at_ < html_.size()) {
      if (!read_tag() && !read_reference()) {
        plain_.text += html_[at_++];
      }
    }
    std::ranges::stable_sort(plain_.elements, {}, [](const Element& element) {
      return std::pair(element.content.begin, ~element.content.end);
    });
    return std::move(plain_);
  }

 private:
  bool read_tag() {
    const auto length = html_[at_] == '<' ? tag_length(html_.substr(at_)) : 0;
    if (length == 0) {
      return false;
    }
    const auto tag = html_.substr(at_, length);
    at_ += length;
    auto name = name_of(tag);
    const bool is_left_out = tag.starts_with("<!") || tag.ends_with("/>") ||
                             std::ranges::find(kWithoutSymbols, name) != std::end(kWithoutSymbols);
    if (is_left_out) {
      return true;
    }
    if (!tag.starts_with("</")) {
      open_.push_back({.name = std::move(name), .content = {.begin = plain_.text.size(), .end = 0}});
      return true;
    }
    const auto open = std::find_if(open_.rbegin(), open_.rend(), [&](const Element& one) { return one.name == name; });
    if (open != open_.rend()) {
      plain_.elements.push_back(
          {.name = std::move(name), .content = {.begin = open->content.begin, .end = plain_.text.size()}});
      open_.erase(std::next(open).base(), open_.end());
    }
    return true;
  }

  bool read_reference() {
    constexpr std::size_t kLongest = 10;  // "&#x10ffff;"
    const auto end = html_[at_] == '&' ? html_.substr(at_, kLongest).find(';') : std::string_view::npos;
    const auto character =
        end == std::string_view::npos ? std::nullopt : referred_character(html_.substr(at_ + 1, end - 1));
    if (!character) {
      return false;
    }
    plain_.text += encode_utf8(std::u32string(1, *character));
    at_ += end + 1;
    return true;
  }

  std::string_view html_;
  std::size_t at_ = 0;
  PlainText plain_;
  std::vector<Element> open_;
};

/// Returns for each element of the source the one of the target that it belongs to; nothing if the sides have different
/// ones.
std::optional<std::vector<std::size_t>> partners(const PlainText& source, const PlainText& target) {
  std::vector<std::size_t> result;
  std::vector<bool> is_taken(target.elements.size(), false);
  for (const auto& element : source.elements) {
    std::size_t partner = 0;
    while (partner < is_taken.size() && (is_taken[partner] || target.elements[partner].name != element.name)) {
      ++partner;
    }
    if (partner == is_taken.size()) {
      return std::nullopt;
    }
    is_taken[partner] = true;
    result.push_back(partner);
  }
  return result.size() == is_taken.size() ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace

void read_html(std::string& source, std::string& target) {
  auto from = HtmlLine(source).read();
  auto to = HtmlLine(target).read();
  std::vector<TaggedWords> of_source;
  std::vector<TaggedWords> of_target;
  if (const auto places = partners(from, to)) {
    const auto source_words = std::ssize(words_of(from.text));
    const auto target_words = std::ssize(words_of(to.text));
    for (std::size_t i = 0; i < places->size(); ++i) {
      const auto one = tagged_words(from.text, from.elements[i].content);
      const auto other = tagged_words(to.text, to.elements[(*places)[i]].content);
      if (one && other && can_have_symbols(*one, of_source, source_words) &&
          can_have_symbols(*other, of_target, target_words)) {
        of_source.push_back(*one);
        of_target.push_back(*other);
      }
    }
  }
  source = with_tag_symbols(from.text, of_source);
  target = with_tag_symbols(to.text, of_target);
}

}  // namespace translate
