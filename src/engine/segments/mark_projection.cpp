#include "segments/mark_projection.h"

#include <algorithm>
#include <optional>

#include "core/utf8.h"

namespace translate {

namespace {

/// A range of words: [begin, end).
struct WordRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] bool contains(std::size_t word) const { return word >= begin && word < end; }
};

std::string_view part(std::string_view text, const TextMark& range) {
  return text.substr(range.begin, range.end - range.begin);
}

/// The marks that each mark contains, and at the end those that none contains.
std::vector<std::vector<std::size_t>> children_of(const MarkTree& tree) {
  std::vector<std::vector<std::size_t>> children(tree.marks.size() + 1);
  for (std::size_t i = 0; i < tree.marks.size(); ++i) {
    const auto parent =
        tree.parents[i] == MarkTree::kText ? tree.marks.size() : static_cast<std::size_t>(tree.parents[i]);
    children[parent].push_back(i);
  }
  return children;
}

class Projection {
 public:
  Projection(std::string_view source, const MarkTree& marks, std::string_view translation,
             std::span<const AlignmentPoint> alignment)
      : source_(source),
        translation_(translation),
        marks_(marks),
        children_(children_of(marks)),
        source_words_(words_of(source)),
        words_(words_of(translation)),
        sources_of_(aligned_sources(alignment, source_words_.size(), words_.size())),
        places_(marks.marks.size()),
        result_(marks) {}

  MarkTree project() {
    place_children(marks_.marks.size(), {.begin = 0, .end = source_.size()}, {.begin = 0, .end = words_.size()},
                   {.begin = 0, .end = translation_.size()});
    return std::move(result_);
  }

 private:
  using Index = std::size_t;

  /// The words of the source that a mark covers, at least in part.
  [[nodiscard]] WordRange covered(const TextMark& mark) const {
    const auto first = std::ranges::upper_bound(source_words_, mark.begin, {}, &TextMark::end);
    const auto last = std::ranges::lower_bound(first, source_words_.end(), mark.end, {}, &TextMark::begin);
    return {.begin = static_cast<std::size_t>(first - source_words_.begin()),
            .end = static_cast<std::size_t>(last - source_words_.begin())};
  }

  /// Places the children of a mark, which covers these bytes of the source, in words and bytes of the translation.
  void place_children(Index parent, const TextMark& in_source, const WordRange& words, const TextMark& bytes) {
    std::vector<Index> ranges;
    std::vector<Index> places;
    for (const auto i : children_[parent]) {
      (is_blank(part(source_, marks_.marks[i])) ? places : ranges).push_back(i);
    }
    choose_words(ranges, covered(in_source), words);
    for (const auto i : ranges) {
      result_.marks[i] = bytes_of(marks_.marks[i], places_[i], bytes);
    }
    for (const auto i : ranges) {
      share_words(i, ranges);
      place_children(i, marks_.marks[i], places_[i], result_.marks[i]);
    }
    for (const auto i : places) {
      result_.marks[i] = place_of(marks_.marks[i], in_source, bytes, ranges);
      place_children(i, marks_.marks[i], {}, result_.marks[i]);
    }
  }

  /// Puts a mark, because there are too few words, into the innermost mark around the same word that a sibling in front
  /// of it has brought.
  void share_words(Index mark, const std::vector<Index>& siblings) {
    const auto has_same_word = [&](Index other) {
      return other < mark && places_[mark].size() > 0 && places_[other].contains(places_[mark].begin);
    };
    const auto sibling = std::ranges::find_if(siblings, has_same_word);
    if (sibling == siblings.end()) {
      return;
    }
    auto around = *sibling;
    while (true) {
      const auto& inside = children_[around];
      const auto inner = std::ranges::find_if(inside, has_same_word);
      if (inner == inside.end()) {
        break;
      }
      around = *inner;
    }
    result_.parents[mark] = static_cast<std::int64_t>(around);
    result_.marks[mark] = result_.marks[around];
    children_[around].push_back(mark);
  }

