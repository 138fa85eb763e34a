// No kernel reads or writes beyond its arguments: each runs on buffers that end or begin at a page that may not be
// touched, for every length up to 200. The tests run again with the instructions of older processors (kernels.avx2,
// kernels.avx512).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "kernels/activation.h"
#include "kernels/attention_kernel.h"
#include "kernels/cached_attention.h"
#include "kernels/dropout_mask.h"
#include "kernels/logit_scan.h"
#include "kernels/loss_kernels.h"
#include "kernels/matrix/byte_matrix.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/polar_factor.h"
#include "kernels/norm.h"
#include "kernels/row_kernels.h"
#include "support/guarded_buffer.h"

namespace translate {
namespace {

using testing::GuardedBuffer;
using testing::GuardedEnd;

constexpr std::int64_t kLongest = 200;

/// Makes guarded buffers, and checks them all at its end.
class Guarded {
 public:
  explicit Guarded(GuardedEnd end) : end_(end) {}
  ~Guarded() {
    for (const auto& buffer : buffers_) {
      EXPECT_TRUE(buffer.is_intact());
    }
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /// `count` floats of both signs, near 0.
  float* floats(std::int64_t count) {
    auto& buffer = buffers_.emplace_back(static_cast<std::size_t>(count), end_);
    for (std::size_t i = 0; i < buffer.values().size(); ++i) {
      buffer.values()[i] = static_cast<float>((i * 37 + buffers_.size() * 11) % 64) / 32.0F - 1.0F;
    }
    return buffer.data();
  }
  std::span<float> span(std::int64_t count) { return {floats(count), static_cast<std::size_t>(count)}; }
  /// Rows without space between them.
  Rows rows(std::int64_t count, std::int64_t width) { return {floats(count * width), width}; }
  ConstRows const_rows(std::int64_t count, std::int64_t width) { return {floats(count * width), width}; }

 private:
  GuardedEnd end_;
  std::deque<GuardedBuffer<float>> buffers_;
};

class MemoryBounds : public ::testing::TestWithParam<GuardedEnd> {
 protected:
  /// Calls run(memory, length) for every length.
  template <class Run>
  static void for_each_length(const Run& run, std::int64_t first = 1) {
    for (std::int64_t length = first; length <= kLongest; ++length) {
      SCOPED_TRACE(length);
      Guarded memory(GetParam());
      run(memory, length);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Ends, MemoryBounds, ::testing::Values(GuardedEnd::kFront, GuardedEnd::kBack),
                         [](const auto& end) { return end.param == GuardedEnd::kFront ? "Front" : "Back"; });

TEST_P(MemoryBounds, OfRows) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    for (const auto kind : {LayerNormKind::kTorch, LayerNormKind::kReference, LayerNormKind::kRms}) {
      const RowNorm norm{kind, memory.floats(n), memory.floats(n), n, 1e-5F};
      const auto* const x = memory.floats(n);
      const auto moments = normalize_row(norm, x, memory.floats(n));
      normalize_row_again(norm, x, moments, memory.floats(n));
      normalize_row_backward(norm, x, moments, memory.floats(n), memory.floats(n),
                             {memory.floats(n), memory.floats(n)});
    }
    for (const auto activation : {Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
      activate(activation, memory.floats(n), n);
      activate_backward(activation, memory.floats(n), memory.floats(n), n);
    }
    rectify_backward(memory.floats(n), 2.0F, memory.floats(n), n);
    add_row(memory.floats(n), memory.floats(n), n);
    add_column_sums(memory.const_rows(3, n), 3, n, memory.floats(n));
  });
}

TEST_P(MemoryBounds, OfDropout) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    const DropoutMask dropout{.probability = 0.3, .key = 5};
    fill_mask(dropout, 3, memory.span(n));
    apply_mask(dropout, 3, memory.span(n), 7);
    fill_whole_mask(dropout, memory.span(n), 1);
  });
}

