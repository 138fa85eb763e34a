#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "config/options.h"

namespace translate {

/// What a session is to tell besides logits.
struct SessionOptions {
  bool attention = false;  ///< where each step looked in the source (NextSubword::attention)
};

/// What one row of a step gives. V: target vocabulary, S: the row's own source length.
struct NextSubword {
  std::span<float> logits;           ///< (V) of the subword that comes next; whoever reads them may change them
  std::span<const float> attention;  ///< (S) cross attention, mean over the heads of the last layer but one (the one
                                     ///< that aligns best: Garg et al. 2019, section 4.1; of the only one where there
                                     ///< is one); empty unless asked for
};

/// Sentences being decoded step by step: all that a search sees of a model. A row is a target that grows: one
/// hypothesis of one sentence. Used by one thread; several sessions of one model may be used by as many.
class DecodingSession {
 public:
  using Reader = std::function<void(std::int64_t row, const NextSubword& next)>;

  DecodingSession() = default;
  virtual ~DecodingSession() = default;
  DecodingSession(const DecodingSession&) = delete;
  DecodingSession& operator=(const DecodingSession&) = delete;

  /// Rows now.
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  /// Whether sentences may be added while others are under way; else only where rows() is 0.
  [[nodiscard]] virtual bool can_join() const = 0;

  /// Encodes `sources` (encoder inputs: sos, subwords, eos) and appends a row for each, which nothing was generated in
  /// yet.
  virtual void add(std::span<const std::span<const std::int64_t>> sources) = 0;

  /// One step: subwords[i] is the newest subword of row i (sos in the first step). Calls `read` once for each row, in
  /// any order, on the calling thread; what it is given lives until it returns.
  virtual void step(std::span<const std::int64_t> subwords, const Reader& read) = 0;

  /// From now on row i goes on from what row parents[i] was; a row may have several successors, or none (dropped).
  virtual void select(std::span<const std::int64_t> parents) = 0;
};

/// A model to translate with.
class InferenceModel {
 public:
  InferenceModel() = default;
  virtual ~InferenceModel() = default;
  InferenceModel(const InferenceModel&) = delete;
  InferenceModel& operator=(const InferenceModel&) = delete;

  /// A session without rows. The model must outlive it. Thread-safe.
  [[nodiscard]] virtual std::unique_ptr<DecodingSession> start(const SessionOptions& options) const = 0;

  /// Whether sessions on threads of their own are the way to use several processors (each computes on one thread then);
  /// else one session at a time, which takes all of them.
  [[nodiscard]] virtual bool runs_side_by_side() const = 0;

  /// Subwords of the target, V.
  [[nodiscard]] virtual std::int64_t vocabulary() const = 0;
};

/// The decoder layer, from 0, whose cross attention tells where a step looked (NextSubword::attention): the last but
/// one.
[[nodiscard]] inline std::int64_t aligning_layer(const ModelOptions& options) {
  return std::max<std::int64_t>(options.decoder_layers - 2, 0);
}

}  // namespace translate
