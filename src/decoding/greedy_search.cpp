#include "translate/decoding/greedy_search.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace translate {
namespace {

/// The likeliest piece of each row and its log-probability among the pieces that may be generated.
struct Choice {
  at::Tensor ids;     ///< (batch) int64, CPU
  at::Tensor scores;  ///< (batch) float, CPU
};

Choice choose(const at::Tensor& logits, const at::Tensor& penalty) {
  const auto allowed = logits.to(at::kFloat) + penalty;  // (batch, V)
  const auto [best, ids] = allowed.max(/*dim=*/1);
  return {.ids = ids.cpu(), .scores = (best - allowed.logsumexp(/*dim=*/1)).cpu()};
}

at::Tensor to_tensor(const std::vector<std::int64_t>& values) { return at::tensor(values, at::kLong); }

/// The rows still being decoded: which hypothesis each row of the batch belongs to.
class ActiveRows {
 public:
  explicit ActiveRows(std::int64_t count) : hypothesis_(static_cast<std::size_t>(count)) {
    std::iota(hypothesis_.begin(), hypothesis_.end(), 0);
    running_ = hypothesis_.size();
  }

  [[nodiscard]] std::size_t size() const { return hypothesis_.size(); }
  [[nodiscard]] bool any() const { return running_ > 0; }
  [[nodiscard]] std::int64_t hypothesis(std::size_t row) const { return hypothesis_[row]; }
  void finish(std::size_t row) {
    hypothesis_[row] = kFinished;
    --running_;
  }
  [[nodiscard]] bool is_finished(std::size_t row) const { return hypothesis_[row] == kFinished; }

  /// Drops finished rows once a quarter has finished (dropping copies the cache); the rows kept, or nothing.
  [[nodiscard]] std::vector<std::int64_t> compact() {
    if (4 * running_ > 3 * hypothesis_.size()) {
      return {};
    }
    std::vector<std::int64_t> kept;
    for (std::size_t row = 0; row < hypothesis_.size(); ++row) {
      if (!is_finished(row)) {
        kept.push_back(static_cast<std::int64_t>(row));
      }
    }
    std::erase(hypothesis_, kFinished);
    return kept;
  }

 private:
  static constexpr std::int64_t kFinished = -1;

  std::vector<std::int64_t> hypothesis_;
  std::size_t running_ = 0;
};

/// Books one step's choices; rows that reach eos or their limit finish.
void extend(std::vector<Hypothesis>& hypotheses, ActiveRows& rows, const Choice& choice,
            std::span<const std::int64_t> max_lengths, std::int64_t eos) {
  const auto* ids = choice.ids.const_data_ptr<std::int64_t>();
  const auto* scores = choice.scores.const_data_ptr<float>();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.is_finished(row)) {
      continue;
    }
    const auto index = static_cast<std::size_t>(rows.hypothesis(row));
    auto& hypothesis = hypotheses[index];
    hypothesis.score += scores[row];
    if (ids[row] == eos) {
      rows.finish(row);
      continue;
    }
    hypothesis.ids.push_back(ids[row]);
    if (static_cast<std::int64_t>(hypothesis.ids.size()) >= max_lengths[index]) {
      hypothesis.truncated = true;
      rows.finish(row);
    }
  }
}

}  // namespace

at::Tensor forbidden_pieces(const SpecialTokens& target, std::int64_t vocab_size, const at::Device& device) {
  auto penalty = at::zeros({vocab_size}, at::kFloat);
  for (const auto id : {target.unk, target.sos, target.pad}) {
    penalty[id] = -std::numeric_limits<float>::infinity();
  }
  return penalty.to(device);
}

std::vector<Hypothesis> greedy_search(Transformer& model, const at::Tensor& encoder_input,
                                      std::span<const std::int64_t> max_lengths, const SpecialTokens& target) {
  const auto batch = encoder_input.size(0);
  std::vector<Hypothesis> hypotheses(static_cast<std::size_t>(batch));
  if (batch == 0) {
    return hypotheses;
  }
  const auto device = encoder_input.device();
  const auto penalty = forbidden_pieces(target, model->sizes().target, device);
  auto cache = model->start_cache(encoder_input);
  ActiveRows rows(batch);
  auto tokens = at::full({batch}, target.sos, at::kLong);  // each row's newest id, on the CPU
  while (rows.any()) {
    const auto logits = model->decode_step(tokens.unsqueeze(1).to(device), cache);  // (rows, V)
    const auto choice = choose(logits, penalty);
    extend(hypotheses, rows, choice, max_lengths, target.eos);
    tokens = choice.ids;
    if (const auto kept = rows.compact(); !kept.empty()) {
      const auto indices = to_tensor(kept);
      tokens = tokens.index_select(0, indices);
      cache.select(indices.to(device));
    }
  }
  return hypotheses;
}

}  // namespace translate
