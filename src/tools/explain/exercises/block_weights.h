#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "config/options.h"
#include "explain/example_file.h"
#include "model/parameters.h"
#include "tensors/tensor_file.h"

namespace translate::tools {

// The weights of exercises for the modules of a model. Files have matrices as the paper writes them, x W, with a row
// for each input; the modules have them as PyTorch does, with a row for each output.

/// Returns the options of a model of this width with one layer in each stack, without dropout.
[[nodiscard]] ModelOptions block_options(std::int64_t d_model);

/// Returns the parameters of the first layer of the encoder.
[[nodiscard]] LayerParameters encoder_layer(const ModelOptions& options);

/// Reads the keys `layer_norm` and `epsilon` into the options. Throws ConfigError if the norm's deviation is not
/// defined for a row of d_model numbers.
void read_norm_options(const ExampleFile& file, ModelOptions& options);

/// Returns `alpha` and `bias` of a norm, from the keys `alpha` + suffix (default: ones) and `bias` + suffix (zeros).
[[nodiscard]] trainer::NamedTensors norm_weights(const ExampleFile& file, const std::string& suffix,
                                                 std::int64_t d_model);

/// Reads the inner width (the columns of `W_1`) and the key `activation` into the options.
void read_feed_forward_options(const ExampleFile& file, ModelOptions& options);

/// Returns the weights of a FeedForwardBlock, from the keys `W_1`, `b_1`, `W_2` and `b_2` (default of biases: zeros).
[[nodiscard]] trainer::NamedTensors feed_forward_weights(const ExampleFile& file, const ModelOptions& options);

/// Returns the formula of the inner layer of a FeedForwardBlock: "relu(x W_1 + b_1)".
[[nodiscard]] std::string inner_formula(const ModelOptions& options, const std::string& argument);

/// Returns the weights of a MultiHeadAttentionBlock, from the keys `W_q`, `W_k`, `W_v` (default: `W`, or else the
/// identity) and `W_o` (default: the identity).
[[nodiscard]] trainer::NamedTensors attention_weights_of(const ExampleFile& file, std::int64_t d_model);

/// Copies values into the parameters of a module by their names. All must be there, and of the right shapes.
void set_parameters(torch::nn::Module& module, const trainer::NamedTensors& values);

}  // namespace translate::tools
