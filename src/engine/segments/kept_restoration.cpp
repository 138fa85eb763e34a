#include "segments/kept_restoration.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/utf8.h"
#include "text/text_joining.h"

namespace translate {

namespace {

/// A range of the segment with text that the model does not read: all of it, or what stands at its two ends.
struct RemovedText {
  TextMark range;
  TextMark opening;
  TextMark closing;
};

std::string_view part_of(std::string_view text, const TextMark& range) {
  return text.substr(range.begin, range.end - range.begin);
}

/// Extends what is left out by the white space on one side, where that on the other is enough.
TextMark with_needless_space(std::string_view segment, TextMark range) {
  const auto before = trailing_space(segment.substr(0, range.begin)).size();
  const auto after = leading_space(segment.substr(range.end)).size();
  if (range.begin == before || (before > 0 && after > 0)) {
    range.end += after;
  } else if (before > 0) {
    range.begin -= before;
  }
  return range;
}

/// Returns the symbols and tags of a segment, each range before those that it contains.
std::vector<RemovedText> removed_texts(std::string_view segment, const KeptText& kept) {
  std::vector<RemovedText> result;
  for (const auto& span : kept.spans) {
    if (span.kind == KeptSpan::Kind::kSymbol) {
      auto range = with_needless_space(segment, span.range);
      range.begin = result.empty() ? range.begin : std::max(range.begin, result.back().range.end);
      result.push_back({.range = range, .opening = range, .closing = {.begin = range.end, .end = range.end}});
    }
  }
  for (const auto& pair : kept.pairs) {
    result.push_back({.range = {.begin = pair.opening.begin, .end = pair.closing.end},
                      .opening = pair.opening,
                      .closing = pair.closing});
  }
  std::ranges::sort(result, [](const RemovedText& one, const RemovedText& other) {
    return std::pair(one.range.begin, other.range.end) < std::pair(other.range.begin, one.range.end);
  });
  return result;
}

/// Sorts edits. Of two that both take away the white space between them, the second one leaves it to the first.
void make_disjoint(std::vector<TextEdit>& edits) {
  std::ranges::sort(edits, {}, &TextEdit::begin);
  for (std::size_t i = 1; i < edits.size(); ++i) {
    edits[i].begin = std::max(edits[i].begin, edits[i - 1].end);
  }
}

/// Fills in the marks of what is left out.
void add_marks(std::string_view segment, const std::vector<RemovedText>& ranges, TextToRead& read) {
  std::vector<std::size_t> around;
  for (const auto& range : ranges) {
    while (!around.empty() && ranges[around.back()].range.end <= range.range.begin) {
      around.pop_back();
    }
    read.marks.parents.push_back(around.empty() ? MarkTree::kText : static_cast<std::int64_t>(around.back()));
    around.push_back(read.marks.marks.size());
    read.marks.marks.push_back({.begin = place_after_edits(read.edits, range.opening.begin),
                                .end = place_after_edits(read.edits, range.closing.begin)});
    read.mark_texts.push_back({.before = std::string(part_of(segment, range.opening)),
                               .after = std::string(part_of(segment, range.closing))});
  }
}

/// Finds the places of names in a translation.
class NamePlaces {
 public:
  NamePlaces(const TextToRead& read, std::string_view translation, std::span<const AlignmentPoint> alignment)
      : read_(read),
        translation_(translation),
        words_(words_of(translation)),
        source_words_(words_of(read.text)),
        sources_of_(aligned_sources(alignment, source_words_.size(), words_.size())),
        is_replaced_(words_.size()) {}

  std::vector<TextEdit> edits() {
    std::vector<const KeptName*> not_copied;
    for (const auto& kept : read_.names) {
      if (!replace_stand_in(kept)) {
        not_copied.push_back(&kept);
      }
    }
    for (const auto* kept : not_copied) {
      if (!replace_word(*kept)) {
        insert(*kept);
      }
    }
    std::ranges::stable_sort(edits_, {}, [](const TextEdit& edit) { return std::pair(edit.begin, edit.end); });
    return std::move(edits_);
  }

 private:
  /// Puts the name into the place of its stand-in. If the model has written that again, it is taken away.
  bool replace_stand_in(const KeptName& kept) {
    const auto size = kept.stand_in.size();
    const auto first = size > 0 ? find_stand_in(translation_, kept.stand_in) : std::string_view::npos;
    if (first == std::string_view::npos) {
      return false;
    }
    edits_.push_back({.begin = first, .end = first + size, .text = kept.name});
    mark_replaced(first);
    for (auto at = find_stand_in(translation_, kept.stand_in, first + size); at != std::string_view::npos;
         at = find_stand_in(translation_, kept.stand_in, at + size)) {
      const auto space = trailing_space(translation_.substr(0, at)).size();
      edits_.push_back({.begin = std::max(at - space, first + size), .end = at + size, .text = ""});
      mark_replaced(at);
    }
    return true;
  }

  void mark_replaced(std::size_t place) {
    const auto word =
        std::ranges::find_if(words_, [&](const TextMark& one) { return place >= one.begin && place < one.end; });
    is_replaced_[static_cast<std::size_t>(word - words_.begin())] = true;
  }

  /// The number of words of the text that was read that end before a stand-in or the place of a name.
  [[nodiscard]] std::size_t words_before(const KeptName& kept) const {
    const auto word = std::ranges::upper_bound(source_words_, kept.range.begin, {}, &TextMark::end);
    return static_cast<std::size_t>(word - source_words_.begin());
  }

