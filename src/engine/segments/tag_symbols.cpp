#include "segments/tag_symbols.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "core/utf8.h"
#include "segments/text_edits.h"

namespace translate {

namespace {

std::string opening_symbol(std::size_t tag) { return "<" + std::to_string(tag) + ">"; }
std::string closing_symbol(std::size_t tag) { return "</" + std::to_string(tag) + ">"; }

bool cross(const TaggedWords& one, const TaggedWords& other) {
  return !one.contains(other) && !other.contains(one) && !one.is_apart_from(other);
}

}  // namespace

std::vector<std::string> tag_symbols() {
  std::vector<std::string> symbols;
  for (std::size_t tag = 0; tag < kMostTags; ++tag) {
    symbols.push_back(opening_symbol(tag));
    symbols.push_back(closing_symbol(tag));
  }
  return symbols;
}

std::optional<TaggedWords> tagged_words(std::string_view text, const TextMark& mark) {
  const auto words = words_of(text);
  const auto first = std::ranges::upper_bound(words, mark.begin, {}, &TextMark::end);
  const auto end = std::ranges::lower_bound(first, words.end(), mark.end, {}, &TextMark::begin);
  if (first == end || is_blank(text.substr(mark.begin, mark.end - mark.begin))) {
    return std::nullopt;
  }
  return TaggedWords{.first = first - words.begin(), .last = end - words.begin() - 1};
}

std::string with_tag_symbols(std::string_view text, std::span<const TaggedWords> tags) {
  const auto words = words_of(text);
  std::vector<std::size_t> outer_first(tags.size());
  std::iota(outer_first.begin(), outer_first.end(), 0U);
  std::ranges::stable_sort(outer_first, std::greater(), [&](std::size_t i) { return tags[i].last - tags[i].first; });
  // Where several tags begin at one word, the outer one opens first; where several end, it closes last.
  std::vector<TextEdit> edits;
  for (const auto i : outer_first) {
    const auto place = bare_word(text, words[static_cast<std::size_t>(tags[i].first)]).begin;
    edits.push_back({.begin = place, .end = place, .text = opening_symbol(i)});
  }
  for (auto i = outer_first.rbegin(); i != outer_first.rend(); ++i) {
    const auto place = bare_word(text, words[static_cast<std::size_t>(tags[*i].last)]).end;
    edits.push_back({.begin = place, .end = place, .text = closing_symbol(*i)});
  }
  std::ranges::stable_sort(edits, {}, &TextEdit::begin);
  return edited(text, edits);
}

bool can_have_symbols(const TaggedWords& tag, std::span<const TaggedWords> others, std::int64_t words) {
  const bool is_whole = tag.first == 0 && tag.last == words - 1;
  return !is_whole && others.size() < kMostTags &&
         std::ranges::none_of(others, [&](const TaggedWords& other) { return cross(tag, other); });
}

std::vector<TaggedWords> tags_with_symbols(std::span<const TaggedWords> tags, std::int64_t words) {
  std::vector<TaggedWords> chosen;
  for (const auto& tag : tags) {
    if (can_have_symbols(tag, chosen, words)) {
      chosen.push_back(tag);
    }
  }
  return chosen;
}

namespace {

/// Takes the symbols for tags out of a text, and tells which words stood between them.
class SymbolRemoval {
 public:
  SymbolRemoval(std::string_view text, std::size_t tags) : text_(text) {
    for (std::size_t tag = 0; tag < tags; ++tag) {
      openings_.push_back(add(opening_symbol(tag)));
      closings_.push_back(add(closing_symbol(tag)));
    }
    std::ranges::sort(edits_, {}, &TextEdit::begin);
    take_needless_space();
  }

  [[nodiscard]] const std::vector<TextEdit>& edits() const { return edits_; }

  /// Returns the words of the text without symbols (`rest`) that stood between those of a tag; nothing if there are
  /// none, or if the text does not have the symbols once each.
  [[nodiscard]] std::optional<TaggedWords> words(std::size_t tag, std::string_view rest) const {
    const auto& opening = openings_[tag];
    const auto& closing = closings_[tag];
    if (!opening || !closing || *opening >= *closing) {
      return std::nullopt;
    }
    return tagged_words(rest,
                        {.begin = place_after_edits(edits_, *opening), .end = place_after_edits(edits_, *closing)});
  }

 private:
  /// Removes a symbol wherever it stands, and returns its place if that is the only one.
  std::optional<std::size_t> add(const std::string& symbol) {
    std::optional<std::size_t> place;
    std::size_t count = 0;
    for (auto at = text_.find(symbol); at != std::string_view::npos; at = text_.find(symbol, at + symbol.size())) {
      edits_.push_back({.begin = at, .end = at + symbol.size(), .text = ""});
      place = at;
      ++count;
    }
    return count == 1 ? place : std::nullopt;
  }

