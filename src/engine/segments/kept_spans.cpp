#include "segments/kept_spans.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/utf8.h"
#include "segments/characters.h"
#include "segments/placeholders.h"
#include "segments/technical_names.h"
#include "text/word_characters.h"

namespace translate {

namespace {

/// True for a symbol, a mark of punctuation that is neither quote, dash nor bracket, or an unassigned character.
bool is_symbol(char32_t c) {
  constexpr std::uint32_t kSymbols = U_GC_S_MASK | U_GC_PO_MASK | U_GC_CN_MASK | U_GC_CO_MASK;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & kSymbols) != 0;
}

/// A variation selector, a joiner or a modifier, which belongs to the symbol before it.
bool continues_symbol(char32_t c) {
  const auto character = static_cast<UChar32>(c);
  return u_hasBinaryProperty(character, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0 ||
         u_hasBinaryProperty(character, UCHAR_EMOJI_MODIFIER) != 0;
}

class KeptTextFinder {
 public:
  KeptTextFinder(std::string_view segment, const CharacterCoverage& coverage, std::span<const KeptTerms* const> terms)
      : segment_(segment), coverage_(coverage), is_taken_(segment.size()) {
    std::ranges::copy_if(terms, std::back_inserter(terms_),
                         [](const KeptTerms* one) { return one != nullptr && !one->is_empty(); });
  }

  KeptText find() {
    while (at_ < segment_.size()) {
      const auto length = leading_space(segment_.substr(at_)).size();
      at_ += length;
      word_begin_ = at_;
      if (!skip_ordinary_word()) {
        scan_word();
      }
    }
    join_names();
    std::ranges::sort(result_.spans, {}, [](const KeptSpan& span) { return span.range; });
    std::ranges::sort(result_.pairs, {}, [](const TagPair& pair) { return pair.opening; });
    return std::move(result_);
  }

 private:
  using Kind = KeptSpan::Kind;
  static constexpr std::size_t kDeepest = 100;  ///< tags that are open at once

  /// Skips a word of ASCII letters, perhaps with a mark behind it, in which nothing can be kept but terms: most words
  /// are such, and this takes a tenth of the time.
  bool skip_ordinary_word() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view kMarks = ".,;!?";
    if (!terms_.empty()) {
      return false;
    }
    const auto letters_end = std::min(segment_.find_first_not_of(kLetters, at_), segment_.size());
    auto end = letters_end;
    if (end < segment_.size() && kMarks.find(segment_[end]) != std::string_view::npos) {
      ++end;
    }
    if (letters_end == at_ || (end < segment_.size() && segment_[end] != ' ')) {
      return false;
    }
    at_ = end;
    return true;
  }

  /// Finds what is kept of the word that begins here, and of those that a span with spaces reaches into.
  void scan_word() {
    while (at_ < segment_.size() && leading_space(segment_.substr(at_)).empty()) {
      if (scan_tag() || scan_name() || scan_symbol()) {
        continue;
      }
      at_ = next_character(segment_, at_);
    }
  }

  void add(std::size_t length, Kind kind) {
    result_.spans.push_back({.range = {.begin = at_, .end = at_ + length}, .kind = kind});
    take(length);
  }

  void take(std::size_t length) {
    const auto begin = is_taken_.begin() + static_cast<std::ptrdiff_t>(at_);
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(length), true);
    at_ += length;
  }

  bool scan_tag() {
    const auto tag = text_tag(segment_, at_);
    if (tag.length == 0) {
      return false;
    }
    if (tag.kind == TextTag::Kind::kOpening && open_.size() < kDeepest) {
      open_.push_back({.name = tag.name, .span = result_.spans.size()});
    } else if (tag.kind == TextTag::Kind::kClosing && close(tag)) {
      return true;
    }
    add(tag.length, Kind::kSymbol);
    return true;
  }

