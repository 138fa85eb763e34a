#include "metrics/chrf.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/utf8.h"
#include "metrics/corpus_metric.h"
#include "metrics/ngrams.h"
#include "metrics/words.h"

namespace translate {

namespace {

constexpr std::size_t kCharacterOrder = 6;
constexpr double kBeta = 2.0;
constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// The symbols of one line that are compared.
struct Line {
  std::vector<std::uint32_t> characters;
  std::vector<std::uint32_t> words;  ///< numbers of words; none if words do not count
};

std::vector<std::uint32_t> code_points_without_spaces(std::string_view line) {
  std::vector<std::uint32_t> code_points;
  code_points.reserve(line.size());
  for (const char32_t code_point : decode_utf8(line)) {
    if (!is_unicode_space(code_point)) {
      code_points.push_back(code_point);
    }
  }
  return code_points;
}

bool is_one_character(std::string_view word) { return word.size() <= 4 && decode_utf8(word).size() == 1; }

/// The words of a line, with at most one ASCII punctuation mark split off from each.
std::vector<std::string> words_and_marks(std::string_view line) {
  std::vector<std::string> parts;
  for (const std::string_view word : split_at_spaces(line)) {
    const bool has_more = !is_one_character(word);
    if (has_more && kPunctuation.find(word.back()) != std::string_view::npos) {
      parts.emplace_back(word.substr(0, word.size() - 1));
      parts.emplace_back(word.substr(word.size() - 1));
    } else if (has_more && kPunctuation.find(word.front()) != std::string_view::npos) {
      parts.emplace_back(word.substr(0, 1));
      parts.emplace_back(word.substr(1));
    } else {
      parts.emplace_back(word);
    }
  }
  return parts;
}

Line prepare(std::string_view text, const ChrfOptions& options, TokenNumbers& token_numbers) {
  const std::string lower = options.lowercase ? to_lower_case(text) : std::string();
  const std::string_view line = options.lowercase ? lower : text;
  Line prepared{.characters = code_points_without_spaces(line), .words = {}};
  if (options.word_order > 0) {
    prepared.words = token_numbers.encode(words_and_marks(line));
  }
  return prepared;
}

void append_counts(const std::vector<NgramCounts>& orders, std::vector<double>& counts) {
  for (const NgramCounts& order : orders) {
    counts.push_back(order.reference > 0 ? static_cast<double>(order.hypothesis) : 0.0);
    counts.push_back(static_cast<double>(order.reference));
    counts.push_back(static_cast<double>(order.matches));
  }
}

}  // namespace

std::size_t Chrf::size() const { return 3 * (kCharacterOrder + options_.word_order); }

std::vector<double> Chrf::count(std::string_view hypothesis, SentenceReferences references) const {
  TokenNumbers token_numbers;
  const Line hypothesis_line = prepare(hypothesis, options_, token_numbers);
  std::vector<double> best;
  for (const std::string& reference : references) {
    const Line wanted = prepare(reference, options_, token_numbers);
    std::vector<double> counts;
    append_counts(count_ngrams(hypothesis_line.characters, wanted.characters, kCharacterOrder), counts);
    append_counts(count_ngrams(hypothesis_line.words, wanted.words, options_.word_order), counts);
    if (best.empty() || score(counts) > score(best)) {
      best = std::move(counts);
    }
  }
  return best;
}

std::vector<double> Chrf::pairwise_scores(std::span<const std::string> texts) const {
  TokenNumbers token_numbers;
  std::vector<Line> lines;
  for (const std::string& text : texts) {
    lines.push_back(prepare(text, options_, token_numbers));
  }
  std::vector<Symbols> characters;
  std::vector<Symbols> words;
  for (const Line& line : lines) {
    characters.emplace_back(line.characters);
    words.emplace_back(line.words);
  }
  auto orders = count_shared_ngrams(characters, kCharacterOrder);
  std::ranges::move(count_shared_ngrams(words, options_.word_order), std::back_inserter(orders));
  std::vector<double> scores;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      std::vector<NgramCounts> counts;
      for (const auto& [totals, matches] : orders) {
        counts.push_back({.hypothesis = totals[i], .reference = totals[j], .matches = matches[i * texts.size() + j]});
      }
      std::vector<double> sums;
      append_counts(counts, sums);
      scores.push_back(score(sums));
    }
  }
  return scores;
}

double Chrf::score(std::span<const double> sums) const {
  double precision = 0.0;
  double recall = 0.0;
  int orders = 0;
  for (std::size_t i = 0; i + 2 < sums.size(); i += 3) {
    if (sums[i] == 0.0 || sums[i + 1] == 0.0) {
      continue;
    }
    precision += sums[i + 2] / sums[i];
    recall += sums[i + 2] / sums[i + 1];
    ++orders;
  }
  if (precision + recall == 0.0) {
    return 0.0;
  }
  precision /= orders;
  recall /= orders;
  return 100.0 * ((1.0 + kBeta * kBeta) * precision * recall / (kBeta * kBeta * precision + recall));
}

std::string Chrf::settings() const {
  return std::string("case:") + (options_.lowercase ? "lc" : "mixed") +
         "|eff:yes|nc:6|nw:" + std::to_string(options_.word_order) +
         "|space:no|version:" + std::string(kSacrebleuVersion);
}

}  // namespace translate
