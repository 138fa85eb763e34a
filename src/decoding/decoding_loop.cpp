#include "translate/decoding/decoding_loop.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "translate/core/memory.h"
#include "translate/decoding/sentence_queue.h"
#include "translate/decoding/session_runner.h"
#include "translate/kernels/parallel.h"

namespace translate {
namespace {

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

/// Several sessions at once. A thread that runs out of memory puts its sentences back and leaves its memory to the
/// others: what nobody came to waits in the queue afterwards.
void decode_side_by_side(const InferenceModel& model, const SearchOptions& options, std::int64_t workers,
                         std::int64_t capacity, SentenceQueue& queue) {
  const auto share = divided_up(std::min(capacity, queue.total_cost()), workers);  // equal shares end together
  parallel_chunks(workers, [&](std::int64_t) {
    SessionRunner runner(model, options, share, queue);
    try {
      runner.run();
    } catch (const std::exception& error) {
      if (!is_out_of_memory(error)) {
        throw;
      }
      queue.put_back(runner.abandon());
    }
  });
}

}  // namespace

DecodingLoop::DecodingLoop(std::shared_ptr<const InferenceModel> model, SearchOptions options,
                           const c10::Device& device)
    : model_(std::move(model)), options_(std::move(options)), limit_(device, "translating") {}

void DecodingLoop::decode(std::span<Sentence> sentences) {
  SentenceQueue queue(options_, sentences);
  const auto batch_tokens = options_.decoding.batch_tokens;
  const auto workers = model_->runs_side_by_side() ? std::min(std::ssize(sentences), parallel_threads()) : 1;
  if (workers > 1) {
    decode_side_by_side(*model_, options_, workers, limit_.rows_at_once(batch_tokens, /*width=*/1), queue);
  }
  while (!queue.is_empty()) {
    SessionRunner runner(*model_, options_, limit_.rows_at_once(batch_tokens, /*width=*/1), queue);
    try {
      runner.run();
    } catch (const std::exception& error) {
      const auto unfinished = runner.abandon();
      queue.put_back(unfinished);
      std::int64_t cost = 0;
      for (const auto* sentence : unfinished) {
        cost += SentenceQueue::cost(options_, *sentence);
      }
      const auto count = std::max<std::int64_t>(std::ssize(unfinished), 1);
      limit_.lower(count, divided_up(cost, count), error);
    }
  }
}

}  // namespace translate
