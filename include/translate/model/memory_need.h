#pragma once

#include <c10/core/Device.h>

#include "translate/config/options.h"
#include "translate/model/vocabulary_sizes.h"

namespace translate {

/// The least bytes that a parameter takes.
inline constexpr double kBytesOfPackedWeight = 1.0;  ///< translating, in int8
inline constexpr double kBytesOfWeight = 4.0;        ///< translating in fp32, and building a model
/// Training: weight, gradient and the optimizer's moments, of which Muon has one; with a moving average of the weights
/// one more.
[[nodiscard]] double training_bytes_of_weight(const TrainingOptions& options);

/// The least memory in bytes that a model takes, by its sizes alone: its parameters and, for sinusoidal positions,
/// their table. In floating point, which no size makes overflow. A vocabulary that is not known yet is 0.
[[nodiscard]] double memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight);

/// Throws ConfigError, which names the sizes and their keys, where a model needs more memory than this process could
/// have on `device` at best (memory_capacity). To be called before anything is allocated. A model that passes may still
/// not fit beside other programs.
void check_memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight,
                       const c10::Device& device);

}  // namespace translate
