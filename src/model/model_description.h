#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"
#include "text/tokenizer_training.h"

namespace translate {

/// Sizes of the vocabularies and the padding ids, from the tokenizers.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
  std::int64_t source_pad = 0;
  std::int64_t target_pad = 0;
};

[[nodiscard]] VocabularySizes vocabulary_sizes(const TokenizerPair& tokenizers);

/// Parameters by name, each with its shape, in a fixed order.
using ParameterShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// Returns the parameters of a Transformer with these options, as unique_parameters lists them: in order of
/// registration, a tied parameter once, under its first name.
[[nodiscard]] ParameterShapes parameter_shapes(const ModelOptions& options, const VocabularySizes& sizes);

/// Returns the number of values in all parameters, computed without listing them. It is a floating-point number, which
/// no sizes make overflow.
[[nodiscard]] double parameter_total(const ModelOptions& options, const VocabularySizes& sizes);

/// Throws CheckpointError if `given` lacks parameters of the model, has extra ones, or has some of another shape, and
/// lists them; `origin` names its file.
void check_shapes(const ParameterShapes& model, const ParameterShapes& given, const std::string& origin);

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

/// Throws ConfigError, which names the sizes and their keys, if a model needs more memory than this process could have
/// on `device` at best (memory_capacity). Call it before anything is allocated. A model that passes may still not fit
/// beside other programs.
void check_memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight,
                       const c10::Device& device);

/// Returns the precision that `auto` stands for on `device`: bf16 on a GPU, fp32 on the CPU (where fp32 is the faster
/// of the two for small models and the safe choice for all).
[[nodiscard]] Precision resolve_precision(Precision precision, const c10::Device& device);

}  // namespace translate
