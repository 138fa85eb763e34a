#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "core/threads.h"
#include "fused/fused_function.h"
#include "fused/fused_sublayers.h"
#include "kernels/embedding.h"
#include "kernels/float_buffer.h"
#include "modules/embeddings.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kRows = 64;      // rows of the output that a thread takes at a time
constexpr std::int64_t kEntries = 256;  // entries of the table whose gradients a thread takes at a time

class FusedEmbedding {
 public:
  struct Settings {
    EmbeddingSettings of;
    at::Tensor ids;  ///< (rows)
  };

  struct Inputs {
    at::Tensor table;  ///< (V, d_model)

    [[nodiscard]] TensorPointers list() { return {&table}; }
  };

  struct Kept {
    [[nodiscard]] static TensorPointers list() { return {}; }
  };

  FusedEmbedding(const Settings& settings, const Inputs& inputs, Kept& /*kept*/)
      : settings_(settings.of), ids_(settings.ids), table_(inputs.table), width_(table_.size(1)) {}

  at::Tensor forward() {
    auto output = at::empty({ids_.size(0), width_}, at::kFloat);
    const auto positions = settings_.sentences->positions();
    parallel_ranges(ids_.size(0), kRows,
                    [&](std::int64_t begin, std::int64_t end) { embed_rows(begin, end, positions, output); });
    return output;
  }

  Inputs backward(const at::Tensor& gradient) {
    auto result = at::empty(table_.sizes(), at::kFloat);
    parallel_ranges(table_.size(0), kEntries,
                    [&](std::int64_t begin, std::int64_t end) { add_gradients(begin, end, gradient, result); });
    return {.table = result};
  }

 private:
  /// Writes rows [begin, end) of the output. `positions`: of all rows in their sentences.
  void embed_rows(std::int64_t begin, std::int64_t end, const at::Tensor& positions, const at::Tensor& output) const {
    const auto* id = ids_.const_data_ptr<std::int64_t>();
    const auto* position = positions.const_data_ptr<std::int64_t>();
    std::array<float, kRows> factors{};
    std::fill_n(factors.begin(), end - begin, static_cast<float>(settings_.factor));
    settings_.sentences->drop(settings_.words, begin, end - begin, /*width=*/1, factors.data());
    const float* entries = floats(table_);
    const float* vectors = floats(settings_.positions);
    float* to = floats(output) + begin * width_;
    for (auto row = begin; row < end; ++row) {
      const float* vector = vectors != nullptr ? vectors + position[row] * width_ : nullptr;
      const bool is_zero = id[row] == settings_.zero || id[row] == kCutId;
      const float factor = is_zero ? 0.0F : factors[static_cast<std::size_t>(row - begin)];
      embed_row(entries + std::max<std::int64_t>(id[row], 0) * width_, factor, vector, width_,
                to + (row - begin) * width_);
    }
    settings_.sentences->drop(settings_.dropout, begin, end - begin, width_, to);
  }

  /// Writes the gradients of entries [begin, end) of the table, from all rows that have one of them.
  void add_gradients(std::int64_t begin, std::int64_t end, const at::Tensor& gradient, const at::Tensor& result) const {
    thread_local FloatBuffer scratch;
    float* values = scratch.take(width_);
    const auto* id = ids_.const_data_ptr<std::int64_t>();
    const float* from = floats(gradient);
    float* out = floats(result);
    std::fill_n(out + begin * width_, (end - begin) * width_, 0.0F);
    for (std::int64_t row = 0; row < ids_.size(0); ++row) {
      if (id[row] < begin || id[row] >= end || id[row] == settings_.zero) {
        continue;
      }
      std::copy_n(from + row * width_, width_, values);
      settings_.sentences->drop(settings_.dropout, row, 1, width_, values);
      auto factor = static_cast<float>(settings_.factor);
      settings_.sentences->drop(settings_.words, row, 1, /*width=*/1, &factor);
      embed_row_backward(values, factor, width_, out + id[row] * width_);
    }
  }

  const EmbeddingSettings& settings_;
  at::Tensor ids_;
  at::Tensor table_;
  std::int64_t width_;
};

}  // namespace

at::Tensor FusedSublayers::embedding(const at::Tensor& table, const at::Tensor& ids,
                                     const EmbeddingSettings& settings) const {
  return FusedFunction<FusedEmbedding>::run({.of = settings, .ids = ids.contiguous()}, {.table = table});
}

}  // namespace translate::trainer
