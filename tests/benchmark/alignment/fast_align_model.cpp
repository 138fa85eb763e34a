#include "alignment/fast_align_model.h"

#include <algorithm>
#include <cmath>

#include "alignment/digamma.h"
#include "alignment/symmetrization.h"

namespace translate::benchmark {

namespace {

constexpr double kNull = 0.08;
constexpr double kPrior = 0.01;
constexpr double kUnseen = 1e-9;
constexpr int kIterations = 5;

/// How far a link is from the diagonal, negative.
double closeness(std::size_t j, std::size_t words, std::size_t i, std::size_t states) {
  return -std::abs(static_cast<double>(i + 1) / static_cast<double>(states) -
                   static_cast<double>(j + 1) / static_cast<double>(words));
}

/// The probabilities of the positions for target word j, which sum to 1.
std::vector<double> diagonal(std::size_t j, std::size_t words, std::size_t states, double tension) {
  std::vector<double> weights(states);
  double sum = 0.0;
  for (std::size_t i = 0; i < states; ++i) {
    weights[i] = std::exp(tension * closeness(j, words, i, states));
    sum += weights[i];
  }
  for (auto& weight : weights) {
    weight /= sum;
  }
  return weights;
}

}  // namespace

FastAlignModel::FastAlignModel(const std::vector<std::pair<IdSentence, IdSentence>>& pairs) {
  std::int32_t highest = 0;
  for (const auto& [source, target] : pairs) {
    ++shapes_[{target.size(), source.size()}];
    target_words_ += static_cast<double>(target.size());
    for (const auto word : source) {
      highest = std::max(highest, word);
    }
  }
  table_.resize(static_cast<std::size_t>(highest) + 2);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    std::vector<Row> counts(table_.size());
    const double observed = count(pairs, counts) / target_words_;
    maximize(counts);
    if (iteration > 0) {
      optimize_tension(observed);
    }
  }
}

double FastAlignModel::probability(std::int32_t source, std::int32_t target) const {
  const auto row = static_cast<std::size_t>(source + 1);
  if (row >= table_.size()) {
    return kUnseen;
  }
  const auto found = table_[row].find(target);
  return found == table_[row].end() ? kUnseen : found->second;
}

std::vector<double> FastAlignModel::scores(const IdSentence& source, const IdSentence& target, std::size_t j) const {
  const auto positions = diagonal(j, target.size(), source.size(), tension_);
  std::vector<double> result{kNull * probability(-1, target[j])};
  for (std::size_t i = 0; i < source.size(); ++i) {
    result.push_back((1.0 - kNull) * positions[i] * probability(source[i], target[j]));
  }
  return result;
}

double FastAlignModel::count(const std::vector<std::pair<IdSentence, IdSentence>>& pairs,
                             std::vector<Row>& counts) const {
  double observed = 0.0;
  for (const auto& [source, target] : pairs) {
    for (std::size_t j = 0; j < target.size(); ++j) {
      const auto joint = scores(source, target, j);
      double sum = 0.0;
      for (const auto score : joint) {
        sum += score;
      }
      counts[0][target[j]] += joint[0] / sum;
      for (std::size_t i = 0; i < source.size(); ++i) {
        counts[static_cast<std::size_t>(source[i] + 1)][target[j]] += joint[i + 1] / sum;
        observed += joint[i + 1] / sum * closeness(j, target.size(), i, source.size());
      }
    }
  }
  return observed;
}

void FastAlignModel::maximize(const std::vector<Row>& counts) {
  for (std::size_t row = 0; row < counts.size(); ++row) {
    double sum = 0.0;
    for (const auto& [word, count] : counts[row]) {
      sum += count + kPrior;
    }
    for (const auto& [word, count] : counts[row]) {
      table_[row][word] = std::exp(digamma(count + kPrior) - digamma(sum));
    }
  }
}

void FastAlignModel::optimize_tension(double observed) {
  for (int step = 0; step < 8; ++step) {
    double expected = 0.0;
    for (const auto& [shape, pairs] : shapes_) {
      const auto& [words, states] = shape;
      for (std::size_t j = 0; j < words; ++j) {
        const auto positions = diagonal(j, words, states, tension_);
        for (std::size_t i = 0; i < states; ++i) {
          expected += static_cast<double>(pairs) * positions[i] * closeness(j, words, i, states);
        }
      }
    }
    tension_ = std::clamp(tension_ + (observed - expected / target_words_) * 20.0, 0.1, 14.0);
  }
}

std::vector<std::int32_t> FastAlignModel::align(const IdSentence& source, const IdSentence& target) const {
  std::vector<std::int32_t> positions;
  for (std::size_t j = 0; j < target.size(); ++j) {
    const auto joint = scores(source, target, j);
    const auto best = std::ranges::max_element(joint) - joint.begin();
    positions.push_back(best == 0 ? kNoWord : static_cast<std::int32_t>(best - 1));
  }
  return positions;
}

}  // namespace translate::benchmark
