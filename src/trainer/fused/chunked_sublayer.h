#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "fused/chunk.h"
#include "fused/linear_unit.h"
#include "fused/residual_unit.h"

namespace translate::trainer {

/// A sub-layer with its residual connection, as a composition of units for one forward or one backward pass. This class
/// runs it chunk by chunk on all threads; FusedFunction records it for autograd.
class ChunkedSublayer {
 public:
  virtual ~ChunkedSublayer() = default;
  ChunkedSublayer(const ChunkedSublayer&) = delete;
  ChunkedSublayer& operator=(const ChunkedSublayer&) = delete;

  /// Returns the output of the residual connection, (rows, d_model).
  [[nodiscard]] at::Tensor forward();

 protected:
  ChunkedSublayer(std::vector<Chunk> chunks, ResidualUnit residual)
      : residual_(std::move(residual)), chunks_(std::move(chunks)) {}

  /// Takes one chunk through all units. `output`: its rows of the connection's output.
  virtual void forward_chunk(const Chunk& chunk, float* output) = 0;
  /// Takes one chunk back. `gradient`: of its rows of the output; those of x and of the parameters stay in the units.
  virtual void backward_chunk(const Chunk& chunk, const float* gradient) = 0;
  /// The linear maps among the units.
  [[nodiscard]] virtual std::vector<LinearUnit*> linear_units() = 0;

  /// Takes all chunks back. `gradient`: of the output, (rows, d_model).
  void run_backward(const at::Tensor& gradient);

  ResidualUnit residual_;

 private:
  std::vector<Chunk> chunks_;
};

}  // namespace translate::trainer
