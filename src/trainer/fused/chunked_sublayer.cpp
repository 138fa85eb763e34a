#include "fused/chunked_sublayer.h"

#include <ATen/ATen.h>

#include <iterator>

#include "core/threads.h"

namespace translate::trainer {

at::Tensor ChunkedSublayer::forward() {
  for (auto* unit : linear_units()) {
    unit->start_forward();
  }
  auto output = at::empty({residual_.rows(), residual_.width()}, at::kFloat);
  parallel_chunks(std::ssize(chunks_), [&](std::int64_t i) {
    const auto& chunk = chunks_[static_cast<std::size_t>(i)];
    forward_chunk(chunk, rows_at(output, chunk.rows));
  });
  return output;
}

void ChunkedSublayer::run_backward(const at::Tensor& gradient) {
  const auto units = linear_units();
  residual_.start_backward(std::ssize(chunks_));
  for (auto* unit : units) {
    unit->start_backward(std::ssize(chunks_));
  }
  for (std::size_t first = 0; first < chunks_.size();) {
    auto last = first;  // of the block
    while (last + 1 < chunks_.size() && chunks_[last + 1].rows.end - chunks_[first].rows.begin <= kBlockRows) {
      ++last;
    }
    for (auto* unit : units) {
      unit->start_block({.rows = {chunks_[first].rows.begin, chunks_[last].rows.end},
                         .keys = {chunks_[first].keys.begin, chunks_[last].keys.end}});
    }
    parallel_chunks(static_cast<std::int64_t>(last + 1 - first), [&](std::int64_t i) {
      const auto& chunk = chunks_[first + static_cast<std::size_t>(i)];
      backward_chunk(chunk, rows_at(gradient, chunk.rows));
    });
    LinearUnit::end_block(units);
    first = last + 1;
  }
}

}  // namespace translate::trainer
