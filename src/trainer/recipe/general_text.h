#pragma once

#include <optional>
#include <vector>

#include "config/options.h"
#include "recipe/run_text.h"

namespace translate::trainer {

/// General text: what a model that is fine-tuned to other text shall go on to translate well.
struct GeneralText {
  std::vector<CorpusFiles> training = {};    ///< to be mixed in; empty: there is too much of it
  std::vector<CorpusFiles> validation = {};  ///< by which is judged how much the model forgets
  std::vector<CorpusFiles> test = {};        ///< on which that is reported
};

/// Returns the general text of a fine-tuning: what the user gives (`run.general`); else the text that the model was
/// trained on, if `start`, its configuration, names it and the files are there; else nothing.
[[nodiscard]] std::optional<GeneralText> find_general_text(const RunText& run, const Config& start);

}  // namespace translate::trainer
