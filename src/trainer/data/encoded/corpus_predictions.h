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

/// Gathers the predictions for the labels of each pair of an encoded corpus, and writes the file that CorpusPredictions
/// reads, in memory as PairRecordsWriter does. Probabilities are rounded down to multiples of 1 / 2047.
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

/// The predictions of teachers for the labels of the pairs of an encoded corpus, in a file (see PairRecords).
class CorpusPredictions {
 public:
  /// Opens a file of the predictions for so many pairs. Throws RuntimeError as PairRecords does.
  CorpusPredictions(const std::filesystem::path& path, std::size_t pairs);
  explicit CorpusPredictions(PairRecords records);

  /// Returns the predictions for a pair with so many labels, in their order. Throws RuntimeError if the file has
  /// changed, or has them for another number of labels.
  [[nodiscard]] std::vector<Prediction> predictions(std::size_t pair, std::size_t labels) const;

  /// The number of predictions for all pairs.
  [[nodiscard]] std::uint64_t size() const { return records_.size(); }

 private:
  PairRecords records_;
};

/// Returns the predictions in a file; null if it is missing, damaged, or was made from other inputs, which is logged.
/// `fits` tells so from their description.
[[nodiscard]] std::shared_ptr<const CorpusPredictions> open_predictions(
    const std::filesystem::path& file, std::size_t pairs,
    const std::function<bool(const std::string& made_from)>& fits);

}  // namespace translate::trainer
