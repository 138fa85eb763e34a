#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "explain/example_file.h"
#include "explain/example_step.h"

namespace translate::tools {

/// Returns the mask of a file, (queries, keys), true = may attend; undefined if it has none. Throws ConfigError if the
/// mask has another shape or other values than 0 and 1.
[[nodiscard]] at::Tensor read_mask(const ExampleFile& file, std::int64_t queries, std::int64_t keys);

/// Returns a value of one sentence without the dimensions of length 1 that a reader does not expect: (1, rows, columns)
/// -> (rows, columns); (1, heads, rows, columns) -> (heads, rows, columns), or (rows, columns) with one head.
[[nodiscard]] at::Tensor without_batch(const at::Tensor& value);

/// Adds a stage of attention() to the steps: `scores`, `scaled`, `masked`, `weights` or `heads`, after a prefix or
/// none, of shape (1, heads, queries, keys or columns). They must be added in their order. Masking before scaling gives
/// the same weights, so that claims may have the values of that order.
void add_attention_step(std::vector<ExampleStep>& steps, const std::string& name, const at::Tensor& value,
                        std::int64_t d_k);

}  // namespace translate::tools
