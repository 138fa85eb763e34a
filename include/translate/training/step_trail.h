#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "translate/data/batch.h"
#include "translate/training/optimizer.h"

namespace translate {

/// Remembers what the latest steps were trained on until it is known that their updates were made: on a GPU that comes
/// out some steps later. Of each step it holds the sizes of its batches and a few of their pairs.
class StepTrail {
 public:
  /// `step`: its number, from 1.
  void add(std::int64_t step, std::span<const Batch> batches);

  /// All steps so far went well.
  void clear() { steps_.clear(); }

  /// The error that tells of an update that was refused: step, loss, gradient, sentences, what may help. `name_pair`
  /// tells where the pair of an index stands.
  [[nodiscard]] std::string describe(const RefusedUpdate& update,
                                     const std::function<std::string(std::int64_t)>& name_pair) const;

 private:
  struct BatchName {
    std::size_t pairs = 0;
    std::vector<std::int64_t> first;  ///< indices of the first ones; of all batches of a step only a few
  };
  struct Step {
    std::int64_t number = 0;
    std::vector<BatchName> batches;
  };

  std::vector<Step> steps_;
};

}  // namespace translate
