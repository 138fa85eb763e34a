#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/core/piece_limit.h"
#include "translate/decoding/greedy_search.h"
#include "translate/model/transformer.h"
#include "translate/text/tokenizer.h"

namespace translate {

/// What the model read and said: a whole line, or a part of one that was too long.
struct TranslatedPart {
  std::vector<std::int64_t> encoder_input;  ///< sos, pieces, eos
  Hypothesis hypothesis;
};

/// One line's translation.
struct Translation {
  std::string source;                 ///< the line as read (invalid UTF-8 replaced)
  std::string text;                   ///< its translation; empty for a blank line
  double score = 0.0;                 ///< log-probability, summed (nats)
  std::vector<std::string> tokens;    ///< the translation's pieces
  bool truncated = false;             ///< the length limit came before the end
  std::vector<TranslatedPart> parts;  ///< as ids; none for a blank line
};

/// How a Translator works.
struct TranslatorOptions {
  DecodingOptions decoding;            ///< limits and batch size
  std::int64_t max_source_length = 0;  ///< longer lines are split (pieces, without sos and eos)
  c10::Device device = c10::kCPU;      ///< where the model is
  Precision precision = Precision::kFp32;
  bool warn = true;  ///< of odd lines; off where the same lines are translated again and again
};

/// The options that a configuration gives: sources as long as training saw, and no more than a table of learned
/// positions holds. `precision` may be auto.
[[nodiscard]] TranslatorOptions translator_options(const Config& config, const c10::Device& device,
                                                   Precision precision);

/// Text in, text out: what validation, evaluation and inference all use.
class Translator {
 public:
  /// Shares the model: it may go on being trained between calls.
  Translator(Transformer model, Tokenizer source, Tokenizer target, TranslatorOptions options);

  /// Translates `lines`: as many translations as lines, in their order. Lines are batched by length; a blank line gives
  /// an empty translation; invalid UTF-8 is read as U+FFFD; a line longer than max_source_length is split at sentence
  /// ends, else between words or pieces, translated part by part and joined with spaces. Each oddity is warned of once
  /// for its line, numbered from `first_line`. Batches that memory does not suffice for are divided.
  std::vector<Translation> translate(std::span<const std::string> lines, std::int64_t first_line = 1);

 private:
  struct Part;
  [[nodiscard]] std::vector<Part> parts_of(Translation& translation, std::int64_t line) const;
  void warn(const std::string& message) const;
  void translate_batch(std::span<Part*> batch);

  Transformer model_;
  Tokenizer source_;
  Tokenizer target_;
  TranslatorOptions options_;
  PieceLimit limit_;
};

}  // namespace translate
