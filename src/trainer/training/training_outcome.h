#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace translate::trainer {

/// The end of a training: its reason and its newest checkpoint.
struct TrainingOutcome {
  std::string reason;                ///< "max_steps = 500", "SIGINT"
  std::filesystem::path checkpoint;  ///< the newest one; empty if none was written
  std::optional<int> signal;         ///< the signal that stopped it
  bool trained = false;              ///< false if a limit had been reached before the first step
};

}  // namespace translate::trainer
