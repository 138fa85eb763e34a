#pragma once

#include <string>
#include <vector>

#include "command_line/decoding_arguments.h"
#include "command_line/program.h"
#include "decoding/model_source.h"

namespace translate::tools {

/// The options of translate-explain --learn.
struct LearnRunOptions {
  std::string page;  ///< the file to write
  CommonOptions common;
  CheckpointOptions checkpoint;
  DecodingArguments decoding;          ///< its limits are the page's
  std::string target_language;         ///< of a model with several (empty: its only one)
  std::vector<std::string> sentences;  ///< the examples on the page; it translates the first one when it opens
};

/// Writes a page in which a browser computes the model (see learn_page, whose errors it throws). Throws ConfigError for
/// an ensemble, and the errors of page_place, ModelSource and choose_target.
void write_learn_page(const LearnRunOptions& options);

}  // namespace translate::tools
