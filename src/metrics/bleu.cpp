#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "core/error.h"
#include "core/utf8.h"
#include "metrics/corpus_metric.h"
#include "metrics/words.h"

namespace translate {

namespace {

// These functions work on bytes: all characters in the rules are ASCII, and no byte of a longer UTF-8 sequence is.

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_stop(char c) { return c == '.' || c == ','; }

/// True for ASCII punctuation and the space, without ' , - . whose treatment depends on their neighbours.
bool is_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Applies the rules before tokenization; each runs over the whole line, so that `&amp;lt;` becomes `<`.
std::string unescape(std::string_view line) {
  std::string text = replace_all(line, "<skipped>", "");
  text = replace_all(text, "-\n", "");
  text = replace_all(text, "\n", " ");
  text = replace_all(text, "&quot;", "\"");
  text = replace_all(text, "&amp;", "&");
  text = replace_all(text, "&lt;", "<");
  return replace_all(text, "&gt;", ">");
}

std::string separate_symbols(const std::string& text) {
  std::string separated;
  separated.reserve(2 * text.size());
  for (const char c : text) {
    if (is_symbol(c)) {
      separated.append({' ', c, ' '});
    } else {
      separated.push_back(c);
    }
  }
  return separated;
}

}  // namespace

std::vector<std::string> tokenize_13a(std::string_view line) {
  // The spaces around the line give its first and last character the neighbour that the pair rules ask for.
  std::string text = separate_symbols(" " + unescape(line) + " ");
  text = separate_pairs(text, [](char a, char b) { return !is_digit(a) && is_stop(b); }, {.behind = true});
  text = separate_pairs(text, [](char a, char b) { return is_stop(a) && !is_digit(b); }, {.before = true});
  text = separate_pairs(text, [](char a, char b) { return is_digit(a) && b == '-'; }, {.behind = true});
  const std::vector<std::string_view> tokens = split_at_spaces(text);
  return {tokens.begin(), tokens.end()};
}

std::vector<std::string> tokenize_intl(std::string_view line) {
  std::u32string text = separate_pairs(
      decode_utf8(line), [](char32_t a, char32_t b) { return !is_unicode_number(a) && is_unicode_punctuation(b); },
      {.behind = true});
  text = separate_pairs(text, [](char32_t a, char32_t b) { return is_unicode_punctuation(a) && !is_unicode_number(b); },
                        {.before = true});
  std::u32string separated;
  separated.reserve(2 * text.size());
  for (const char32_t code_point : text) {
    if (is_unicode_symbol(code_point)) {
      separated.append({U' ', code_point, U' '});
    } else {
      separated.push_back(code_point);
    }
  }
  const std::string spaced = encode_utf8(separated);
  const std::vector<std::string_view> tokens = split_at_spaces(spaced);
  return {tokens.begin(), tokens.end()};
}

namespace {

std::vector<std::string> words_of(std::string_view line) {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return {words.begin(), words.end()};
}

std::vector<std::string> characters_of(std::string_view line) {
  std::vector<std::string> characters;
  for (const char32_t code_point : decode_utf8(line)) {
    if (!is_unicode_space(code_point)) characters.push_back(encode_utf8({&code_point, 1}));
  }
  return characters;
}

std::vector<std::string> tokens_of(std::string_view line, BleuTokenization tokenization) {
  switch (tokenization) {
    case BleuTokenization::k13a:
      return tokenize_13a(line);
    case BleuTokenization::kIntl:
      return tokenize_intl(line);
    case BleuTokenization::kNone:
      return words_of(line);
    case BleuTokenization::kChar:
      return characters_of(line);
  }
  throw std::logic_error("a BLEU tokenization that is none");
}

}  // namespace

std::string_view to_string(BleuTokenization tokenization) {
  return kBleuTokenizations.at(static_cast<std::size_t>(tokenization));
}

BleuTokenization bleu_tokenization(std::string_view name) {
  for (std::size_t i = 0; i < kBleuTokenizations.size(); ++i) {
    if (kBleuTokenizations[i] == name) return static_cast<BleuTokenization>(i);
  }
  throw ConfigError("BLEU has no tokenization \"" + std::string(name) + "\": it has 13a, intl, none and char");
}

std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options) {
  // Trailing white space is removed before 13a's rule that joins words at "-\n".
  if (!options.lowercase) return tokens_of(trim_trailing_spaces(line), options.tokenization);
  const std::string lower = to_lower_case(line);
  return tokens_of(trim_trailing_spaces(lower), options.tokenization);
}

