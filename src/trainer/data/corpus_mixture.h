#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/options.h"

namespace translate::trainer {

/// How often the pairs of each training corpus are drawn.
struct MixtureOptions {
  struct Corpus {
    std::size_t files = 1;  ///< consecutive pairs of files
    double weight = 1.0;

    bool operator==(const Corpus&) const = default;
  };

  std::vector<Corpus> corpora = {};  ///< in their order; none: each pair is drawn once an epoch
  double temperature = 1.0;

  bool operator==(const MixtureOptions&) const = default;
};

/// Returns the options of a configuration's training corpora; none if weights and temperature favour no corpus.
[[nodiscard]] MixtureOptions mixture_options(const DataOptions& data);

/// The draws of an epoch from one corpus. Its pairs are read in passes, one after the other, each in an order of its
/// own; an epoch takes up where the last one ended. So no pair is drawn for the second time before all have been drawn
/// once. Draws are numbered from 0 through all epochs: draw d is the (d % pairs)-th of pass d / pairs.
struct CorpusDraws {
  std::uint64_t first_pair = 0;  ///< the corpus, among all encoded pairs
  std::uint64_t pairs = 0;
  std::uint64_t begin = 0;  ///< number of the first draw
  std::uint64_t end = 0;    ///< number behind the last one
};

/// Divides the draws of an epoch between corpora: of N pairs in all, corpus i with n_i pairs gets N * p_i draws on
/// average, where p_i is in proportion to weight_i * n_i^(1/temperature) (Arivazhagan et al. 2019, "Massively
/// Multilingual Neural Machine Translation in the Wild", section 4.2). An average that is no whole number is kept over
/// the epochs, so that an epoch has N draws, give or take one for each corpus.
class CorpusMixture {
 public:
  /// `pairs_of_files` has the number of pairs that are trained on for each pair of files. Corpora without pairs get no
  /// draws.
  CorpusMixture(const MixtureOptions& options, std::span<const std::uint64_t> pairs_of_files);

  /// Returns the draws of an epoch, counted from 0, for each corpus.
  [[nodiscard]] std::vector<CorpusDraws> draws(std::uint64_t epoch) const;

  /// Returns the mean number of draws in an epoch for each corpus.
  [[nodiscard]] std::vector<double> mean_draws() const;

 private:
  struct Share {
    std::uint64_t first_pair = 0;
    std::uint64_t pairs = 0;
    std::uint64_t draws = 0;  ///< mean of an epoch, in units of 1/1024
  };

  std::vector<Share> shares_;
};

}  // namespace translate::trainer