  /// Removes also the white space behind a symbol where there is other in front of it, or nothing.
  void take_needless_space() {
    bool has_space = true;  // in front of what comes next, or nothing
    std::size_t at = 0;
    for (auto& edit : edits_) {
      edit.begin = std::max(edit.begin, at);
      if (edit.begin > at) {
        has_space = !trailing_space(text_.substr(at, edit.begin - at)).empty();
      }
      if (has_space) {
        edit.end += leading_space(text_.substr(edit.end)).size();
      }
      at = edit.end;
    }
    // At the end of the text it is the white space in front of the symbols.
    auto end = text_.size();
    for (auto edit = edits_.rbegin(); edit != edits_.rend() && edit->end == end; ++edit) {
      const auto before = std::next(edit) == edits_.rend() ? 0 : std::next(edit)->end;
      edit->begin -= trailing_space(text_.substr(before, edit->begin - before)).size();
      end = edit->begin;
    }
  }

  std::string_view text_;
  std::vector<TextEdit> edits_;
  std::vector<std::optional<std::size_t>> openings_;  ///< the symbols that stand there once
  std::vector<std::optional<std::size_t>> closings_;
};

/// A tag's words on both sides.
struct TagPairOfWords {
  TaggedWords source;
  TaggedWords target;
};

/// Lets an alignment follow tags.
class TaggedAlignment {
 public:
  TaggedAlignment(std::vector<TagPairOfWords> tags, std::int64_t target_words)
      : tags_(std::move(tags)), target_words_(target_words) {}

  [[nodiscard]] Alignment follow(const std::set<AlignmentPoint>& links) const {
    Alignment result;
    std::vector<bool> is_aligned(static_cast<std::size_t>(target_words_), false);
    for (const auto& link : links) {
      const bool agrees = std::ranges::all_of(tags_, [&](const TagPairOfWords& tag) {
        return tag.source.contains(link.source) == tag.target.contains(link.target);
      });
      if (agrees) {
        result.push_back(link);
        is_aligned[static_cast<std::size_t>(link.target)] = true;
      }
    }
    for (std::int64_t word = 0; word < target_words_; ++word) {
      if (const auto* tag = innermost_around(word); tag != nullptr && !is_aligned[static_cast<std::size_t>(word)]) {
        result.push_back({.source = source_for(word, *tag), .target = word});
      }
    }
    sort_alignment(result);
    return result;
  }

 private:
  [[nodiscard]] const TagPairOfWords* innermost_around(std::int64_t word) const {
    const TagPairOfWords* found = nullptr;
    for (const auto& tag : tags_) {
      const bool is_smaller =
          found == nullptr || tag.target.last - tag.target.first < found->target.last - found->target.first;
      if (tag.target.contains(word) && is_smaller) {
        found = &tag;
      }
    }
    return found;
  }

  /// Returns the word at the same share of the tag's source, or else the nearest one before or behind it that is in no
  /// other tag inside of this one.
  [[nodiscard]] std::int64_t source_for(std::int64_t word, const TagPairOfWords& tag) const {
    const auto size = tag.source.last - tag.source.first + 1;
    const auto wanted = tag.source.first + (word - tag.target.first) * size / (tag.target.last - tag.target.first + 1);
    const auto is_own = [&](std::int64_t source) {
      return std::ranges::all_of(tags_, [&](const TagPairOfWords& other) {
        return other.source.contains(source) == other.target.contains(word);
      });
    };
    for (std::int64_t distance = 0; distance < size; ++distance) {
      for (const auto source : {wanted - distance, wanted + distance}) {
        if (tag.source.contains(source) && is_own(source)) {
          return source;
        }
      }
    }
    return wanted;
  }

  std::vector<TagPairOfWords> tags_;
  std::int64_t target_words_;
};

}  // namespace

UntaggedTranslation without_tag_symbols(std::string_view translation, std::span<const TaggedWords> tags,
                                        std::span<const AlignmentPoint> alignment) {
  const SymbolRemoval removal(translation, tags.size());
  UntaggedTranslation result;
  result.text = edited(translation, removal.edits());
  result.words = words_after_edits(translation, removal.edits());
  std::set<AlignmentPoint> links;
  for (const auto& link : alignment) {
    if (link.target >= 0 && link.target < std::ssize(result.words)) {
      links.insert({.source = link.source, .target = result.words[static_cast<std::size_t>(link.target)]});
    }
  }
  std::vector<TagPairOfWords> found;
  for (std::size_t tag = 0; tag < tags.size(); ++tag) {
    if (const auto words = removal.words(tag, result.text)) {
      found.push_back({.source = tags[tag], .target = *words});
    }
  }
  result.alignment = TaggedAlignment(std::move(found), std::ssize(words_of(result.text))).follow(links);
  return result;
}

}  // namespace translate