namespace {

constexpr std::size_t kMaxOrder = 4;
constexpr std::size_t kMatches = 2;             // index of the 1-gram matches among the counts
constexpr std::size_t kTotals = 2 + kMaxOrder;  // index of the hypothesis's 1-grams

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1.0;
  if (hypothesis_length == 0.0) return 0.0;
  return std::exp(1.0 - reference_length / hypothesis_length);
}

/// The precisions up to the first order without an n-gram.
std::vector<double> smoothed_precisions(std::span<const double> matches, std::span<const double> totals) {
  std::vector<double> precisions;
  double smoothing = 1.0;
  for (std::size_t n = 0; n < kMaxOrder && totals[n] > 0.0; ++n) {
    if (matches[n] == 0.0) smoothing *= 2.0;
    precisions.push_back(matches[n] == 0.0 ? 100.0 / (smoothing * totals[n]) : 100.0 * matches[n] / totals[n]);
  }
  return precisions;
}

/// The geometric mean; 1 for no values.
double geometric_mean(std::span<const double> values) {
  double sum_of_logs = 0.0;
  for (const double value : values) sum_of_logs += std::log(value);
  return values.empty() ? 1.0 : std::exp(sum_of_logs / static_cast<double>(values.size()));
}

bool any_match(std::span<const double> counts) {
  for (std::size_t n = 0; n < kMaxOrder; ++n) {
    if (counts[kMatches + n] > 0.0) return true;
  }
  return false;
}

/// The reference length nearest to the hypothesis's, the smaller one of two equally near.
std::size_t closest_length(std::size_t length, std::span<const Symbols> references) {
  std::size_t closest = references.front().size();
  const auto distance = [length](std::size_t other) { return other > length ? other - length : length - other; };
  for (const Symbols reference : references) {
    const std::size_t candidate = reference.size();
    const bool nearer = distance(candidate) < distance(closest);
    if (nearer || (distance(candidate) == distance(closest) && candidate < closest)) closest = candidate;
  }
  return closest;
}

}  // namespace

std::vector<double> Bleu::count(std::string_view hypothesis, SentenceReferences references) const {
  TokenNumbers token_numbers;
  const std::vector<std::uint32_t> hypothesis_tokens = token_numbers.encode(bleu_tokens(hypothesis, options_));
  std::vector<std::vector<std::uint32_t>> wanted;
  for (const std::string& reference : references) {
    wanted.push_back(token_numbers.encode(bleu_tokens(reference, options_)));
  }
  const std::vector<Symbols> symbols(wanted.begin(), wanted.end());
  std::vector<double> counts = {static_cast<double>(hypothesis_tokens.size()),
                                static_cast<double>(closest_length(hypothesis_tokens.size(), symbols))};
  const std::vector<NgramCounts> orders = count_ngrams(hypothesis_tokens, symbols, kMaxOrder);
  for (const NgramCounts& order : orders) counts.push_back(static_cast<double>(order.matches));
  for (const NgramCounts& order : orders) counts.push_back(static_cast<double>(order.hypothesis));
  return counts;
}

BleuScore Bleu::details(std::span<const double> sums) const {
  BleuScore result;
  result.hypothesis_length = static_cast<std::int64_t>(sums[0]);
  result.reference_length = static_cast<std::int64_t>(sums[1]);
  result.brevity_penalty = brevity_penalty(sums[0], sums[1]);
  if (!any_match(sums)) return result;
  const auto precisions = smoothed_precisions(sums.subspan(kMatches, kMaxOrder), sums.subspan(kTotals, kMaxOrder));
  std::copy(precisions.begin(), precisions.end(), result.precisions.begin());
  if (precisions.size() == kMaxOrder) result.score = result.brevity_penalty * geometric_mean(precisions);
  return result;
}

double Bleu::sentence_score(std::span<const double> counts) const {
  if (!any_match(counts)) return 0.0;
  return brevity_penalty(counts[0], counts[1]) *
         geometric_mean(smoothed_precisions(counts.subspan(kMatches, kMaxOrder), counts.subspan(kTotals, kMaxOrder)));
}

std::string Bleu::settings() const {
  return std::string("case:") + (options_.lowercase ? "lc" : "mixed") +
         "|eff:no|tok:" + std::string(to_string(options_.tokenization)) +
         "|smooth:exp|version:" + std::string(kSacrebleuVersion);
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, const std::vector<std::string>& references) {
  const Bleu bleu;
  const SentenceCounts counts(bleu, "BLEU", hypotheses, References(&references, 1));
  BleuScore result = bleu.details(counts.sums());
  result.signature = signature(bleu, 1);
  return result;
}

}  // namespace translate
