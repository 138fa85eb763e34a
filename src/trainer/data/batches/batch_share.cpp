#include "data/batches/batch_share.h"

#include <algorithm>

namespace translate::trainer {

std::vector<BatchShare> share_of_step(std::size_t first, std::size_t count, const ProcessShare& process) {
  const auto [rank, size] = process;
  std::vector<BatchShare> shares;
  if (count >= size) {
    for (auto batch = rank * count / size; batch < (rank + 1) * count / size; ++batch) {
      shares.push_back({.batch = first + batch});
    }
  } else if (count > 0) {
    // The processes of batch b are those from b * size / count on, rounded up.
    const auto begin_of = [count = count, size = size](std::size_t batch) {
      return (batch * size + count - 1) / count;
    };
    const auto batch = rank * count / size;
    shares.push_back(
        {.batch = first + batch, .part = rank - begin_of(batch), .parts = begin_of(batch + 1) - begin_of(batch)});
  }
  return shares;
}

std::vector<BatchShare> share_of_epoch(std::size_t first, std::size_t batches, std::size_t batches_per_step,
                                       const ProcessShare& process) {
  std::vector<BatchShare> shares;
  for (auto begin = first; begin < batches; begin += batches_per_step) {
    const auto of_step = share_of_step(begin, std::min(batches_per_step, batches - begin), process);
    shares.insert(shares.end(), of_step.begin(), of_step.end());
  }
  return shares;
}

std::pair<std::int64_t, std::int64_t> sentences_of(const BatchShare& share, const Batch& batch) {
  const auto& sources = *batch.encoder_input.sentences;
  const auto& targets = *batch.decoder_input.sentences;
  const auto tokens = batch.source_tokens() + batch.target_tokens();
  const auto parts = static_cast<std::int64_t>(share.parts);
  // The first sentence whose middle lies in the part or behind it.
  const auto begin_of = [&](std::int64_t part) {
    std::int64_t sentence = 0;
    while (sentence < batch.sentences()) {
      const auto begin = sources.offset(sentence) + targets.offset(sentence);
      const auto end = sources.offset(sentence + 1) + targets.offset(sentence + 1);
      if ((begin + end) * parts >= 2 * part * tokens) {
        break;
      }
      ++sentence;
    }
    return sentence;
  };
  const auto part = static_cast<std::int64_t>(share.part);
  return {part == 0 ? 0 : begin_of(part), part + 1 == parts ? batch.sentences() : begin_of(part + 1)};
}

}  // namespace translate::trainer