  /// Puts the name into the place of a word that is aligned to its stand-in alone.
  bool replace_word(const KeptName& kept) {
    if (kept.stand_in.empty()) {
      return false;
    }
    const auto source = words_before(kept);
    for (std::size_t word = 0; word < words_.size(); ++word) {
      const auto& sources = sources_of_[word];
      const auto core = bare_word(translation_, words_[word]);
      if (sources.size() == 1 && sources.front() == source && !is_replaced_[word]) {
        is_replaced_[word] = true;
        edits_.push_back({.begin = core.begin, .end = core.end, .text = kept.name});
        return true;
      }
    }
    return false;
  }

  /// Puts the name behind the word that is aligned to the nearest word in front of it; without one, at the beginning.
  void insert(const KeptName& kept) {
    // A name that was left out of a word, such as "cat" in "cat.", stood behind it.
    const auto first = words_before(kept) + (kept.stand_in.empty() && touches_word(kept.range.begin) ? 1 : 0);
    for (auto source = first; source-- > 0;) {
      for (auto word = words_.size(); word-- > 0;) {
        if (std::ranges::find(sources_of_[word], source) == sources_of_[word].end()) {
          continue;
        }
        const auto place = bare_word(translation_, words_[word]).end;
        edits_.push_back({.begin = place, .end = place, .text = spaced(translation_.substr(0, place), kept.name)});
        return;
      }
    }
    const auto space = translation_.empty() ? std::string_view() : space_between(kept.name, translation_);
    edits_.push_back({.begin = 0, .end = 0, .text = kept.name + std::string(space)});
  }

  /// True if a place of the text that was read is inside of a word.
  [[nodiscard]] bool touches_word(std::size_t place) const {
    return std::ranges::any_of(source_words_,
                               [&](const TextMark& word) { return word.begin < place && place < word.end; });
  }

  static std::string spaced(std::string_view before, const std::string& name) {
    return std::string(space_between(before, name)) + name;
  }

  const TextToRead& read_;
  std::string_view translation_;
  std::vector<TextMark> words_;
  std::vector<TextMark> source_words_;
  std::vector<std::vector<std::size_t>> sources_of_;  ///< the aligned words of the source, for each of the translation
  std::vector<bool> is_replaced_;                     ///< of the words of the translation
  std::vector<TextEdit> edits_;
};

/// Joins edits of names and insertions of marks, in the order of their places. A mark inside of what a name replaces
/// moves to its nearer side.
std::vector<TextEdit> joined(const std::vector<TextEdit>& names, std::vector<TextEdit> marks) {
  for (auto& mark : marks) {
    for (const auto& name : names) {
      if (mark.begin > name.begin && mark.begin < name.end) {
        const bool is_nearer_to_end = name.end - mark.begin <= mark.begin - name.begin;
        mark.begin = mark.end = is_nearer_to_end ? name.end : name.begin;
      }
    }
  }
  std::vector<TextEdit> result;
  auto name = names.begin();
  for (auto& mark : marks) {
    while (name != names.end() && (name->end <= mark.begin && name->begin < mark.begin)) {
      result.push_back(*name++);
    }
    result.push_back(std::move(mark));
  }
  result.insert(result.end(), name, names.end());
  return result;
}

}  // namespace

TextToRead text_to_read(std::string_view segment, const KeptText& kept, const StandIns& stand_ins,
                        std::span<const TextEdit> annotations) {
  TextToRead read;
  const auto names = static_cast<std::size_t>(
      std::ranges::count(kept.spans, KeptSpan::Kind::kName, [](const KeptSpan& span) { return span.kind; }));
  auto chosen = stand_ins.choose(names, segment);
  chosen.resize(names);
  for (const auto& span : kept.spans) {
    if (span.kind == KeptSpan::Kind::kName) {
      auto& stand_in = chosen[read.names.size()];
      const auto range = stand_in.empty() ? with_needless_space(segment, span.range) : span.range;
      read.edits.push_back({.begin = range.begin, .end = range.end, .text = stand_in});
      auto name = span.text.empty() ? std::string(part_of(segment, span.range)) : span.text;
      read.names.push_back({.range = range, .stand_in = std::move(stand_in), .name = std::move(name)});
    }
  }
  const auto ranges = removed_texts(segment, kept);
  for (const auto& range : ranges) {
    read.edits.push_back({.begin = range.opening.begin, .end = range.opening.end, .text = ""});
    if (range.closing.begin < range.closing.end) {
      read.edits.push_back({.begin = range.closing.begin, .end = range.closing.end, .text = ""});
    }
  }
  std::ranges::copy(annotations, std::back_inserter(read.edits));
  make_disjoint(read.edits);
  read.text = edited(segment, read.edits);
  for (auto& name : read.names) {
    const auto begin = place_after_edits(read.edits, name.range.begin);
    name.range = {.begin = begin, .end = begin + name.stand_in.size()};
  }
  add_marks(segment, ranges, read);
  return read;
}

std::vector<TextEdit> restoring_edits(const TextToRead& read, std::string_view translation,
                                      std::span<const AlignmentPoint> alignment) {
  auto names = NamePlaces(read, translation, alignment).edits();
  if (read.marks.marks.empty()) {
    return names;
  }
  const auto projected = project_marks(read.text, read.marks, translation, alignment);
  return joined(names, mark_insertions(projected, read.mark_texts));
}

}  // namespace translate
