#pragma once

#include <string>

#include "config/options.h"
#include "core/compute_device.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace translate {

/// Returns the sizes of both vocabularies.
[[nodiscard]] VocabularySizes vocabulary_sizes(const TokenizerPair& tokenizers);

/// The fewest bytes that a parameter takes.
inline constexpr double kBytesOfPackedWeight = 1.0;  ///< translating in int8
inline constexpr double kBytesOfWeight = 4.0;        ///< translating in fp32, and building a model
/// Training: weight, gradient and the optimizer's moments, of which Muon has one, and one more value if a moving
/// average of the weights is kept.
[[nodiscard]] double training_bytes_of_weight(const TrainingOptions& options);

/// Returns the least memory in bytes that a model takes, by its sizes alone: its parameters and the table of sinusoidal
/// positions, if it has one. It is a floating-point number, which no size makes overflow. The size of a vocabulary that
/// is not known yet is 0.
[[nodiscard]] double memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight);

/// True if this process could hold `bytes` on `device` if it had the machine to itself (memory_capacity). On the CPU,
/// a gibibyte always fits: looking would take longer than a program's start should.
[[nodiscard]] bool fits_in_memory(double bytes, const ComputeDevice& device);

/// Returns a size for messages: "23.5 GiB", or "4.7e+14 GiB" if more digits would say nothing.
[[nodiscard]] std::string gibibytes(double bytes);

/// Throws ConfigError, which names the sizes and their keys, if a model needs more memory than this process could have
/// on `device` at best (fits_in_memory). Call it before anything is allocated. A model that passes may still not fit
/// beside other programs.
void check_memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight,
                       const ComputeDevice& device);

/// Returns the precision that `auto` stands for on a device where nothing else has decided: bf16 on a GPU, fp32 on the
/// CPU.
[[nodiscard]] Precision resolve_precision(Precision precision, DeviceKind device);

}  // namespace translate