  /// Chooses words for each of several siblings.
  void choose_words(const std::vector<Index>& siblings, const WordRange& of_parent, const WordRange& words) {
    std::vector<bool> free(words_.size(), false);
    std::fill(free.begin() + static_cast<std::ptrdiff_t>(words.begin),
              free.begin() + static_cast<std::ptrdiff_t>(words.end), true);
    std::vector<Index> left;
    auto order = siblings;
    std::ranges::stable_sort(order, std::greater(), [&](Index i) { return covered(marks_.marks[i]).size(); });
    for (const auto i : order) {
      const auto mark = covered(marks_.marks[i]);
      if (siblings.size() == 1 && mark.size() == of_parent.size()) {
        places_[i] = words;
        return;
      }
      if (const auto best = best_range(mark, words, free)) {
        take(i, *best, free);
      } else {
        left.push_back(i);
      }
    }
    std::ranges::sort(left);
    for (const auto i : left) {
      const auto mark = covered(marks_.marks[i]);
      if (const auto word = aligned_word(mark, words, free)) {
        take(i, {.begin = *word, .end = *word + 1}, free);
        continue;
      }
      const auto wanted = wanted_word(mark, of_parent, words);
      const auto given = given_word(i, siblings, wanted, free);
      take(i, given ? *given : nearest_range(wanted, words, free), free);
    }
  }

  void take(Index mark, const WordRange& range, std::vector<bool>& free) {
    places_[mark] = range;
    std::fill(free.begin() + static_cast<std::ptrdiff_t>(range.begin),
              free.begin() + static_cast<std::ptrdiff_t>(range.end), false);
  }

  /// The share of a word's aligned words of the source that are in a mark, which covers these words; 0 if it has none.
  [[nodiscard]] double share_inside(std::size_t word, const WordRange& mark) const {
    const auto& sources = sources_of_[word];
    const auto inside = std::ranges::count_if(sources, [&](std::size_t from) { return mark.contains(from); });
    return sources.empty() ? 0.0 : static_cast<double>(inside) / static_cast<double>(sources.size());
  }

  /// Returns the free range that has most of what is aligned to a mark, and little else: that with the highest F1
  /// score, 2 found / (size + aligned), against the words that are aligned to it. Returns nothing if no free word has
  /// more than half of its links inside the mark. A quotient of sums has its maximum where the maximum of `2 found -
  /// score (size + aligned)` is 0: the score is that of the range with this maximum by the last score (Dinkelbach
  /// 1967), which takes some iterations.
  [[nodiscard]] std::optional<WordRange> best_range(const WordRange& mark, const WordRange& words,
                                                    const std::vector<bool>& free) const {
    constexpr double kMost = 0.5;
    constexpr double kLeast = 1e-9;
    constexpr int kMostIterations = 20;
    double aligned = 0.0;
    bool has_most = false;
    for (auto word = words.begin; word < words.end; ++word) {
      aligned += share_inside(word, mark);
      has_most = has_most || (free[word] && share_inside(word, mark) > kMost);
    }
    std::optional<WordRange> best;
    double score = 0.0;
    for (int i = 0; has_most && i < kMostIterations; ++i) {
      const auto range = range_by(score, mark, words, free);
      double found = 0.0;
      double size = 0.0;
      for (auto word = range.begin; word < range.end; ++word) {
        found += share_inside(word, mark);
        size += size_of(word);
      }
      const auto of_range = 2.0 * found / (size + aligned);
      if (of_range <= score + kLeast) {
        break;
      }
      score = of_range;
      best = range;
    }
    return best;
  }

  [[nodiscard]] double size_of(std::size_t word) const {
    constexpr double kOfUnaligned = 0.25;  // articles and the like are often not aligned
    return sources_of_[word].empty() ? kOfUnaligned : 1.0;
  }

  /// Returns the free range with the greatest sum of `2 found - score size` (Kadane's algorithm).
  [[nodiscard]] WordRange range_by(double score, const WordRange& mark, const WordRange& words,
                                   const std::vector<bool>& free) const {
    constexpr double kLeast = 1e-9;
    WordRange best;
    double best_sum = kLeast;
    double sum = 0.0;
    auto begin = words.begin;
    for (auto word = words.begin; word < words.end; ++word) {
      sum = free[word] ? sum + 2.0 * share_inside(word, mark) - score * size_of(word) : 0.0;
      if (sum > best_sum) {
        best_sum = sum;
        best = {.begin = begin, .end = word + 1};
      }
      if (!free[word] || sum <= 0.0) {
        sum = 0.0;
        begin = word + 1;
      }
    }
    return best;
  }

