#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/translation.h"
#include "model/modules/transformer.h"
#include "text/tokenizer_training.h"

namespace translate {

/// A stage of a forward pass (see StageObserver).
struct Stage {
  std::string name;
  at::Tensor value;  ///< a batch of one, on the CPU
};

/// The stage of that name. Throws std::out_of_range where there is none.
[[nodiscard]] const at::Tensor& stage_value(const std::vector<Stage>& stages, const std::string& name);

/// One sentence and its translation, looked at inside the model. S: encoder input, T: decoder input, V: vocabulary.
struct ObservedPass {
  std::vector<std::int64_t> encoder_input;    ///< (S) sos, subwords, eos
  std::vector<std::int64_t> decoder_input;    ///< (T) sos and what was generated, without eos
  std::vector<std::int64_t> generated;        ///< (T) what was generated at each position of decoder_input
  std::vector<std::string> encoder_subwords;  ///< the same as text
  std::vector<std::string> decoder_subwords;
  std::vector<std::string> generated_subwords;
  at::Tensor probabilities;    ///< (T, V) float, CPU: of the next subword; 0 for those that are never generated
  std::vector<Stage> encoder;  ///< stages of encoding
  std::vector<Stage> decoder;  ///< stages of decoding and projecting the whole decoder input at once
};

/// A model to look into.
struct ObservedModel {
  Config config;
  TokenizerPair tokenizers;
  Transformer modules;
  c10::Device device = c10::kCPU;          ///< where the modules are
  Precision precision = Precision::kFp32;  ///< not auto
};

/// Sends one translated part through the model again, the whole target at once (each row sees only what came before
/// it: the same as step by step), and keeps every stage. A part cut off by the length limit has no eos at its end.
[[nodiscard]] ObservedPass observe_pass(const ObservedModel& model, const TranslatedPart& part);

/// One step of decoding as it is without a cache: the whole target so far goes in, the last row tells what comes next.
struct WalkStep {
  std::vector<std::int64_t> decoder_input_shape;    ///< (1, t, d_model), positions added
  std::vector<std::int64_t> self_attention_shape;   ///< (1, heads, t, t), of one layer
  std::vector<std::int64_t> cross_attention_shape;  ///< (1, heads, t, S), of one layer
  std::vector<std::int64_t> output_shape;           ///< (1, t, d_model), of the decoder
  std::vector<std::int64_t> likeliest;              ///< the likeliest subwords, best first
  std::vector<double> likelihoods;                  ///< their probabilities
  at::Tensor cross_attention;                       ///< (S) the new row of `layer`, mean over its heads
};

/// Decodes step by step what `pass` says, looking at each step. `layer`: of the decoder, counted from 0.
/// Throws std::out_of_range where there is no such layer.
[[nodiscard]] std::vector<WalkStep> walk_steps(const ObservedModel& model, const ObservedPass& pass,
                                               std::int64_t layer);

}  // namespace translate