TEST_P(MemoryBounds, OfLogits) {
  LogitScan scan;
  for_each_length([&](Guarded& memory, std::int64_t n) {
    const auto logits = memory.span(n);
    scan.look(logits);
    std::size_t taken = 0;
    scan.for_large(scan.reached_by(2), [&](std::size_t, float) { ++taken; });
    EXPECT_GT(taken, 0U);
    exponentials(logits, 1.0F, 0.5F, memory.floats(n));
    const auto positive = memory.span(n);
    exponentials(logits, 1.0F, 1.0F, positive.data());
    logarithms(positive, 2.0F);
    two_pass_rows(memory.floats(n), memory.floats(n), n, {.shares = {0.5F, 0.5F}, .weight = 2.0F});
  });
}

TEST_P(MemoryBounds, OfTheAttentionOfASentence) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    // Each of the sizes takes every length once: the queries, the keys, the width of a head.
    for (const auto& shape : {AttentionShape{n, 5, 2, 4}, AttentionShape{3, n, 2, 4, true}, AttentionShape{3, 4, 1, n},
                              AttentionShape{n, n, 1, 3, true}}) {
      const auto width = shape.heads * shape.head_width;
      const AttentionInput input{memory.const_rows(shape.queries, width), memory.const_rows(shape.keys, width),
                                 memory.const_rows(shape.keys, width)};
      const AttentionDropout dropout{
          .mask = {.probability = 0.2, .key = 3}, .to_query = shape.keys, .to_head = shape.queries * shape.keys};
      attention_forward(shape, input, dropout, memory.rows(shape.queries, width));
      attention_backward(
          shape, input, dropout, memory.const_rows(shape.queries, width),
          {memory.rows(shape.queries, width), memory.rows(shape.keys, width), memory.rows(shape.keys, width)});
    }
  });
}

TEST_P(MemoryBounds, OfTheAttentionToACache) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    for (const auto& [shape, count] : {std::pair(HeadShape{2, 4}, n), std::pair(HeadShape{1, n}, std::int64_t{3}),
                                       std::pair(HeadShape{n, 2}, std::int64_t{3})}) {
      const auto width = shape.heads * shape.head_width;
      const auto numbers = count * 2 * width;  // a key and its value behind it
      const auto* const kept = memory.floats(numbers);
      auto* const weights = memory.floats(count * shape.weight_stride());
      attend_to_cache(shape, memory.floats(width), CachedRows<float>{kept, 2 * width, width, nullptr, count}, weights,
                      memory.floats(width));
      const GuardedBuffer<Half> halves(static_cast<std::size_t>(numbers), GetParam());
      round_to_half(kept, numbers, halves.data());
      attend_to_cache(shape, memory.floats(width), CachedRows<Half>{halves.data(), 2 * width, width, nullptr, count},
                      weights, memory.floats(width));
      EXPECT_TRUE(halves.is_intact());
    }
  });
}

TEST_P(MemoryBounds, OfMatrixProducts) {
  for_each_length([&](Guarded& memory, std::int64_t n) {
    for (const auto type : {FactorType::kFloat, FactorType::kBfloat16}) {
      for (const auto& [rows, depth, columns] :
           {std::array{n, std::int64_t{5}, std::int64_t{19}}, std::array{std::int64_t{7}, n, std::int64_t{19}},
            std::array{std::int64_t{7}, std::int64_t{5}, n}}) {
        PackedMatrix from_columns(type);
        from_columns.resize(depth, columns);
        from_columns.set_columns(memory.const_rows(columns, depth), 0, columns);
        PackedMatrix from_rows(type);
        from_rows.resize(depth, columns);
        from_rows.set_rows(0, depth, memory.const_rows(depth, columns));
        const auto left = memory.const_rows(rows, depth);
        multiply(rows, left, from_columns, memory.rows(rows, columns), memory.floats(columns));
        multiply(rows, left, from_rows, memory.rows(rows, columns));
        // The gradient of a weight: both factors have the same depth.
        PackedMatrix other(type);
        other.resize(depth, rows);
        other.set_rows(0, depth, memory.const_rows(depth, rows));
        multiply_transposed(other, from_rows, {0, rows, 0, columns}, memory.rows(rows, columns));
      }
    }
    transpose_to_panel(memory.const_rows(3, n), 3, n, memory.floats(n * kPanelWidth));
    multiply_small({.rows = n, .columns = kPanelWidth, .depth = 3}, {memory.floats(n * 3), 3, 1},
                   {memory.floats(3 * kPanelWidth), 0, kPanelWidth}, memory.rows(n, kPanelWidth));
    multiply_small({.rows = 5, .columns = kPanelWidth, .depth = n}, {memory.floats(5 * n), n, 1},
                   {memory.floats(n * kPanelWidth), 0, kPanelWidth}, memory.rows(5, kPanelWidth));
  });
}

