#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/options.h"
#include "decoding/search/search.h"
#include "decoding/search/subword_constraints.h"
#include "kernels/logit_scan.h"

namespace translate {

/// Samples from the softmax of logits divided by `temperature`, restricted to the `top_k` likeliest (ties: the lower
/// place), of these to the smallest set of likeliest ones that together reach `top_p` of their probability
/// (nucleus sampling, Holtzman et al. 2020), and of these to the ones whose probability among them is at least
/// `epsilon`, or else the likeliest (epsilon sampling, Hewitt, Manning and Liang 2022). That is the order of
/// transformers.
class SubwordSampler {
 public:
  explicit SubwordSampler(const DecodingOptions& options) : options_(options) {}

  /// Reads a row of logits, which are -inf for forbidden subwords, but not for all. `scan`: of this row.
  void prepare(std::span<const float> logits, const LogitScan& scan);

  /// Returns the place in the row at `fraction` (0 to below 1) of the remaining probability.
  [[nodiscard]] std::size_t draw(double fraction) const;

 private:
  struct Choice {
    float weight;  ///< in proportion to its probability
    std::size_t place;
  };

  void take_all(std::span<const float> logits, float largest, float scale);
  void take_likely(const LogitScan& scan, float scale);
  void cut_down(std::size_t most);
  void keep_nucleus();
  void drop_unlikely();

  DecodingOptions options_;
  std::vector<float> weights_;
  std::vector<Choice> choices_;
  std::size_t kept_ = 0;  ///< the first kept_ of the choices remain
  double total_ = 0.0;    ///< the sum of their weights
};

/// Draws n_best translations of one sentence independently, subword by subword, from the model's probabilities (see
/// SubwordSampler). A draw depends on seed, Sentence::random_key, the sample's number and the step number alone. Scores
/// are the model's log-probabilities, whatever the temperature; the results are sorted by normalised score (ties: the
/// sample drawn first).
class SampledSearch : public SentenceSearch {
 public:
  /// Options and sentence must outlive it.
  SampledSearch(const SearchOptions& options, const Sentence& sentence);

  [[nodiscard]] std::int64_t rows() const override;
  void read(std::int64_t row, const NextSubword& next) override;
  std::span<const Continuation> advance() override;
  [[nodiscard]] std::vector<Hypothesis> results() const override;

 private:
  struct Sample {
    std::int64_t node = SubwordTree::kRoot;
    std::int64_t row = 0;
    std::int64_t subword = 0;  ///< drawn in this step
    bool stuck = false;        ///< no subword could be drawn in this step
    bool running = true;
    bool truncated = false;
    std::int64_t length = 0;  ///< eos counted
  };

  [[nodiscard]] double fraction(std::size_t sample) const;
  void extend(Sample& sample);

  const SearchOptions& options_;
  const Sentence& sentence_;
  RowReader reader_;
  SubwordSampler sampler_;
  SubwordTree tree_;
  std::int64_t length_ = 0;  ///< subwords generated in each row
  std::vector<Sample> samples_;
  std::vector<Continuation> continuations_;
};

}  // namespace translate
