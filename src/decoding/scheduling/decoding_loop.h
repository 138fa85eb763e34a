#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "core/memory.h"
#include "decoding/scheduling/sentence_queue.h"
#include "decoding/search/search.h"
#include "inference/decoding_session.h"

namespace translate {

/// Decodes sentences, whatever the search and the model: together, as many at a time as decoding.batch_tokens allow; on
/// several threads where the model's sessions run side by side. Where sessions let sentences join, those that come
/// later do not wait for those under way. What a sentence gets does not depend on the others, as far as the model's
/// numbers do not.
class DecodingLoop {
 public:
  /// `device`: where the model is.
  DecodingLoop(std::shared_ptr<const InferenceModel> model, SearchOptions options, const c10::Device& device);

  /// Fills in Sentence::hypotheses. Where memory does not suffice, fewer sentences are decoded at a time, from then on.
  /// Throws RuntimeError where it does not suffice for one alone, and where the model gives logits that are no numbers.
  void decode(std::span<Sentence> sentences);

  /// The same for sentences as they come, until the source has no more. An error, also a lack of memory, is that of the
  /// sentences alone that it comes to again when each is decoded alone: the source is told, and the others go on.
  void decode(SentenceSource& source);

 private:
  struct Round;

  void decode_together(SentenceSource& source, Round& round);
  void decode_again(const Round& round, SentenceSource& source);
  void fail(Sentence& sentence, const std::exception& error, SentenceSource& source);
  [[nodiscard]] std::int64_t capacity() const;
  void lower_limit(const std::vector<Sentence*>& sentences, std::int64_t together, const std::exception& error);

  std::shared_ptr<const InferenceModel> model_;
  SearchOptions options_;
  ChunkLimit limit_;
};

}  // namespace translate
