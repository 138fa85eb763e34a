#include "data/corpus_lint.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/random_numbers.h"
#include "core/utf8.h"
#include "corpora/corpus_reader.h"
#include "corpora/each_pair.h"
#include "data/round_trip.h"
#include "data/text_sample.h"
#include "pairs/encoding_signs.h"
#include "text/uncovered_text.h"

namespace translate::trainer {

namespace {

constexpr std::uint32_t bit(Finding finding) { return 1U << static_cast<unsigned>(finding); }

/// The facts about a single pair.
struct PairFacts {
  std::uint32_t findings = 0;  ///< bits
  std::uint64_t source = 0;    ///< hash
  std::uint64_t pair = 0;      ///< hash
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const auto begin = text.find_first_not_of(kSpaces);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool is_text(std::string_view text) { return !is_blank(text) && !first_invalid_utf8(text); }

PairFacts text_facts(const TextPair& pair) {
  PairFacts facts;
  facts.source = std::hash<std::string_view>()(pair.source);
  facts.pair = mix_seeds({facts.source, std::hash<std::string_view>()(pair.target)});
  const auto note = [&](bool holds, Finding finding) { facts.findings |= holds ? bit(finding) : 0; };
  note(is_blank(pair.source) || is_blank(pair.target), Finding::kEmpty);
  note(first_invalid_utf8(pair.source) || first_invalid_utf8(pair.target), Finding::kNotUtf8);
  if (facts.findings == 0) {
    note(trimmed(pair.source) == trimmed(pair.target), Finding::kCopied);
    note(has_control_characters(pair.source) || has_control_characters(pair.target), Finding::kControlCharacter);
    note(looks_read_as_latin(pair.source) || looks_read_as_latin(pair.target), Finding::kMojibake);
    note(pair.source.find('\t') != std::string::npos || pair.target.find('\t') != std::string::npos, Finding::kTab);
  }
  return facts;
}

/// Maps a hash to whether the training text contains it.
using Marks = std::unordered_map<std::uint64_t, bool>;

void mark(Marks& marks, std::uint64_t hash) {
  const auto place = marks.find(hash);
  if (place != marks.end()) {
    place->second = true;
  }
}

}  // namespace

CorpusLint::CorpusLint(const Config& config, const LintOptions& options) : config_(config), options_(options) {}

std::vector<CorpusLint::Split> CorpusLint::splits_to_read() const {
  std::vector<Split> splits = {{"train", &config_.data.train}};
  if (!config_.data.validation.files.empty()) {
    splits.push_back({"validation", &config_.data.validation.files});
  }
  if (!config_.data.test.empty()) {
    splits.push_back({"test", &config_.data.test});
  }
  return splits;
}

double CorpusLint::uneven_limit() const {
  return config_.data.max_length_ratio > 0 ? config_.data.max_length_ratio : options_.uneven;
}

std::uint64_t CorpusLint::total() const {
  std::uint64_t sum = 0;
  for (const auto& split : splits_) {
    for (const auto& finding : split.findings) {
      sum += finding.pairs;
    }
  }
  return sum;
}

void CorpusLint::note(SplitLint& split, std::uint32_t findings, const TextPair& pair,
                      std::span<const CorpusFiles> files) const {
  for (std::size_t i = 0; findings >> i != 0; ++i) {
    if ((findings >> i & 1U) == 0) {
      continue;
    }
    auto& finding = split.findings.at(i);
    if (finding.pairs++ < options_.examples) {
      finding.examples.push_back(
          {.place = describe_origin(pair.origin, files), .source = pair.source, .target = pair.target});
    }
  }
}

void CorpusLint::read_text() {
  splits_.clear();
  Marks sources;
  Marks whole;
  const auto splits = splits_to_read();
  for (std::size_t i = 1; i < splits.size(); ++i) {
    for_each_pair(*splits[i].files, text_facts, [&](const TextPair&, const PairFacts& facts) {
      sources.emplace(facts.source, false);
      whole.emplace(facts.pair, false);
    });
  }
  TextSample sample;
  for (const auto& named : splits) {
    const auto& files = *named.files;  // Clang 16 cannot capture a structured binding here
    const bool trains = splits_.empty();
    auto& split = splits_.emplace_back();
    split.name = named.name;
    HashSet seen;
    for_each_pair(files, text_facts, [&](const TextPair& pair, const PairFacts& facts) {
      auto findings = facts.findings;
      const bool empty = (findings & bit(Finding::kEmpty)) != 0;
      if (!empty && !seen.insert(facts.pair)) {
        findings |= bit(Finding::kDuplicate);
      }
      if (trains) {
        mark(sources, facts.source);
        mark(whole, facts.pair);
        if (is_text(pair.source) && is_text(pair.target)) {
          sample.add(pair);
        }
      } else if (!empty) {
        findings |= sources[facts.source] ? bit(Finding::kSourceInTraining) : 0;
        findings |= whole[facts.pair] ? bit(Finding::kPairInTraining) : 0;
      }
      ++split.pairs;
      note(split, findings, pair, files);
    });
  }
  sample_ = sample.take();
}

void CorpusLint::read_subwords(const TokenizerPair& tokenizers) {
  struct Subwords {
    bool counts = false;
    bool too_long = false;  ///< judged by its bytes: not segmented
    std::size_t source = 0;
    std::size_t target = 0;
    std::vector<std::string> uncovered;
    RoundTrip round_trip = {};  ///< of the target
  };
  const UncoveredText of_source(tokenizers.source);
  const UncoveredText of_target(tokenizers.target);
  const auto look = [&](const TextPair& pair) {
    Subwords subwords;
    subwords.counts = is_text(pair.source) && is_text(pair.target);
    subwords.too_long = std::max(pair.source.size(), pair.target.size()) > most_bytes(config_.data.max_length);
    if (subwords.counts && !subwords.too_long) {
      subwords.source = of_source.count(pair.source, subwords.uncovered);
      subwords.target = of_target.count(pair.target, subwords.uncovered);
      subwords.round_trip = round_trip(tokenizers.target, pair.target);
    }
    return subwords;
  };
  TextCounts uncovered(options_.most_uncovered);
  TextCounts lost(options_.most_uncovered);
  const auto splits = splits_to_read();
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for_each_pair(*splits[i].files, look, [&](const TextPair& pair, const Subwords& subwords) {
      if (!subwords.counts) {
        return;
      }
      const auto [shorter, longer] = std::minmax(subwords.source, subwords.target);
      const bool too_long = subwords.too_long || std::cmp_greater(longer, config_.data.max_length);
      std::uint32_t findings = too_long ? bit(Finding::kTooLong) : 0;
      findings |= is_uneven(shorter, longer) ? bit(Finding::kUneven) : 0;
      findings |= subwords.uncovered.empty() ? 0 : bit(Finding::kUncovered);
      findings |= subwords.round_trip.survives ? 0 : bit(Finding::kNotRestored);
      uncovered.add(subwords.uncovered);
      lost.add(subwords.round_trip.lost);
      note(splits_.at(i), findings, pair, *splits[i].files);
    });
  }
  uncovered_ = uncovered.most_frequent(options_.uncovered);
  lost_ = lost.most_frequent(options_.uncovered);
}

bool CorpusLint::is_uneven(std::size_t shorter, std::size_t longer) const {
  const bool long_enough = config_.data.max_length_ratio > 0 || longer >= options_.uneven_from;
  return long_enough && static_cast<double>(longer) > uneven_limit() * static_cast<double>(shorter);
}

}  // namespace translate::trainer