  /// Returns the free word of which most is aligned to those of the mark; nothing if none is aligned to them.
  [[nodiscard]] std::optional<std::size_t> aligned_word(const WordRange& mark, const WordRange& words,
                                                        const std::vector<bool>& free) const {
    std::optional<std::size_t> best;
    for (auto word = words.begin; word < words.end; ++word) {
      const auto is_aligned = [&](std::size_t from) { return mark.contains(from); };
      if (free[word] && std::ranges::any_of(sources_of_[word], is_aligned) &&
          (!best || share_inside(word, mark) > share_inside(*best, mark))) {
        best = word;
      }
    }
    return best;
  }

  /// Returns the word at the same share of the translation as the mark of the source.
  [[nodiscard]] static std::size_t wanted_word(const WordRange& mark, const WordRange& of_parent,
                                               const WordRange& words) {
    const auto before = static_cast<double>(mark.begin - std::min(of_parent.begin, mark.begin));
    const double share = of_parent.size() == 0 ? 0.0 : before / static_cast<double>(of_parent.size());
    const auto wanted = words.begin + static_cast<std::size_t>(share * static_cast<double>(words.size()));
    return std::min(wanted, std::max(words.end, std::size_t{1}) - 1);
  }

  /// Has a sibling give up a word for a mark that no free word is aligned to: the one nearest to `wanted` that has
  /// several gives its first or its last one, as the two marks follow each other in the source. Returns nothing if
  /// there is none, or if a free word is about as near.
  std::optional<WordRange> given_word(Index mark, const std::vector<Index>& siblings, std::size_t wanted,
                                      const std::vector<bool>& free) {
    const auto distance = [&](const WordRange& range) {
      const auto behind = wanted - std::min(range.end - 1, wanted);
      return std::max(behind, range.begin - std::min(range.begin, wanted));
    };
    std::optional<Index> nearest;
    for (const auto i : siblings) {
      if (places_[i].size() > 1 && (!nearest || distance(places_[i]) < distance(places_[*nearest]))) {
        nearest = i;
      }
    }
    if (!nearest) {
      return std::nullopt;
    }
    auto& range = places_[*nearest];
    const auto least = distance(range) + 1;
    for (auto word = wanted - std::min(wanted, least); word <= wanted + least && word < free.size(); ++word) {
      if (free[word]) {
        return std::nullopt;
      }
    }
    const auto given = mark < *nearest ? range.begin++ : --range.end;
    return WordRange{.begin = given, .end = given + 1};
  }

  /// Returns the free word nearest to the one that is wanted, or that one if none is free.
  [[nodiscard]] static WordRange nearest_range(std::size_t wanted, const WordRange& words,
                                               const std::vector<bool>& free) {
    if (words.size() == 0) {
      return words;
    }
    std::optional<std::size_t> nearest;
    const auto distance = [&](std::size_t word) { return word > wanted ? word - wanted : wanted - word; };
    for (auto word = words.begin; word < words.end; ++word) {
      if (free[word] && (!nearest || distance(word) < distance(*nearest))) {
        nearest = word;
      }
    }
    const auto chosen = nearest.value_or(wanted);
    return {.begin = chosen, .end = chosen + 1};
  }

  /// Returns the bytes of words that a mark covers, with the punctuation and the spaces of the source's mark.
  [[nodiscard]] TextMark bytes_of(const TextMark& mark, const WordRange& words, const TextMark& within) const {
    if (words.size() == 0) {
      return {.begin = within.begin, .end = within.begin};
    }
    TextMark bytes{.begin = words_[words.begin].begin, .end = words_[words.end - 1].end};
    const auto inside = part(source_, mark);
    const auto content = trimmed(inside);
    if (leading_punctuation(content) == 0) {
      bytes.begin += leading_punctuation(part(translation_, bytes));
    }
    if (trailing_punctuation(content) == 0) {
      bytes.end -= trailing_punctuation(part(translation_, bytes));
    }
    if (!trailing_space(inside).empty()) {
      bytes.end += leading_space(translation_.substr(bytes.end)).size();
    }
    if (!leading_space(inside).empty()) {
      bytes.begin -= trailing_space(translation_.substr(0, bytes.begin)).size();
    }
    bytes.begin = std::clamp(bytes.begin, within.begin, within.end);
    bytes.end = std::clamp(bytes.end, bytes.begin, within.end);
    return bytes;
  }

