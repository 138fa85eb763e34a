#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/translation.h"
#include "modules/transformer.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// A stage of a forward pass (see StageObserver).
struct Stage {
  std::string name;
  at::Tensor value;  ///< on the CPU; the first dimension is that of the batch
};

/// Returns the stage of that name. Throws std::out_of_range if there is none.
[[nodiscard]] const at::Tensor& stage_value(const std::vector<Stage>& stages, const std::string& name);

/// One sentence and its translation, with the values inside the model. S: encoder input, T: decoder input, V:
/// vocabulary.
struct ObservedPass {
  std::vector<std::int64_t> encoder_input;    ///< (S) sos, subwords, eos
  std::vector<std::int64_t> decoder_input;    ///< (T) sos and the generated subwords, without eos
  std::vector<std::int64_t> generated;        ///< (T) the subword generated at each position of decoder_input
  std::vector<std::string> encoder_subwords;  ///< the same as text
  std::vector<std::string> decoder_subwords;
  std::vector<std::string> generated_subwords;
  at::Tensor probabilities;    ///< (T, V) float, CPU: of the next subword; 0 for subwords that are never generated
  std::vector<Stage> encoder;  ///< stages of encoding
  std::vector<Stage> decoder;  ///< stages of decoding and projecting the whole decoder input at once
};

/// A model to observe.
struct ObservedModel {
  Config config;
  TokenizerPair tokenizers;
  Transformer modules;
  c10::Device device = c10::kCPU;          ///< the modules' device
  Precision precision = Precision::kFp32;  ///< not auto
};

/// Runs one translated part through the model again, the whole target at once (each row sees only earlier positions:
/// the same as step by step), and keeps every stage. A part that was truncated at the length limit has no eos at its
/// end.
[[nodiscard]] ObservedPass observe_pass(const ObservedModel& model, const TranslatedPart& part);

/// Several sentences and their translations as one padded batch, with the values inside the model. B: sentences, S and
/// T: the longest encoder and decoder input.
struct ObservedBatch {
  at::Tensor source;           ///< (B, S) int64, CPU: sos, subwords, eos, padding
  at::Tensor target;           ///< (B, T) int64, CPU: sos, the generated subwords, padding
  std::vector<Stage> encoder;  ///< as in ObservedPass, of all sentences
  std::vector<Stage> decoder;
};

/// Runs translated parts through the model again, all of them at once. There must be at least one.
[[nodiscard]] ObservedBatch observe_batch(const ObservedModel& model, std::span<const TranslatedPart> parts);

/// One step of decoding as it is without a cache: the input is the whole target so far, and the last row predicts the
/// next subword.
struct WalkStep {
  std::vector<std::int64_t> decoder_input_shape;    ///< (1, t, d_model), positions added
  std::vector<std::int64_t> within_target_shape;    ///< of one layer: its self-attention, (1, heads, t, t), or the
                                                    ///< states of its recurrent unit, (1, t, d_model)
  std::vector<std::int64_t> cross_attention_shape;  ///< (1, heads, t, S), of one layer
  std::vector<std::int64_t> output_shape;           ///< (1, t, d_model), of the decoder
  std::vector<std::int64_t> likeliest;              ///< the likeliest subwords, best first
  std::vector<double> likelihoods;                  ///< their probabilities
  at::Tensor cross_attention;                       ///< (S) the new row of `layer`, mean over its heads
};

/// Decodes the target of `pass` step by step and records each step. `layer`: of the decoder, counted from 0. Throws
/// std::out_of_range if there is no such layer.
[[nodiscard]] std::vector<WalkStep> walk_steps(const ObservedModel& model, const ObservedPass& pass,
                                               std::int64_t layer);

}  // namespace translate::trainer
