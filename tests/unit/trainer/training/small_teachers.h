#pragma once

#include <string>
#include <vector>

#include "unit/trainer/training/small_training.h"

namespace translate::trainer {

/// A fixture with two trained models, which together are training.teacher.
class SmallTeachers : public SmallTraining {
 protected:
  SmallTeachers() {
    for (const auto* name : {"first", "second"}) {
      auto config = config_for(name);
      config.training.seed = config.training.seed + std::string(name).size();
      checkpoints_.push_back(train(config, data()));
    }
    config_.training.teacher = checkpoints_[0] + "," + checkpoints_[1];
  }

  static std::string train(const Config& config, const TrainingData& data) {
    OneTraining training(config, data);
    return training.trainer.run().checkpoint.string();
  }

  [[nodiscard]] Batch batch() const {
    return collate(BilingualDataset(sample_.encoded, sample_.tokenizers).get_batch({3, 9, 4}));
  }

  std::vector<std::string> checkpoints_;
};

}  // namespace translate::trainer
