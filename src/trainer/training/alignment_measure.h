#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "data/batches/bilingual_dataset.h"
#include "data/training_data.h"
#include "model/aligning_attention.h"
#include "modules/transformer.h"

namespace translate::trainer {

/// A cross attention of a model, and how well it aligns.
struct MeasuredAttention {
  AligningAttention attention;
  double error_rate = 1.0;  ///< alignment error rate (0-1) against the links of the word aligner, see below
};

/// Measures how well the links of a model's attention agree with those of a word aligner, on validation pairs. Nothing
/// is decoded: each label of a reference is linked to the subword of the source that its row attends to most, or, for
/// the attention of inputs, the next row, in which it is the decoder's input. Labels that the aligner leaves without
/// links do not count. With h links in common, n labels and m links of the aligner, the error rate is 1 - 2 h / (n +
/// m); it is not 0 even for the best attention where labels have several links.
class AlignmentMeasure {
 public:
  /// Trains a word aligner on some of the training pairs, and aligns some of the validation pairs. `data` must have
  /// some.
  explicit AlignmentMeasure(const TrainingData& data);
  /// Trains a word aligner on `measured` and `further`, and aligns `measured`: subwords of sentences and of their
  /// translations, both without sos and eos. There must be some.
  AlignmentMeasure(const TokenizerPair& tokenizers, const std::vector<PairSubwords>& measured,
                   const std::vector<PairSubwords>& further = {});

  /// Measures each head and the mean of all heads, layer by layer, first as they predict, then those of inputs. Leaves
  /// the model in its mode, and draws no random numbers.
  [[nodiscard]] std::vector<MeasuredAttention> measure(Transformer model, const c10::Device& device) const;

 private:
  bool has_start_;              ///< whether sources begin with sos
  std::vector<Batch> batches_;  ///< with the aligner's links
};

/// Returns the one with the lowest error; of equal ones the first. There must be some.
[[nodiscard]] MeasuredAttention best_of(const std::vector<MeasuredAttention>& measured);

/// Sets the attention by which a model aligns, and that which predicts: of each the best. That of inputs is set if it
/// is the better one. `measured`: all of the model.
void set_best_attention(const std::vector<MeasuredAttention>& measured, ModelOptions& options);

}  // namespace translate::trainer
