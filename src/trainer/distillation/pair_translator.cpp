#include "distillation/pair_translator.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "metrics/chrf.h"

namespace translate::trainer {

namespace {

/// Sources of samples are drawn among this many likeliest subwords (Edunov et al. 2018, "Understanding
/// Back-Translation at Scale", whose top 10 is the same idea).
constexpr int kTopK = 20;

constexpr double kPercent = 100.0;

translate_mt::Options options_for(const PairTranslation& how) {
  translate_mt::Options options({{"raw", "true"}, {"split_sentences", "false"}});
  if (how.samples > 0) {
    options.set("sampling", "true").set("top_k", std::to_string(kTopK)).set("n_best", std::to_string(how.samples));
  } else if (how.n_best > 1) {
    const auto size = std::to_string(how.n_best);
    options.set("beam_size", size).set("n_best", size);
  }
  if (!how.shortlist.empty()) {
    options.set("shortlist", how.shortlist.string());
  }
  return options;
}

/// Opens a model. Throws ConfigError if there is none of that name, and RuntimeError.
translate_mt::Model opened(const std::string& checkpoint, const translate_mt::Options& options) {
  try {
    return translate_mt::Model(checkpoint, options);
  } catch (const translate_mt::Error& error) {
    if (error.is_mistake()) {
      throw ConfigError(error.what());
    }
    throw RuntimeError(error.what());
  }
}

bool has_several_targets(const translate_mt::Model& model) {
  const auto codes = model.languages();  // source and target by turns
  std::set<std::string> targets;
  for (std::size_t i = 1; i < codes.size(); i += 2) {
    targets.insert(codes[i]);
  }
  return targets.size() > 1;
}

/// One side of the pairs of a block.
std::vector<std::string> texts_of(std::span<const TextPair> block, std::string TextPair::*side) {
  std::vector<std::string> texts;
  for (const auto& pair : block) {
    texts.push_back(pair.*side);
  }
  return texts;
}

bool is_usable(const translate_mt::Candidate& candidate) {
  return !candidate.is_truncated && !is_blank(candidate.text);
}

/// The translations that can be used of all lines, each with the line that it belongs to.
struct Candidates {
  std::vector<std::string> texts;
  std::vector<double> scores;
  std::vector<std::size_t> lines;  ///< rising
};

Candidates usable_ones(const std::vector<translate_mt::Translation>& translations) {
  Candidates found;
  for (std::size_t line = 0; line < translations.size(); ++line) {
    for (const auto& candidate : translations[line].candidates) {
      if (is_usable(candidate)) {
        found.texts.push_back(candidate.text);
        found.scores.push_back(candidate.normalized_score);
        found.lines.push_back(line);
      }
    }
  }
  return found;
}

}  // namespace

PairTranslator::PairTranslator(PairTranslation how, std::shared_ptr<PairScorer> reverse)
    : how_(std::move(how)),
      kept_(how_.side == WrittenSide::kTarget ? &TextPair::source : &TextPair::target),
      written_(how_.side == WrittenSide::kTarget ? &TextPair::target : &TextPair::source),
      options_(options_for(how_)),
      model_(opened(how_.checkpoint, options_)),
      reverse_(std::move(reverse)) {
  if (has_several_targets(model_)) {
    options_.set("target_language", how_.target_language);
    model_ = model_.with_options(options_);
  }
}

std::vector<WrittenPair> PairTranslator::operator()(std::span<const TextPair> block, std::uint64_t number) {
  return how_.samples > 0 ? drawn(block, number) : searched(block);
}

WrittenPair PairTranslator::pair_of(const TextPair& read, std::string written) const {
  auto pair = read;
  pair.*written_ = std::move(written);
  return {.source = std::move(pair.source), .target = std::move(pair.target)};
}

std::vector<WrittenPair> PairTranslator::drawn(std::span<const TextPair> block, std::uint64_t number) {
  const auto lines = texts_of(block, kept_);
  // Lines are numbered from 1 in each block, and samples follow from the number and the seed.
  auto model = model_.with_options(options_.set("seed", std::to_string(number + 1)));
  std::vector<WrittenPair> pairs;
  const auto translations = model.translate(lines);
  for (std::size_t line = 0; line < block.size(); ++line) {
    std::set<std::string> seen;
    for (const auto& candidate : translations[line].candidates) {
      if (is_usable(candidate) && seen.insert(candidate.text).second) {
        pairs.push_back(pair_of(block[line], candidate.text));
      }
    }
  }
  return pairs;
}

std::vector<WrittenPair> PairTranslator::searched(std::span<const TextPair> block) {
  const auto lines = texts_of(block, kept_);
  const auto references = texts_of(block, written_);
  const auto candidates = usable_ones(model_.translate(lines));
  const auto count = candidates.texts.size();
  std::vector<double> reverse_scores;
  if (reverse_) {
    std::vector<ScoringPair> asked;
    for (std::size_t i = 0; i < count; ++i) {
      asked.push_back({.source = candidates.texts[i], .target = lines[candidates.lines[i]]});
    }
    reverse_scores = reverse_->scores(asked);
  }
  const Chrf chrf;
  const auto value_of = [&](std::size_t index) {
    auto value = candidates.scores[index];
    if (reverse_) {
      value += how_.reverse_weight * reverse_scores[index];
    }
    if (how_.reference_weight != 0.0) {
      const auto counts = chrf.count(candidates.texts[index], {&references[candidates.lines[index]], 1});
      value += how_.reference_weight * chrf.sentence_score(counts) / kPercent;
    }
    return value;
  };
  std::vector<WrittenPair> pairs;
  for (std::size_t begin = 0; begin < count;) {
    const auto line = candidates.lines[begin];
    auto best = begin;
    auto best_value = value_of(begin);
    auto end = begin + 1;
    for (; end < count && candidates.lines[end] == line; ++end) {
      if (const auto value = value_of(end); value > best_value) {
        best = end;
        best_value = value;
      }
    }
    pairs.push_back(pair_of(block[line], candidates.texts[best]));
    if (reverse_) {
      pairs.back().score = reverse_scores[best];
    }
    begin = end;
  }
  return pairs;
}

}  // namespace translate::trainer