  /// Returns the place of a mark without words.
  [[nodiscard]] TextMark place_of(const TextMark& mark, const TextMark& in_source, const TextMark& within,
                                  const std::vector<Index>& siblings) const {
    const auto before = covered({.begin = in_source.begin, .end = mark.begin});
    const auto after = covered({.begin = mark.end, .end = in_source.end});
    std::size_t place = within.begin;
    if (after.size() == 0 && before.size() > 0) {
      place = within.end;
    } else if (before.size() > 0) {
      place = behind(before.end - 1, before, after, within);
      const bool has_space = !trailing_space(source_.substr(0, mark.begin)).empty();
      place += has_space ? leading_space(translation_.substr(place)).size() : 0;
    }
    for (const auto i : siblings) {  // not inside of a sibling
      const auto& other = result_.marks[i];
      if (place > other.begin && place < other.end) {
        place = marks_.marks[i].begin >= mark.begin ? other.begin : other.end;
      }
    }
    place = std::clamp(place, within.begin, within.end);
    return {.begin = place, .end = place};
  }

  /// Returns the end of the word of the translation that is aligned to a word of the source, or else the end of the
  /// word at the same share of the text.
  [[nodiscard]] std::size_t behind(std::size_t source_word, const WordRange& before, const WordRange& after,
                                   const TextMark& within) const {
    std::optional<std::size_t> found;
    std::size_t words = 0;
    std::size_t first = words_.size();
    for (std::size_t word = 0; word < words_.size(); ++word) {
      if (words_[word].begin < within.begin || words_[word].end > within.end) {
        continue;
      }
      first = std::min(first, word);
      ++words;
      if (std::ranges::find(sources_of_[word], source_word) != sources_of_[word].end()) {
        found = word;
      }
    }
    if (!found && words > 0) {
      const auto share = before.size() * words / (before.size() + after.size());
      found = first + (share > 0 ? share - 1 : 0);
    }
    return found ? words_[*found].end : within.begin;
  }

  std::string_view source_;
  std::string_view translation_;
  const MarkTree& marks_;
  std::vector<std::vector<Index>> children_;
  std::vector<TextMark> source_words_;
  std::vector<TextMark> words_;
  std::vector<std::vector<std::size_t>> sources_of_;  ///< the aligned words of the source, for each of the translation
  std::vector<WordRange> places_;                     ///< of each mark
  MarkTree result_;
};

/// Collects the insertions of the marks that `parent` contains, from the outermost inwards.
void add_insertions(const MarkTree& marks, const std::vector<std::vector<std::size_t>>& children, std::size_t parent,
                    std::span<const MarkText> texts, std::vector<TextEdit>& insertions) {
  auto inside = children[parent];
  std::ranges::stable_sort(inside, {}, [&](std::size_t i) { return marks.marks[i]; });
  for (const auto i : inside) {
    const auto& [begin, end] = marks.marks[i];
    insertions.push_back({.begin = begin, .end = begin, .text = texts[i].before});
    add_insertions(marks, children, i, texts, insertions);
    insertions.push_back({.begin = end, .end = end, .text = texts[i].after});
  }
}

}  // namespace

MarkTree project_marks(std::string_view source, const MarkTree& marks, std::string_view translation,
                       std::span<const AlignmentPoint> alignment) {
  return Projection(source, marks, translation, alignment).project();
}

std::vector<TextEdit> mark_insertions(const MarkTree& marks, std::span<const MarkText> texts) {
  std::vector<TextEdit> insertions;
  add_insertions(marks, children_of(marks), marks.marks.size(), texts, insertions);
  return insertions;
}

std::string insert_marks(std::string_view text, const MarkTree& marks, std::span<const MarkText> texts,
                         std::string (*escape)(std::string_view)) {
  std::string result;
  std::size_t at = 0;
  for (const auto& insertion : mark_insertions(marks, texts)) {
    if (insertion.begin > at) {
      result += escape(text.substr(at, insertion.begin - at));
      at = insertion.begin;
    }
    result += insertion.text;
  }
  return result + (at < text.size() ? escape(text.substr(at)) : "");
}

}  // namespace translate
