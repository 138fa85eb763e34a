#include "pairs/languages/pair_languages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "detection/language_detector.h"
#include "languages/language_codes.h"
#include "segments/seen_words.h"

namespace translate {

namespace {

/// Whether short texts of two languages are easily confused.
bool are_close(const std::string& one, const std::string& other) {
  constexpr std::array<std::string_view, 9> kGroups = {
      " da no nb nn sv ",    " hr sr bs sl ",    " id ms ", " cs sk ", " es gl pt ca oc it ",
      " ru uk be bg mk sr ", " af nl fy lb de ", " et fi ", " gd ga "};
  const auto is_in = [](std::string_view group, const std::string& language) {
    return group.find(" " + main_language(language) + " ") != std::string_view::npos;
  };
  return are_one_language(one, other) ||
         std::ranges::any_of(kGroups, [&](std::string_view group) { return is_in(group, one) && is_in(group, other); });
}

/// The language that all of a text surely is in; nothing if that is not known.
std::optional<std::string> sure_language(const LanguageDetector& detector, const std::string& text) {
  constexpr double kNearlyAll = 90.0;       // percent
  constexpr std::size_t kFewestBytes = 20;  // less is guessed
  if (text.size() < kFewestBytes) {
    return std::nullopt;
  }
  const auto found = detector.detect(text);
  const bool is_sure = !found.empty() && found.front().is_sure && found.front().confidence >= kNearlyAll;
  return is_sure ? std::optional(found.front().language) : std::nullopt;
}

/// Tells whether a side of pairs is in its language.
class SideCheck {
 public:
  SideCheck(std::string language, const LanguageDetector& detector)
      : language_(std::move(language)), detector_(detector) {}

  /// Learns the words of a text that surely is in the language.
  void learn(const std::string& text) {
    const auto found = sure_language(detector_, text);
    if (found && are_one_language(*found, language_)) {
      const auto words = word_hashes(text);
      words_.insert(words.begin(), words.end());
    }
  }

  /// The other language that a text is in; nothing if it is in its own, or that is not known.
  [[nodiscard]] std::optional<std::string> other_language(const std::string& text) const {
    auto found = sure_language(detector_, text);
    if (!found || are_close(*found, language_)) {
      return std::nullopt;
    }
    const auto words = word_hashes(text);
    const auto known = std::ranges::count_if(words, [this](std::uint64_t word) { return words_.contains(word); });
    return 2 * known >= std::ssize(words) ? std::nullopt : found;
  }

 private:
  std::string language_;
  const LanguageDetector& detector_;
  std::unordered_set<std::uint64_t> words_;  ///< their hashes
};

/// Tells whether pairs are in their languages.
class PairCheck {
 public:
  explicit PairCheck(LanguageCodes languages)
      : languages_(std::move(languages)),
        detector_({languages_.source, languages_.target}),
        source_(languages_.source, detector_),
        target_(languages_.target, detector_) {}

  void learn(const SentencePair& pair) {
    source_.learn(pair.source);
    target_.learn(pair.target);
  }

  [[nodiscard]] SideLanguages check(const SentencePair& pair) const {
    const auto source = source_.other_language(pair.source);
    const auto target = target_.other_language(pair.target);
    if (source && target && are_one_language(*source, languages_.target) &&
        are_one_language(*target, languages_.source)) {
      return SideLanguages::kSwapped;
    }
    return source || target ? SideLanguages::kOther : SideLanguages::kRight;
  }

 private:
  LanguageCodes languages_;
  LanguageDetector detector_;
  SideCheck source_;
  SideCheck target_;
};

}  // namespace

LanguageCheck check_of_languages(const TextLanguages& languages, const OpenPairs& open) {
  if (!languages.are_recognised) {
    return {};
  }
  constexpr std::size_t kEnough = 20'000;
  const auto check = std::make_shared<PairCheck>(languages.codes);
  SentencePair pair;
  for (const auto& source : open()) {
    for (std::size_t read = 0; read < kEnough && source->next(pair); ++read) {
      check->learn(pair);
    }
  }
  return [check](const SentencePair& checked) { return std::as_const(*check).check(checked); };
}

}  // namespace translate
