#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/encoded/pair_records.h"

namespace translate::trainer {

/// A subword that teachers consider possible at a label, and how probable they consider it.
struct Prediction {
  std::int64_t label = 0;  ///< the position of the label in the pair: that of eos is the last
  std::int64_t id = 0;
  float probability = 0.0F;

  bool operator==(const Prediction&) const = default;
};

/// Gathers the predictions for the labels of pairs of an encoded corpus, and writes one of the files that
/// CorpusPredictions reads, in memory as PairRecordsWriter does. Probabilities are rounded down to multiples of
/// 1 / 2047.
class PredictionsWriter {
 public:
  /// The largest vocabulary of which a file can hold subwords.
  static constexpr std::int64_t kMostSubwords = std::int64_t{1} << 20;

  /// Appends the predictions for the next pair, of which each label has at least one, in the order of the labels.
  void append(const std::vector<Prediction>& predictions);

  /// The number of predictions so far.
  [[nodiscard]] std::size_t size() const { return records_.size(); }

  /// Writes the file, which is complete or absent. `made_from`: a description of the inputs. Throws RuntimeError.
  void write(const std::filesystem::path& path, const std::string& made_from) const;

 private:
  PairRecordsWriter records_;
};

/// A file that has the predictions for the pairs [begin, end) of an encoded corpus.
struct PredictionsPart {
  std::filesystem::path file;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Returns the files in a folder of the predictions for so many pairs, in the order of the pairs: at most 64, each of
/// at least 16,384 pairs except the last one. Whoever is stopped while writing them loses one of them.
[[nodiscard]] std::vector<PredictionsPart> predictions_parts(const std::filesystem::path& folder, std::size_t pairs);

/// Tells from the description of a file's inputs whether it is that part of the wanted predictions.
using PredictionsFit = std::function<bool(const std::string& made_from, const PredictionsPart& part)>;

/// Returns those of a folder's files that are missing, damaged, or do not fit.
[[nodiscard]] std::vector<PredictionsPart> missing_predictions(const std::vector<PredictionsPart>& parts,
                                                               const PredictionsFit& fits);

/// The predictions of teachers for the labels of the pairs of an encoded corpus, in a folder (see PairRecords).
class CorpusPredictions {
 public:
  /// Returns the predictions in a folder's files; null if one is missing, is damaged or does not fit, which is logged.
  [[nodiscard]] static std::shared_ptr<const CorpusPredictions> open(const std::vector<PredictionsPart>& parts,
                                                                     const PredictionsFit& fits);

  /// Returns the predictions for a pair with so many labels, in their order. Throws RuntimeError if a file has
  /// changed, or has them for another number of labels.
  [[nodiscard]] std::vector<Prediction> predictions(std::size_t pair, std::size_t labels) const;

  /// The number of predictions for all pairs.
  [[nodiscard]] std::uint64_t size() const;

 private:
  CorpusPredictions(std::vector<PairRecords> parts, std::size_t pairs_of_a_part);

  std::vector<PairRecords> parts_;
  std::size_t pairs_of_a_part_;  ///< of each but the last
};

}  // namespace translate::trainer
