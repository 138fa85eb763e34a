#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/compute_device.h"
#include "inference/subword_logits.h"

namespace translate {

/// Ids of several sentences.
using IdSpans = std::span<const std::span<const std::int64_t>>;

/// The result of a step for one row. S: the row's own source length.
struct NextSubword {
  SubwordLogits logits;               ///< of the next subword
  std::span<const float> attention;   ///< (S) cross attention, that of the model's aligning_attention; empty unless
                                      ///< asked for (give_attention)
  std::span<const float> predicting;  ///< (S) the same of its predicting_attention
  bool is_of_input = false;           ///< `attention` is that of the row's newest subword, not of the next one
};

/// Sentences that are decoded step by step: the only interface between a search and a model. A row is a growing target:
/// one hypothesis of one sentence. Each session is used by one thread; several sessions of one model may be used by
/// several threads.
class DecodingSession {
 public:
  using Reader = std::function<void(std::int64_t row, const NextSubword& next)>;

  DecodingSession() = default;
  virtual ~DecodingSession() = default;
  DecodingSession(const DecodingSession&) = delete;
  DecodingSession& operator=(const DecodingSession&) = delete;

  /// The current number of rows.
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  /// Whether sentences may be added while others are being decoded; otherwise only while rows() is 0.
  [[nodiscard]] virtual bool can_join() const = 0;

  /// Encodes `sources` (encoder inputs: sos, subwords, eos) and appends one row each, with an empty prefix.
  /// `shortlists`: for each source the subwords that its translation may have, rising, all of them if there are none;
  /// empty: all, for each source.
  virtual void add(IdSpans sources, IdSpans shortlists) = 0;
  void add(IdSpans sources) { add(sources, {}); }

  /// Runs one step: subwords[i] is the newest subword of row i (sos in the first step). Calls `read` once for each row,
  /// in any order, on the calling thread; its argument is valid until it returns.
  virtual void step(std::span<const std::int64_t> subwords, const Reader& read) = 0;

  /// Says whether the next steps give NextSubword::attention. They do not until they are asked to.
  virtual void give_attention(bool wanted) = 0;

  /// Makes row i continue the former row parents[i]; a row may have several successors, or none (it is dropped).
  virtual void select(std::span<const std::int64_t> parents) = 0;
};

/// A model to translate with.
class InferenceModel {
 public:
  InferenceModel() = default;
  virtual ~InferenceModel() = default;
  InferenceModel(const InferenceModel&) = delete;
  InferenceModel& operator=(const InferenceModel&) = delete;

  /// Starts a session without rows. The model must outlive it. Thread-safe.
  [[nodiscard]] virtual std::unique_ptr<DecodingSession> start() const = 0;

  /// The device on which it computes.
  [[nodiscard]] virtual std::shared_ptr<const ComputeDevice> device() const { return cpu_device(); }

  /// Whether several processors are used by sessions on separate threads (each session then computes on one thread);
  /// otherwise one session at a time uses all processors.
  [[nodiscard]] virtual bool runs_side_by_side() const = 0;

  /// The size of the target vocabulary, V.
  [[nodiscard]] virtual std::int64_t vocabulary() const = 0;

  /// The memory of its weights in bytes, in the layout in which it computes with them; sessions come on top.
  [[nodiscard]] virtual std::int64_t weight_bytes() const = 0;
};

}  // namespace translate
