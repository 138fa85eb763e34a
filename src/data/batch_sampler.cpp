#include "translate/data/batch_sampler.h"

#include <ATen/ATen.h>
#include <torch/serialize/archive.h>

#include <utility>

namespace translate {

BatchSampler::BatchSampler(std::shared_ptr<const EpochPlan> plan, std::size_t first_batch)
    : plan_(std::move(plan)), first_batch_(first_batch), next_batch_(first_batch) {}

void BatchSampler::reset(std::optional<std::size_t> /*new_size*/) { next_batch_ = first_batch_; }

std::optional<std::vector<std::size_t>> BatchSampler::next(std::size_t /*batch_size*/) {
  if (next_batch_ >= plan_->size()) return std::nullopt;
  const auto pairs = (*plan_)[next_batch_++];
  return std::vector<std::size_t>(pairs.begin(), pairs.end());
}

void BatchSampler::save(torch::serialize::OutputArchive& archive) const {
  archive.write("next_batch", at::scalar_tensor(static_cast<std::int64_t>(next_batch_), at::kLong), /*is_buffer=*/true);
}

void BatchSampler::load(torch::serialize::InputArchive& archive) {
  at::Tensor next_batch;
  archive.read("next_batch", next_batch, /*is_buffer=*/true);
  next_batch_ = static_cast<std::size_t>(next_batch.item<std::int64_t>());
}

}  // namespace translate
