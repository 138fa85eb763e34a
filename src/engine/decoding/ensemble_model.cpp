#include "decoding/ensemble_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/error.h"
#include "kernels/logit_scan.h"

namespace translate {

namespace {

using Sessions = std::vector<std::unique_ptr<DecodingSession>>;

class EnsembleSession : public DecodingSession {
 public:
  EnsembleSession(Sessions sessions, std::size_t vocabulary)
      : sessions_(std::move(sessions)), vocabulary_(vocabulary) {}

  [[nodiscard]] std::int64_t rows() const override { return sessions_.front()->rows(); }
  [[nodiscard]] bool can_join() const override {
    return std::ranges::all_of(sessions_, [](const auto& session) { return session->can_join(); });
  }

  void add(IdSpans sources, IdSpans shortlists) override {
    for (const auto& session : sessions_) {
      session->add(sources, shortlists);
    }
  }

  void step(std::span<const std::int64_t> subwords, const Reader& read) override {
    const auto rows = static_cast<std::size_t>(this->rows());
    sums_.resize(rows * vocabulary_);
    attention_.assign(rows, {});
    predicting_.assign(rows, {});
    listed_.assign(rows, {});
    are_of_input_ = true;
    for (const auto& session : sessions_) {
      session->step(subwords, [&](std::int64_t row, const NextSubword& next) {
        take(static_cast<std::size_t>(row), next, /*is_first=*/session == sessions_.front());
      });
    }
    const auto share = 1.0F / static_cast<float>(sessions_.size());
    for (std::size_t row = 0; row < rows; ++row) {
      const auto& listed = listed_[row];
      const auto size = listed.empty() ? vocabulary_ : listed.size();
      const auto logits = std::span(sums_).subspan(row * vocabulary_, size);
      logarithms(logits, share);
      for (auto* sum : {&attention_[row], &predicting_[row]}) {
        std::ranges::for_each(*sum, [share](float& weight) { weight *= share; });
      }
      read(static_cast<std::int64_t>(row), {.logits = {logits, listed},
                                            .attention = are_of_input_ ? attention_[row] : predicting_[row],
                                            .predicting = predicting_[row],
                                            .is_of_input = are_of_input_});
    }
  }

  void give_attention(bool wanted) override {
    for (const auto& session : sessions_) {
      session->give_attention(wanted);
    }
  }

  void select(std::span<const std::int64_t> parents) override {
    for (const auto& session : sessions_) {
      session->select(parents);
    }
  }

 private:
  /// Takes the prediction of a model; `is_first`: of the first one.
  void take(std::size_t row, const NextSubword& next, bool is_first) {
    scan_.give_probabilities(next.logits.values, /*add=*/!is_first, std::span(sums_).subspan(row * vocabulary_));
    listed_[row].assign(next.logits.subwords.begin(), next.logits.subwords.end());
    add_weights(next.predicting, predicting_[row]);
    are_of_input_ = are_of_input_ && next.is_of_input;
    if (are_of_input_) {
      add_weights(next.attention, attention_[row]);
    }
  }

  static void add_weights(std::span<const float> weights, std::vector<float>& sum) {
    sum.resize(weights.size());
    std::ranges::transform(weights, sum, sum.begin(), std::plus());
  }

  Sessions sessions_;
  std::size_t vocabulary_;
  LogitScan scan_;
  std::vector<float> sums_;                    ///< (rows, V) of probabilities; with a shortlist a row has fewer
  std::vector<std::vector<float>> attention_;  ///< one (S) for each row, summed over the models
  std::vector<std::vector<float>> predicting_;
  std::vector<std::vector<std::int64_t>> listed_;  ///< SubwordLogits::subwords of each row
  bool are_of_input_ = true;  ///< all models give the attention of inputs; else the alignment is that of the prediction
};

}  // namespace

EnsembleModel::EnsembleModel(std::vector<std::shared_ptr<const InferenceModel>> models) : models_(std::move(models)) {
  if (models_.empty()) {
    throw ConfigError("an ensemble needs a model");
  }
  for (const auto& model : models_) {
    if (model->vocabulary() != vocabulary()) {
      throw ConfigError(
          fmt::format("the models of an ensemble must have the same target vocabulary: one has {} subwords, another {}",
                      vocabulary(), model->vocabulary()));
    }
  }
}

std::unique_ptr<DecodingSession> EnsembleModel::start() const {
  Sessions sessions;
  for (const auto& model : models_) {
    sessions.push_back(model->start());
  }
  return std::make_unique<EnsembleSession>(std::move(sessions), static_cast<std::size_t>(vocabulary()));
}

bool EnsembleModel::runs_side_by_side() const {
  return std::ranges::all_of(models_, [](const auto& model) { return model->runs_side_by_side(); });
}

std::int64_t EnsembleModel::vocabulary() const { return models_.front()->vocabulary(); }

std::int64_t EnsembleModel::weight_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& model : models_) {
    bytes += model->weight_bytes();
  }
  return bytes;
}

}  // namespace translate
