#pragma once

#include <torch/data/samplers/base.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "translate/data/epoch_plan.h"

namespace translate {

/// Hands the batches of a plan to a torch::data loader, from `first_batch` on. It runs ahead of training, as the loader
/// fetches early: where a run stands is counted in batches consumed, not asked of the sampler.
class BatchSampler : public torch::data::samplers::Sampler<> {
 public:
  BatchSampler(std::shared_ptr<const EpochPlan> plan, std::size_t first_batch);

  /// Starts again at the first batch; another size cannot be set, the plan knows it.
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;

  /// The next batch as planned, whatever size the loader asks for.
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;

  /// Writes and reads the number of the next batch.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  std::shared_ptr<const EpochPlan> plan_;
  std::size_t first_batch_;
  std::size_t next_batch_;
};

}  // namespace translate
