#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/batches/bilingual_dataset.h"

namespace translate::trainer {

/// The place of a process among those that divide the batches of each step.
struct ProcessShare {
  std::size_t rank = 0;
  std::size_t size = 1;

  bool operator==(const ProcessShare&) const = default;
};

/// A batch of an epoch, or one of `parts` parts of it.
struct BatchShare {
  std::size_t batch = 0;
  std::size_t part = 0;
  std::size_t parts = 1;

  bool operator==(const BatchShare&) const = default;
};

/// Returns the work of a process in a step of batches [first, first + count). Together, the processes do the step
/// exactly once, whatever their number. If there are at least as many batches as processes, each takes consecutive
/// whole batches, at most one more than another. If there are fewer, each batch is divided among consecutive processes
/// into parts, at most one part more than another batch. A process has a share of every step, if only an empty part.
[[nodiscard]] std::vector<BatchShare> share_of_step(std::size_t first, std::size_t count, const ProcessShare& process);

/// Returns the work of a process in the steps of an epoch, from batch `first` on, of `batches` in all.
/// `batches_per_step`: the last step may have fewer.
[[nodiscard]] std::vector<BatchShare> share_of_epoch(std::size_t first, std::size_t batches,
                                                     std::size_t batches_per_step, const ProcessShare& process);

/// Returns the sentences [begin, end) of a part of a batch: consecutive ones, so that all parts have about equal
/// numbers of tokens, source and target together. A part is empty if there are fewer sentences than parts.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> sentences_of(const BatchShare& share, const Batch& batch);

}  // namespace translate::trainer
