#pragma once

#include <optional>
#include <span>
#include <vector>

namespace translate {

/// Tells from the probability that a model gives to its own translation how good that translation probably is: the
/// share of validation sentences with about this probability whose chrF is at least the median of all. It is measured
/// on greedy translations (Confidence::measure), and stored in the manifest of the checkpoint.
class Confidence {
 public:
  /// The validation sentences of one bin.
  struct Bin {
    double log_probability = 0.0;  ///< their mean log-probability per subword, the end counted (nats)
    double share = 0.0;            ///< of those whose chrF is at least the median (0-1)

    bool operator==(const Bin&) const = default;
  };

  /// One validation sentence.
  struct Sentence {
    double log_probability = 0.0;  ///< per subword of its translation, the end counted (nats)
    double chrf = 0.0;             ///< of its translation
  };

  /// Sorts the sentences into ten bins of equal size by their log-probability. Where a bin of more probable sentences
  /// has a lower share, neighbours share their mean, so that the confidence never falls as the probability rises
  /// (isotonic regression by pooling adjacent violators, Ayer et al. 1955). Returns nothing for fewer than 100
  /// sentences: the share of a bin would be chance.
  [[nodiscard]] static std::optional<Confidence> measure(std::vector<Sentence> sentences);

  /// `bins`: at least one, with rising log-probabilities, and shares from 0 to 1 that never fall.
  explicit Confidence(std::vector<Bin> bins) : bins_(std::move(bins)) {}

  /// Returns the share at a log-probability per subword, linear between the bins and constant outside of them.
  [[nodiscard]] double at(double log_probability) const;

  [[nodiscard]] const std::vector<Bin>& bins() const { return bins_; }

 private:
  std::vector<Bin> bins_;
};

}  // namespace translate
