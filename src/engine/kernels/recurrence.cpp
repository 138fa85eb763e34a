#include "kernels/recurrence.h"

#include <algorithm>

#include "kernels/activation.h"
#include "kernels/exponential.h"
#include "kernels/float_buffer.h"

namespace translate {

namespace {

/// One position: gate f -> g, and the state before it -> that after it, which may lie in the same place.
TRANSLATE_VECTOR_CLONES
void advance(std::int64_t width, const float* candidate, float* gate, const float* before, float* after) {
#pragma omp simd
  for (std::int64_t i = 0; i < width; ++i) {
    const float f = gate[i];
    const float e = exp_of_nonpositive(f < 0.0F ? f : -f);
    const float g = (f < 0.0F ? e : 1.0F) / (1.0F + e);
    gate[i] = g;
    after[i] = g * before[i] + (1.0F - g) * candidate[i];
  }
}

/// A position of the backward pass.
struct Position {
  const float* candidate;
  const float* gate;
  const float* before;        ///< c_(t-1)
  const float* gradient;      ///< of c_t
  float* gradient_before;     ///< of h_(t-1); becomes that of c_(t-1)
  float* candidate_gradient;  ///< of u_t
  float* gate_gradient;       ///< of f_t
};

TRANSLATE_VECTOR_CLONES
void go_back(std::int64_t width, const Position& at) {
  const float* candidate = at.candidate;
  const float* gate = at.gate;
  const float* before = at.before;
  const float* gradient = at.gradient;
  float* gradient_before = at.gradient_before;
  float* candidate_gradient = at.candidate_gradient;
  float* gate_gradient = at.gate_gradient;
#pragma omp simd
  for (std::int64_t i = 0; i < width; ++i) {
    const float g = gate[i];
    const float through = g * gradient[i];
    candidate_gradient[i] = gradient[i] - through;
    gate_gradient[i] = through * (1.0F - g) * (before[i] - candidate[i]);
    gradient_before[i] = (before[i] > 0.0F ? gradient_before[i] : 0.0F) + through;
  }
}

TRANSLATE_VECTOR_CLONES
void copy_rectified(const float* values, std::int64_t count, float* output) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    output[i] = values[i] > 0.0F ? values[i] : 0.0F;
  }
}

}  // namespace

void recurrence_forward(std::int64_t length, std::int64_t width, const Rows& projected, float* states) {
  std::fill_n(states, length > 0 ? width : 0, 0.0F);
  const float* before = states;
  for (std::int64_t position = 0; position < length; ++position) {
    float* candidate = projected.data + position * projected.stride;
    float* state = states + position * width;
    advance(width, candidate, candidate + width, before, state);
    before = state;
  }
}

void recurrence_step(std::int64_t width, float* projected, float* state) {
  advance(width, projected, projected + width, state, state);
}

void recurrence_output(const float* states, std::int64_t count, float* output) {
  copy_rectified(states, count, output);
}

void recurrence_backward(std::int64_t length, std::int64_t width, const ConstRows& projected, const float* states,
                         float* gradient, const Rows& projected_gradient) {
  if (length == 0) {
    return;
  }
  thread_local FloatBuffer scratch;
  float* start = scratch.take(2 * width);  // c_(-1), and its gradient, which nothing needs
  std::fill_n(start, 2 * width, 0.0F);
  const auto last = (length - 1) * width;
  rectify_backward(states + last, /*factor=*/1.0F, gradient + last, width);
  for (auto position = length - 1; position >= 0; --position) {
    const float* candidate = projected.data + position * projected.stride;
    float* candidate_gradient = projected_gradient.data + position * projected_gradient.stride;
    go_back(width, {.candidate = candidate,
                    .gate = candidate + width,
                    .before = position > 0 ? states + (position - 1) * width : start,
                    .gradient = gradient + position * width,
                    .gradient_before = position > 0 ? gradient + (position - 1) * width : start + width,
                    .candidate_gradient = candidate_gradient,
                    .gate_gradient = candidate_gradient + width});
  }
}

}  // namespace translate
