#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checkpoint/confidence.h"
#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "segments/seen_words.h"
#include "text/tokenizer.h"

namespace translate {

/// A model ready to translate: the weights as they are stored, each read when it is first used, and the files that
/// belong to them.
struct LoadedModel {
  Config config;
  TokenizerPair tokenizers;
  NamedArrays weights;                                      ///< a tied weight under its first name
  std::string origin;                                       ///< the name of their file in errors
  std::optional<Confidence> confidence = {};                ///< of a checkpoint that has one
  std::shared_ptr<const SeenWords> source_words = nullptr;  ///< of its training text, if the checkpoint has them
  std::string license = {};                                 ///< that its card shall state; empty: unknown
};

}  // namespace translate
