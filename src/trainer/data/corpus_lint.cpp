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
#include "text/uncovered_text.h"

namespace translate::trainer {

/// Returns the slot of the hash, or the free slot for it.
std::uint64_t& HashSet::slot_of(std::uint64_t hash) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
  const auto mask = slots_.size() - 1;
  auto place = static_cast<std::size_t>((hash * kSpread) >> 32U) & mask;
  while (slots_[place] != 0 && slots_[place] != hash) {
    place = (place + 1) & mask;
  }
  return slots_[place];
}

bool HashSet::insert(std::uint64_t hash) {
  hash = hash == 0 ? 1 : hash;  // 0 means free
  auto& slot = slot_of(hash);
  if (slot == hash) {
    return false;
  }
  slot = hash;
  if (++size_ * 4 > slots_.size() * 3) {
    grow();
  }
  return true;
}

void HashSet::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
  for (const auto hash : before) {
    if (hash != 0) {
      slot_of(hash) = hash;
    }
  }
}

namespace {

/// The characters of Windows-1252 at the bytes 0x80 to 0x9F; 0 for undefined ones.
constexpr std::array<char32_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/// The byte of a character in Windows-1252, else in Latin-1; 0 if it has neither, or is ASCII.
unsigned byte_of(char32_t character) {
  if (character >= 0x80 && character <= 0xFF) {
    return static_cast<unsigned>(character);
  }
  const auto* const place = std::ranges::find(kWindows1252, character);
  return character > 0 && place != kWindows1252.end() ? 0x80U + static_cast<unsigned>(place - kWindows1252.begin()) : 0;
}

/// The number of characters from `begin` on whose bytes together form one character in UTF-8; 0 if they do not.
std::size_t misread_length(std::u32string_view text, std::size_t begin) {
  const auto lead = text[begin] <= 0xFF ? byte_of(text[begin]) : 0;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || begin + length > text.size()) {
    return 0;
  }
  const auto continues = [](char32_t character) {
    const auto byte = byte_of(character);
    return byte >= 0x80 && byte <= 0xBF;
  };
  return std::ranges::all_of(text.substr(begin + 1, length - 1), continues) ? length : 0;
}

}  // namespace

bool has_control_characters(std::string_view text) {
  const auto is_control = [](char32_t character) {
    return (character < 0x20 && character != U'\t') || (character >= 0x7F && character <= 0x9F) ||
           (character >= 0xFFFD && character <= 0xFFFF);
  };
  return std::ranges::any_of(decode_utf8(text), is_control);
}

bool looks_read_as_latin(std::string_view text) {
  if (is_ascii(text)) {
    return false;
  }
  const auto characters = decode_utf8(text);
  std::size_t after_last = 0;  // end of the last sequence of any kind
  for (std::size_t i = 0; i < characters.size();) {
    const auto length = misread_length(characters, i);
    if (length == 0) {
      ++i;
      continue;
    }
    const auto lead = characters[i];
    const bool enough = lead == U'\u00C2' || lead == U'\u00C3' || lead == U'\u00E2' || length == 4;
    if (enough || (after_last == i && i > 0)) {
      return true;
    }
    i += length;
    after_last = i;
  }
  return false;
}

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
