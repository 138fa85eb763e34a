#include "eval/robustness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "core/random_numbers.h"
#include "eval/inserted_text.h"
#include "modifiers/pair_changes.h"
#include "modifiers/typos.h"
#include "segments/final_stop.h"

namespace translate::tools {

namespace {

constexpr double kWordsWithTypos = 0.05;
constexpr std::uint64_t kTypoSeed = 47;

std::string without_stop(const std::string& text) {
  return final_mark_of(text) == FinalMark::kStop ? with_final_mark(text, FinalMark::kNone) : text;
}

/// A source with its language and its place in the text.
struct Sentence {
  const std::string& source;
  const std::string& language;
  std::size_t number;
};

/// Returns a source in another letter case; there is no target to change.
template <typename Change>
std::string in_other_case(const Sentence& sentence, const Change& change) {
  const PairText pair{.source = sentence.source, .target = {}};
  const auto changed = change(pair, LanguageCodes{.source = sentence.language, .target = {}});
  return changed ? changed->source : sentence.source;
}

std::string in_capitals(const Sentence& sentence) {
  return in_other_case(sentence, [](const PairText& pair, const LanguageCodes& languages) {
    return raised_pair(pair, LetterCase::kUpper, languages);
  });
}

std::string in_title_case(const Sentence& sentence) {
  return in_other_case(sentence, [](const PairText& pair, const LanguageCodes& languages) {
    return raised_pair(pair, LetterCase::kTitle, languages, /*short_words=*/true);
  });
}

std::string in_small_letters(const Sentence& sentence) { return in_other_case(sentence, &lower_case_pair); }

std::string without_final_stop(const Sentence& sentence) { return without_stop(sentence.source); }

std::string with_some_typos(const Sentence& sentence) {
  std::mt19937_64 random(mix_seeds({kTypoSeed, sentence.number}));
  return with_typos(sentence.source, {.words = kWordsWithTypos, .language = sentence.language}, random);
}

/// How both sides are compared.
enum class Comparing { kAsTheyAre, kWithoutCase, kWithoutStop };

struct Change {
  const char* name;
  const char* label;
  std::string (*apply)(const Sentence& sentence);
  Comparing comparing;
};

constexpr Change kChanges[] = {
    {"upper_case", "upper case", &in_capitals, Comparing::kWithoutCase},
    {"title_case", "title case", &in_title_case, Comparing::kWithoutCase},
    {"lower_case", "lower case", &in_small_letters, Comparing::kWithoutCase},
    {"no_final_stop", "no final stop", &without_final_stop, Comparing::kWithoutStop},
    {"typos", "typos", &with_some_typos, Comparing::kAsTheyAre},
};

double bleu_of(const std::vector<std::string>& hypotheses, References references, const MetricOptions& options) {
  const auto metrics = make_metrics(options);
  const auto counts = count_all(metrics, {.source = {}, .hypotheses = hypotheses, .references = references});
  return score_all(metrics, counts, references.size()).front().score;
}

/// Removes the stops where the source had one.
void remove_stops(const RobustnessText& text, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (final_mark_of(text.source[i]) == FinalMark::kStop) {
      lines[i] = without_stop(lines[i]);
    }
  }
}

RobustnessResult measure(const Change& change, const RobustnessText& text, const TranslateLines& translate,
                         MetricOptions bleu) {
  std::vector<std::string> source;
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < text.source.size(); ++i) {
    source.push_back(change.apply({.source = text.source[i], .language = text.languages[i], .number = i}));
    changed += source.back() == text.source[i] ? 0 : 1;
  }
  auto plain = text.hypotheses;
  auto references = text.references;
  if (change.comparing == Comparing::kWithoutStop) {  // of the text as it is, too: a stop is an easy match
    remove_stops(text, plain);
    std::ranges::for_each(references, [&](auto& list) { remove_stops(text, list); });
  }
  bleu.lowercase = bleu.lowercase || change.comparing == Comparing::kWithoutCase;
  const double score = bleu_of(translate(source), references, bleu);
  return {.name = change.name,
          .label = change.label,
          .bleu = score,
          .loss = bleu_of(plain, references, bleu) - score,
          .changed = changed};
}

/// A change that puts something into the sources that a translation keeps.
struct Insertion {
  const char* name;
  InsertedText (*apply)(const std::string& source, std::size_t number);
  bool is_at_end;  ///< references get it at the same end; otherwise translations are compared without it
};

constexpr Insertion kInsertions[] = {{"noise", &with_noise_beside, true},
                                     {"placeholders", &with_placeholder_inside, false}};

RobustnessResult measure(const Insertion& insertion, const RobustnessText& text, const TranslateLines& translate,
                         const MetricOptions& bleu) {
  std::vector<InsertedText> inserted;
  std::vector<std::string> source;
  for (const auto& line : text.source) {
    inserted.push_back(insertion.apply(line, inserted.size()));
    source.push_back(inserted.back().source);
  }
  auto translations = translate(source);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    kept += is_kept(inserted[i], translations[i]) ? 1 : 0;
    if (!insertion.is_at_end) {
      translations[i] = without_text(inserted[i], translations[i]);
    }
  }
  auto plain = text.hypotheses;
  auto references = text.references;
  const auto add_text = [&](std::vector<std::string>& lines) {
    std::ranges::transform(inserted, lines, lines.begin(), &with_same_text);
  };
  if (insertion.is_at_end) {
    add_text(plain);
    std::ranges::for_each(references, add_text);
  }
  const double score = bleu_of(translations, references, bleu);
  return {.name = insertion.name,
          .label = insertion.name,
          .bleu = score,
          .loss = bleu_of(plain, references, bleu) - score,
          .changed = std::ssize(source),
          .kept = static_cast<double>(kept) / static_cast<double>(std::max<std::size_t>(source.size(), 1))};
}

}  // namespace

std::vector<RobustnessResult> measure_robustness(const RobustnessText& text, const TranslateLines& translate,
                                                 const MetricOptions& bleu) {
  auto options = bleu;
  options.names = {"bleu"};
  std::vector<RobustnessResult> results;
  results.push_back({.name = "plain",
                     .label = "plain",
                     .bleu = bleu_of(text.hypotheses, text.references, options),
                     .loss = 0.0,
                     .changed = 0});
  for (const auto& change : kChanges) {
    results.push_back(measure(change, text, translate, options));
  }
  for (const auto& insertion : kInsertions) {
    results.push_back(measure(insertion, text, translate, options));
  }
  return results;
}

std::string robustness_table(std::span<const RobustnessResult> results) {
  if (results.empty()) {
    return "";
  }
  std::string text =
      fmt::format("\n{:<17} {:>9} {:>8} {:>15} {:>9}\n", "robustness", "BLEU", "loss", "changed sources", "kept");
  for (const auto& result : results) {
    text += fmt::format("{:<17} {:>9.2f}", result.label, result.bleu);
    if (result.name != "plain") {
      text += fmt::format(" {:>8.2f} {:>15}", result.loss, result.changed);
    }
    text += result.kept ? fmt::format(" {:>7.1f} %\n", 100.0 * *result.kept) : "\n";
  }
  return text;
}

nlohmann::ordered_json robustness_json(std::span<const RobustnessResult> results) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& result : results) {
    auto& row = list.emplace_back(nlohmann::ordered_json{
        {"change", result.name}, {"bleu", result.bleu}, {"loss", result.loss}, {"changed_sources", result.changed}});
    if (result.kept) {
      row["kept"] = *result.kept;
    }
  }
  return list;
}

}  // namespace translate::tools
