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

/// Parameters by name, each with its shape, in an order that is kept.
using ParameterShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// The parameters that a Transformer of such options has, as unique_parameters gives them: in order of registration, a
/// tied one once, under its first name.
[[nodiscard]] ParameterShapes parameter_shapes(const ModelOptions& options, const VocabularySizes& sizes);

/// How many values these parameters hold together. In floating point, which no sizes make overflow; nothing is listed.
[[nodiscard]] double parameter_total(const ModelOptions& options, const VocabularySizes& sizes);

/// Throws CheckpointError listing what `given` lacks of the model's parameters, what it has besides, and what is of
/// another shape; `origin` names its file.
void check_shapes(const ParameterShapes& model, const ParameterShapes& given, const std::string& origin);

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

/// The arithmetic that `auto` stands for on `device`: bf16 on a GPU, fp32 on the CPU (where fp32 is the
/// faster of the two for small models and the safe one for all).
[[nodiscard]] Precision resolve_precision(Precision precision, const c10::Device& device);

}  // namespace translate