  /// Makes a pair of a closing tag and the last opening one of its name. Tags that were opened in between remain spans.
  bool close(const TextTag& tag) {
    const auto open = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& one) { return one.name == tag.name; });
    if (open == open_.rend()) {
      return false;
    }
    auto& opening = result_.spans[open->span];
    result_.pairs.push_back({.opening = opening.range, .closing = {.begin = at_, .end = at_ + tag.length}});
    opening.range.end = opening.range.begin;  // an empty span is none
    open_.erase(std::prev(open.base()), open_.end());
    take(tag.length);
    return true;
  }

  bool scan_name() {
    auto length = placeholder_length(segment_, at_);
    for (const auto* terms : terms_) {
      length = std::max(length, terms->match(segment_, at_));
    }
    if (length == 0 && at_ == word_begin_) {
      at_ += leading_quotes();
      length = name_length();
      if (length == 0) {
        return at_ != word_begin_;
      }
    }
    if (length == 0) {
      return false;
    }
    add(length, Kind::kName);
    return true;
  }

  /// Returns the bytes of punctuation in front of a name in the word that begins here; 0 if there is no name.
  [[nodiscard]] std::size_t leading_quotes() const {
    const auto word = word_at(at_);
    const auto name = without_punctuation(word);
    const auto offset = static_cast<std::size_t>(name.data() - word.data());
    return is_kept_word(name) ? encode_utf8(std::u32string_view(word).substr(0, offset)).size() : 0;
  }

  /// Returns the length of the name that the word that begins here is; 0 if it is none.
  [[nodiscard]] std::size_t name_length() const {
    const auto word = word_at(at_);
    const auto name = without_punctuation(word);
    if (name.data() == word.data() && is_kept_word(name)) {
      return encode_utf8(name).size();
    }
    constexpr std::u32string_view kEndings = U".,;:!?…";
    const auto end = word.find_last_not_of(kEndings);
    const auto without_stops = std::u32string_view(word).substr(0, end == std::u32string::npos ? 0 : end + 1);
    return is_technical_name(without_stops) ? encode_utf8(without_stops).size() : 0;  // "f()."
  }

  [[nodiscard]] std::u32string word_at(std::size_t begin) const {
    auto end = begin;
    while (end < segment_.size() && leading_space(segment_.substr(end)).empty()) {
      end = next_character(segment_, end);
    }
    return decode_utf8(segment_.substr(begin, end - begin));
  }

  /// True for a word that a translation keeps, but for placeholders and terms.
  [[nodiscard]] bool is_kept_word(std::u32string_view word) const {
    const bool is_tag = word.size() > 1 && (word.front() == U'#' || word.front() == U'@') && is_letter(word[1]) &&
                        std::ranges::all_of(word.substr(1), is_word_character);
    return is_tag || is_technical_name(word) ||
           std::ranges::any_of(word, [&](char32_t c) { return is_letter(c) && lacks_letter(c); });
  }

  /// The vocabulary of a lower-cased text has no capitals, but knows their words.
  [[nodiscard]] bool lacks_letter(char32_t c) const {
    return c >= 0x80 && !coverage_.has(c) && !coverage_.has(static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
  }

  bool scan_symbol() {
    auto end = at_;
    while (end < segment_.size()) {
      const auto after = next_character(segment_, end);
      const auto character = decode_utf8(segment_.substr(end, after - end)).front();
      const bool is_lacking = character >= 0x80 && is_symbol(character) && !coverage_.has(character);
      if (!is_lacking && (end == at_ || !continues_symbol(character))) {
        break;
      }
      end = after;
    }
    if (end == at_) {
      return false;
    }
    add(end - at_, Kind::kSymbol);
    return true;
  }

  /// Joins names between which there is neither white space nor a letter, and gives names inside of words the rest of
  /// the word.
  void join_names() {
    std::erase_if(result_.spans, [](const KeptSpan& span) { return span.range.begin == span.range.end; });
    std::vector<KeptSpan> joined;
    for (auto& span : result_.spans) {
      if (span.kind == Kind::kName) {
        widen(span.range);
        if (!joined.empty() && joined.back().kind == Kind::kName && touch(joined.back().range.end, span.range.begin)) {
          joined.back().range.end = std::max(joined.back().range.end, span.range.end);
          continue;
        }
      }
      joined.push_back(span);
    }
    result_.spans = std::move(joined);
  }

  /// Extends a range with word characters on both sides to the whole word.
  void widen(TextMark& range) const {
    const auto before = word_characters_before(range.begin);
    const auto after = word_characters_after(range.end);
    if (before > 0 && after > 0) {
      range.begin -= before;
      range.end += after;
    }
  }

  [[nodiscard]] std::size_t word_characters_before(std::size_t place) const {
    std::size_t begin = place;
    while (begin > 0) {
      auto start = begin - 1;
      while (start > 0 && is_continuation_byte(segment_[start])) {
        --start;
      }
      if (is_taken_[start] || !is_word_character(decode_utf8(segment_.substr(start, begin - start)).front())) {
        break;
      }
      begin = start;
    }
    return place - begin;
  }

  [[nodiscard]] std::size_t word_characters_after(std::size_t place) const {
    std::size_t end = place;
    while (end < segment_.size() && !is_taken_[end]) {
      const auto after = next_character(segment_, end);
      if (!is_word_character(decode_utf8(segment_.substr(end, after - end)).front())) {
        break;
      }
      end = after;
    }
    return end - place;
  }

  [[nodiscard]] bool touch(std::size_t end, std::size_t begin) const {
    if (begin <= end) {
      return true;
    }
    const auto between = decode_utf8(segment_.substr(end, begin - end));
    const auto parts = [](char32_t c) { return is_unicode_space(c) || is_letter(c); };
    const auto taken = is_taken_.begin();
    const bool has_tag = std::find(taken + static_cast<std::ptrdiff_t>(end), taken + static_cast<std::ptrdiff_t>(begin),
                                   true) != taken + static_cast<std::ptrdiff_t>(begin);
    return !has_tag && std::ranges::none_of(between, parts);
  }

  struct Open {
    std::string_view name;
    std::size_t span;  ///< index of the opening tag among the spans
  };

  std::string_view segment_;
  const CharacterCoverage& coverage_;
  std::vector<const KeptTerms*> terms_;
  std::size_t at_ = 0;
  std::size_t word_begin_ = 0;
  std::vector<Open> open_;
  std::vector<bool> is_taken_;  ///< the bytes of spans and tags
  KeptText result_;
};

}  // namespace

KeptText find_kept_text(std::string_view segment, const CharacterCoverage& coverage,
                        std::span<const KeptTerms* const> terms) {
  return KeptTextFinder(segment, coverage, terms).find();
}

}  // namespace translate