TEST_P(MemoryBounds, OfTheExponentialsOfAProjection) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    for (const auto type : {FactorType::kFloat, FactorType::kBfloat16}) {
      for (const auto& [rows, width, classes] :
           {std::array{n, std::int64_t{5}, std::int64_t{19}}, std::array{std::int64_t{7}, n, std::int64_t{19}},
            std::array{std::int64_t{7}, std::int64_t{5}, n}}) {
        auto* const bias = memory.floats(whole_panels(classes));
        std::fill_n(bias + classes, whole_panels(classes) - classes, kNoClass);
        ProjectionFactors factors{.to_classes = PackedMatrix(type), .to_features = PackedMatrix(type), .bias = bias};
        pack_transposed(memory.const_rows(classes, width), classes, width, factors.to_classes);
        pack(memory.const_rows(classes, width), classes, width, factors.to_features);
        PackedMatrix values(type);
        values.resize(rows, classes);
        project_exponentials(factors,
                             {.first = 0,
                              .count = rows,
                              .features = memory.const_rows(rows, width),
                              .shifts = memory.floats(rows),
                              .sums = memory.floats(rows),
                              .weighted_features = memory.rows(rows, whole_panels(width))},
                             values);
      }
    }
  });
}

TEST_P(MemoryBounds, OfProductsOfBytes) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    for (const auto& [rows, depth, columns] :
         {std::array{n, std::int64_t{5}, std::int64_t{19}}, std::array{std::int64_t{7}, n, std::int64_t{19}},
          std::array{std::int64_t{7}, std::int64_t{5}, n}}) {
      ByteMatrix right;
      right.resize(depth, columns);
      right.set_columns(memory.const_rows(columns, depth), 0, columns);
      ByteRows left;
      left.set(memory.const_rows(rows, depth), rows, depth);
      multiply_bytes(rows, left, right, {0, columns}, memory.rows(rows, columns), memory.floats(columns));
    }
  });
}

TEST_P(MemoryBounds, OfThePolarFactor) {
  for_each_length([](Guarded& memory, std::int64_t n) {
    polar_factor(n, 3, memory.const_rows(n, 3), memory.rows(n, 3));
    polar_factor(3, n, memory.const_rows(3, n), memory.rows(3, n));
  });
}

TEST(GuardedBuffer, NoticesAWriteBeyondItsOtherEnd) {
  const GuardedBuffer<float> buffer(10, GuardedEnd::kBack);
  EXPECT_TRUE(buffer.is_intact());
  *(buffer.data() - 1) = 1.0F;
  EXPECT_FALSE(buffer.is_intact());
}

TEST(GuardedBufferDeathTest, AReadBeyondItsEndEndsTheProcess) {
  const GuardedBuffer<float> buffer(10, GuardedEnd::kBack);
  const volatile float* const beyond = buffer.data() + 10;
  EXPECT_DEATH((void)*beyond, "");
}

}  // namespace
}  // namespace translate
