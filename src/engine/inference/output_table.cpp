#include "inference/output_table.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "core/threads.h"
#include "kernels/float_buffer.h"

namespace translate {

namespace {

/// Returns a right factor like `whole`, with room for some of its columns.
ByteMatrix room_for(std::int64_t columns, const ByteMatrix& whole) {
  ByteMatrix some;
  some.resize(whole.depth(), columns);
  return some;
}
PackedMatrix room_for(std::int64_t columns, const PackedMatrix& whole) {
  PackedMatrix some(whole.type());
  some.resize(whole.depth(), columns);
  return some;
}

}  // namespace

OutputTable::OutputTable(const LinearWeights& layer) : layer_(layer) {
  std::visit(
      [this](const auto& packed) {
        constexpr std::int64_t kColumns = 1024;
        width_ = packed.column_terms();
        terms_.resize(static_cast<std::size_t>(packed.columns() * width_));
        parallel_ranges(packed.columns(), kColumns, [&](std::int64_t begin, std::int64_t end) {
          for (auto column = begin; column < end; ++column) {
            packed.copy_terms(column, terms_.data() + column * width_);
          }
        });
      },
      layer.weight_);
}

LinearWeights OutputTable::layer_of(std::span<const std::int64_t> outputs) const {
  thread_local FloatBuffer scratch;
  LinearWeights layer;
  float* const rows = scratch.take(kPanelWidth * width_);
  std::visit(
      [&](const auto& whole) {
        auto some = room_for(std::ssize(outputs), whole);
        for (std::int64_t first = 0; first < some.columns(); first += kPanelWidth) {
          const auto count = std::min(kPanelWidth, some.columns() - first);
          for (std::int64_t i = 0; i < count; ++i) {
            std::copy_n(terms_.data() + outputs[static_cast<std::size_t>(first + i)] * width_, width_,
                        rows + i * width_);
          }
          some.set_terms({rows, width_}, first, count);
        }
        layer.weight_ = std::move(some);
      },
      layer_.weight_);
  if (!layer_.bias_.empty()) {
    for (const auto output : outputs) {
      layer.bias_.push_back(layer_.bias_[static_cast<std::size_t>(output)]);
    }
  }
  return layer;
}

}  // namespace translate
