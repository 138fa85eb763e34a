#pragma once

#include <c10/util/intrusive_ptr.h>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "processes/process_place.h"

namespace translate::trainer {

/// Connects to the store of a training, in which the processes find each other; the process of rank 0 serves it, unless
/// the launcher does. Returns a store for the keys of this start: after a restart by the launcher, the old keys are not
/// seen. Throws RuntimeError if the port is in use, or if there is no store within `limits.start`, or one that does not
/// answer.
[[nodiscard]] c10::intrusive_ptr<c10d::Store> connect_store(const ProcessPlace& place, const ProcessLimits& limits);

/// Waits until all processes have come to the store. Throws RuntimeError, which names the missing ranks, if they have
/// not within `limits.start`, or if the store is lost or does not answer; ConfigError if two processes have the same
/// rank, or another version than the first. `store` is owned by an intrusive_ptr.
void wait_for_processes(c10d::Store& store, const ProcessPlace& place, const ProcessLimits& limits);

}  // namespace translate::trainer
