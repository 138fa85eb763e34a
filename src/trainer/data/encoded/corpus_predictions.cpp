#include "data/encoded/corpus_predictions.h"

#include <fmt/format.h>

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

CorpusPredictions::CorpusPredictions(const std::filesystem::path& path, std::size_t pairs)
    : records_(path, pairs, kPredictions) {}

CorpusPredictions::CorpusPredictions(PairRecords records) : records_(std::move(records)) {}

std::vector<Prediction> CorpusPredictions::predictions(std::size_t pair, std::size_t labels) const {
  std::vector<Prediction> predictions;
  std::int64_t label = 0;
  for (const auto record : records_.of(pair)) {
    const auto rounded = record >> kIdBits & kOne;
    predictions.push_back({.label = label,
                           .id = record & kMostId,
                           .probability = static_cast<float>(rounded) / static_cast<float>(kOne)});
    label += (record & kLast) != 0 ? 1 : 0;
  }
  if (std::cmp_not_equal(label, labels)) {
    throw RuntimeError(fmt::format(
        "training pair {}: there are predictions for {} labels, and it has {}; remove the file of predictions, so that "
        "it is made again",
        pair + 1, label, labels));
  }
  return predictions;
}

std::shared_ptr<const CorpusPredictions> open_predictions(
    const std::filesystem::path& file, std::size_t pairs,
    const std::function<bool(const std::string& made_from)>& fits) {
  auto records = open_records(file, {.kind = kPredictions,
                                     .pairs = pairs,
                                     .fits = fits,
                                     .subject = "distillation",
                                     .again = "the teachers predict again"});
  return records ? std::make_shared<const CorpusPredictions>(*std::move(records)) : nullptr;
}

}  // namespace translate::trainer
