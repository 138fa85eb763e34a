#include "data/encoded/corpus_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace translate::trainer {

namespace {

constexpr RecordKind kPredictions{.begin = "PREDICT1", .name = "predictions"};

// A record, from the lowest bit on: the subword (20 bits), the probability (11 bits), and whether it is the label's
// last.

constexpr unsigned kIdBits = 20;
constexpr unsigned kProbabilityBits = 11;
constexpr std::uint32_t kMostId = (1U << kIdBits) - 1;
constexpr std::uint32_t kOne = (1U << kProbabilityBits) - 1;  // a probability of 1
constexpr std::uint32_t kLast = 1U << (kIdBits + kProbabilityBits);

static_assert(PredictionsWriter::kMostSubwords == kMostId + 1);

constexpr std::size_t kMostParts = 64;          // all of them are open during a training
constexpr std::size_t kLeastPairs = 16 * 1024;  // of a part

/// Opens a file; nothing if it is missing, damaged, or does not fit. `again`: see WantedRecords.
std::optional<PairRecords> open_part(const PredictionsPart& part, const PredictionsFit& fits, std::string_view again) {
  return open_records(part.file, {.kind = kPredictions,
                                  .pairs = part.end - part.begin,
                                  .fits = [&](const std::string& made_from) { return fits(made_from, part); },
                                  .subject = "distillation",
                                  .again = again});
}

}  // namespace

void PredictionsWriter::append(const std::vector<Prediction>& predictions) {
  std::vector<std::uint32_t> records;
  records.reserve(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto& [label, id, probability] = predictions[i];
    const bool is_last = i + 1 == predictions.size() || predictions[i + 1].label != label;
    const auto rounded = static_cast<std::uint32_t>(probability * static_cast<float>(kOne));  // the sum stays below 1
    records.push_back(static_cast<std::uint32_t>(id) | rounded << kIdBits | (is_last ? kLast : 0U));
  }
  records_.append(records);
}

void PredictionsWriter::write(const std::filesystem::path& path, const std::string& made_from) const {
  records_.write(path, kPredictions, made_from);
}

std::vector<PredictionsPart> predictions_parts(const std::filesystem::path& folder, std::size_t pairs) {
  const auto size = std::max(kLeastPairs, (pairs + kMostParts - 1) / kMostParts);
  std::vector<PredictionsPart> parts;
  for (std::size_t begin = 0; begin < pairs; begin += size) {
    parts.push_back({.file = folder / fmt::format("{:02}", parts.size() + 1),
                     .begin = begin,
                     .end = std::min(begin + size, pairs)});
  }
  return parts;
}

std::vector<PredictionsPart> missing_predictions(const std::vector<PredictionsPart>& parts,
                                                 const PredictionsFit& fits) {
  std::vector<PredictionsPart> missing;
  std::ranges::copy_if(parts, std::back_inserter(missing),
                       [&](const PredictionsPart& part) { return !open_part(part, fits, /*again=*/""); });
  return missing;
}

std::shared_ptr<const CorpusPredictions> CorpusPredictions::open(const std::vector<PredictionsPart>& parts,
                                                                 const PredictionsFit& fits) {
  std::vector<PairRecords> records;
  for (const auto& part : parts) {
    auto opened = open_part(part, fits, "the teachers predict again");
    if (!opened) {
      return nullptr;
    }
    records.push_back(*std::move(opened));
  }
  const auto pairs_of_a_part = parts.empty() ? 1 : parts.front().end;
  return std::shared_ptr<const CorpusPredictions>(new CorpusPredictions(std::move(records), pairs_of_a_part));
}

CorpusPredictions::CorpusPredictions(std::vector<PairRecords> parts, std::size_t pairs_of_a_part)
    : parts_(std::move(parts)), pairs_of_a_part_(pairs_of_a_part) {}

std::uint64_t CorpusPredictions::size() const {
  std::uint64_t size = 0;
  for (const auto& part : parts_) {
    size += part.size();
  }
  return size;
}

std::vector<Prediction> CorpusPredictions::predictions(std::size_t pair, std::size_t labels) const {
  std::vector<Prediction> predictions;
  std::int64_t label = 0;
  for (const auto record : parts_.at(pair / pairs_of_a_part_).of(pair % pairs_of_a_part_)) {
    const auto rounded = record >> kIdBits & kOne;
    predictions.push_back({.label = label,
                           .id = record & kMostId,
                           .probability = static_cast<float>(rounded) / static_cast<float>(kOne)});
    label += (record & kLast) != 0 ? 1 : 0;
  }
  if (std::cmp_not_equal(label, labels)) {
    throw RuntimeError(fmt::format(
        "training pair {}: there are predictions for {} labels, and it has {}; remove the folder of predictions, so "
        "that they are made again",
        pair + 1, label, labels));
  }
  return predictions;
}

}  // namespace translate::trainer
