#include "translate/data/corpus_lint.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>

#include "translate/core/utf8.h"
#include "translate/data/encoding_signs.h"
#include "translate/data/hash_set.h"
#include "translate/data/pair_reader.h"
#include "translate/data/seeded_random.h"
#include "translate/data/text_sample.h"
#include "translate/data/uncovered_text.h"
#include "translate/kernels/parallel.h"
#include "translate/text/long_lines.h"

namespace translate {
namespace {

constexpr std::uint32_t bit(Finding finding) { return 1U << static_cast<unsigned>(finding); }

/// What is known of a pair by itself.
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
  }
  return facts;
}

/// Calls look(pair) for all pairs of the files on all threads, then take(pair, what it gave) in their order.
template <class Look, class Take>
void for_each_pair(std::span<const CorpusFiles> files, const Look& look, const Take& take) {
  constexpr std::size_t kPairsABlock = std::size_t{1} << 14U;
  constexpr std::size_t kBytesABlock = std::size_t{1} << 22U;
  constexpr std::int64_t kPairsAtATime = 250;
  PairReader reader(files, LineCheck::kNone);
  std::vector<TextPair> pairs;
  std::vector<decltype(look(std::declval<const TextPair&>()))> found;
  do {
    pairs.clear();
    std::size_t bytes = 0;
    for (TextPair pair; pairs.size() < kPairsABlock && bytes < kBytesABlock && reader.next(pair);) {
      bytes += pair.source.size() + pair.target.size();
      pairs.push_back(std::move(pair));
    }
    found.resize(pairs.size());
    parallel_ranges(std::ssize(pairs), kPairsAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); std::cmp_less(i, end); ++i) found[i] = look(pairs[i]);
    });
    for (std::size_t i = 0; i < pairs.size(); ++i) take(pairs[i], found[i]);
  } while (!pairs.empty());
}

/// Hashes, and whether the training text has them.
using Marks = std::unordered_map<std::uint64_t, bool>;

void mark(Marks& marks, std::uint64_t hash) {
  const auto place = marks.find(hash);
  if (place != marks.end()) place->second = true;
}

}  // namespace

CorpusLint::CorpusLint(const Config& config, const LintOptions& options) : config_(config), options_(options) {}

std::vector<CorpusLint::Split> CorpusLint::splits_to_read() const {
  std::vector<Split> splits = {{"train", &config_.data.train}};
  if (!config_.data.validation.files.empty()) splits.push_back({"validation", &config_.data.validation.files});
  if (!config_.data.test.empty()) splits.push_back({"test", &config_.data.test});
  return splits;
}

double CorpusLint::uneven_limit() const {
  return config_.data.max_length_ratio > 0 ? config_.data.max_length_ratio : options_.uneven;
}

std::uint64_t CorpusLint::total() const {
  std::uint64_t sum = 0;
  for (const auto& split : splits_) {
    for (const auto& finding : split.findings) sum += finding.pairs;
  }
  return sum;
}

void CorpusLint::note(SplitLint& split, std::uint32_t findings, const TextPair& pair,
                      std::span<const CorpusFiles> files) const {
  for (std::size_t i = 0; findings >> i != 0; ++i) {
    if ((findings >> i & 1U) == 0) continue;
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
  for (const auto& [name, files] : splits) {
    const bool trains = splits_.empty();
    auto& split = splits_.emplace_back();
    split.name = name;
    HashSet seen;
    for_each_pair(*files, text_facts, [&](const TextPair& pair, const PairFacts& facts) {
      auto findings = facts.findings;
      const bool empty = (findings & bit(Finding::kEmpty)) != 0;
      if (!empty && !seen.insert(facts.pair)) findings |= bit(Finding::kDuplicate);
      if (trains) {
        mark(sources, facts.source);
        mark(whole, facts.pair);
        if (is_text(pair.source) && is_text(pair.target)) sample.add(pair);
      } else if (!empty) {
        findings |= sources[facts.source] ? bit(Finding::kSourceInTraining) : 0;
        findings |= whole[facts.pair] ? bit(Finding::kPairInTraining) : 0;
      }
      ++split.pairs;
      note(split, findings, pair, *files);
    });
  }
  sample_ = sample.take();
}

void CorpusLint::read_pieces(const TokenizerPair& tokenizers) {
  struct Pieces {
    bool counts = false;
    bool too_long = false;  ///< as its bytes tell: not segmented
    std::size_t source = 0;
    std::size_t target = 0;
    std::vector<std::string> uncovered;
  };
  const UncoveredText of_source(tokenizers.source);
  const UncoveredText of_target(tokenizers.target);
  const auto look = [&](const TextPair& pair) {
    Pieces pieces;
    pieces.counts = is_text(pair.source) && is_text(pair.target);
    pieces.too_long = std::max(pair.source.size(), pair.target.size()) > most_bytes(config_.data.max_length);
    if (pieces.counts && !pieces.too_long) {
      pieces.source = of_source.count(pair.source, pieces.uncovered);
      pieces.target = of_target.count(pair.target, pieces.uncovered);
    }
    return pieces;
  };
  std::unordered_map<std::string, std::uint64_t> uncovered;
  const auto splits = splits_to_read();
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for_each_pair(*splits[i].files, look, [&](const TextPair& pair, const Pieces& pieces) {
      if (!pieces.counts) return;
      const auto [shorter, longer] = std::minmax(pieces.source, pieces.target);
      const bool too_long = pieces.too_long || std::cmp_greater(longer, config_.data.max_length);
      std::uint32_t findings = too_long ? bit(Finding::kTooLong) : 0;
      findings |= is_uneven(shorter, longer) ? bit(Finding::kUneven) : 0;
      findings |= pieces.uncovered.empty() ? 0 : bit(Finding::kUncovered);
      for (const auto& text : pieces.uncovered) {
        if (uncovered.size() < options_.most_uncovered || uncovered.contains(text)) ++uncovered[text];
      }
      note(splits_.at(i), findings, pair, *splits[i].files);
    });
  }
  uncovered_.assign(uncovered.begin(), uncovered.end());
  std::ranges::sort(uncovered_, [](const auto& a, const auto& b) {
    return std::pair(b.second, std::string_view(a.first)) < std::pair(a.second, std::string_view(b.first));
  });
  uncovered_.resize(std::min(uncovered_.size(), options_.uncovered));
}

bool CorpusLint::is_uneven(std::size_t shorter, std::size_t longer) const {
  const bool long_enough = config_.data.max_length_ratio > 0 || longer >= options_.uneven_from;
  return long_enough && static_cast<double>(longer) > uneven_limit() * static_cast<double>(shorter);
}

}  // namespace translate
