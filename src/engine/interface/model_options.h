#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decoding/model_opening.h"
#include "decoding/model_source.h"
#include "segments/glossary.h"
#include "translate/translate_c.h"

/// The options of translate_options_set and translate_options_add_term.
struct translate_options {
  translate::CheckpointOptions checkpoint;
  translate::ComputeOptions computing;
  int threads = 0;
  bool alignments = false;
  bool word_scores = false;
  std::optional<bool> raw;
  std::vector<std::string> keep;  ///< terms
  std::string glossary;           ///< a file; empty: none
  std::string shortlist;          ///< the same
  std::vector<translate::GlossaryTerm> terms;
  std::string target_language;
  std::vector<std::string> decoding;    ///< overrides of the configuration: "decoding.beam_size=5"
  std::vector<std::string> of_opening;  ///< the names of those given that concern the opening of a model alone
};

namespace translate {

/// Sets an option by its name in translate_c.h. Throws ConfigError for another name, or a value that it does not
/// accept.
void set_option(translate_options& options, const std::string& name, const std::string& value);

}  // namespace translate
