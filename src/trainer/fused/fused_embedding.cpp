#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "core/processor.h"
#include "fused/fused_function.h"
#include "fused/fused_sublayers.h"
#include "kernels/float_buffer.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kRows = 64;      // rows of the output that a thread takes at a time
constexpr std::int64_t kEntries = 256;  // entries of the table whose gradients a thread takes at a time

at::Tensor embed(const at::Tensor& table, const at::Tensor& ids, const EmbeddingSettings& settings) {
  const auto width = table.size(1);
  auto output = at::empty({ids.size(0), width}, table.options().requires_grad(false));
  const float* entries = table.const_data_ptr<float>();
  const auto* id = ids.const_data_ptr<std::int64_t>();
  const auto positions_of_rows = settings.sentences->positions();
  const auto* position = positions_of_rows.const_data_ptr<std::int64_t>();
  const float* positions = settings.positions.defined() ? settings.positions.const_data_ptr<float>() : nullptr;
  const auto factor = static_cast<float>(settings.factor);
  float* out = floats(output);
  parallel_ranges(ids.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
    std::array<float, kRows> factors{};
    std::fill_n(factors.begin(), end - begin, factor);
    settings.sentences->drop(settings.words, begin, end - begin, /*width=*/1, factors.data());
    for (auto row = begin; row < end; ++row) {
      if (id[row] == settings.zero) {
        factors[static_cast<std::size_t>(row - begin)] = 0.0F;
      }
    }
    for (auto row = begin; row < end; ++row) {
      const float* entry = entries + id[row] * width;
      float* to = out + row * width;
      std::transform(entry, entry + width, to,
                     [of_row = factors[static_cast<std::size_t>(row - begin)]](float value) { return value * of_row; });
      if (positions != nullptr) {
        const float* added = positions + position[row] * width;
        std::transform(to, to + width, added, to, [](float value, float other) { return value + other; });
      }
    }
    settings.sentences->drop(settings.dropout, begin, end - begin, width, out + begin * width);
  });
  return output;
}

/// Returns the gradient of a table of `size` entries.
at::Tensor table_gradient(std::int64_t size, const at::Tensor& ids, const EmbeddingSettings& settings,
                          const at::Tensor& gradient) {
  const auto width = gradient.size(1);
  auto result = at::empty({size, width}, gradient.options());
  const auto* id = ids.const_data_ptr<std::int64_t>();
  const float* from = gradient.const_data_ptr<float>();
  const auto factor = static_cast<float>(settings.factor);
  float* out = floats(result);
  parallel_ranges(size, kEntries, [&](std::int64_t begin, std::int64_t end) {
    thread_local FloatBuffer scratch;
    float* values = scratch.take(width);
    std::fill(out + begin * width, out + end * width, 0.0F);
    for (std::int64_t row = 0; row < ids.size(0); ++row) {
      if (id[row] < begin || id[row] >= end || id[row] == settings.zero) {
        continue;
      }
      std::copy_n(from + row * width, width, values);
      settings.sentences->drop(settings.dropout, row, 1, width, values);
      float of_row = factor;
      settings.sentences->drop(settings.words, row, 1, /*width=*/1, &of_row);
      float* sum = out + id[row] * width;
      std::transform(values, values + width, sum, sum,
                     [of_row](float value, float so_far) { return so_far + of_row * value; });
    }
  });
  return result;
}

struct FusedEmbeddingInputs {
  at::Tensor table;

  [[nodiscard]] TensorPointers list() { return {&table}; }
};

struct FusedEmbeddingSettings {
  EmbeddingSettings embedding;
  at::Tensor ids;
};

class FusedEmbedding {
 public:
  using Settings = FusedEmbeddingSettings;
  using Inputs = FusedEmbeddingInputs;
  struct Kept {
    [[nodiscard]] static TensorPointers list() { return {}; }
  };

  FusedEmbedding(const Settings& settings, const Inputs& inputs, Kept& /*kept*/)
      : settings_(settings), table_(inputs.table) {}

  at::Tensor forward() { return embed(table_, settings_.ids, settings_.embedding); }

  Inputs backward(const at::Tensor& gradient) {
    return {.table = table_gradient(table_.size(0), settings_.ids, settings_.embedding, gradient)};
  }

 private:
  const Settings& settings_;
  at::Tensor table_;
};

}  // namespace

at::Tensor FusedSublayers::embedding(const at::Tensor& table, const at::Tensor& ids,
                                     const EmbeddingSettings& settings) const {
  return FusedFunction<FusedEmbedding>::run({.embedding = settings, .ids = ids.contiguous()}, {.table = table});
}

}  // namespace translate::trainer
