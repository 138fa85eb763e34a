#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/data/text_sums.h"

namespace translate {

/// Where a run was when its configuration was written, and where it is now.
struct RunPlaces {
  std::filesystem::path then;  ///< run_dir of its configuration, absolute
  std::filesystem::path now;   ///< its folder; empty where that is not known (a checkpoint that was taken out of it)
};

/// The places where a file of a run may be, each once: first where it was, then at the same place as seen from the
/// run's folder, then, for a run that was trained in `runs/`, at the same place as seen from the folder that holds
/// `runs/`, which is now the current one.
[[nodiscard]] std::vector<std::filesystem::path> places_of(const std::filesystem::path& path, const RunPlaces& run);

/// Gives every file of a configuration that is no longer where it was (data.train, .validation, .test, .cache_dir,
/// tokenizer.source_model, .target_model) the first of its places that is there, which is told in the log; one that is
/// nowhere keeps its path.
void follow_moved_run(Config& config, const RunPlaces& run);

/// Finds the text of a part of the data where the run, the text or both were moved: for each file the first of its
/// places with the content of `sums`, else the first that is there. A file that was found elsewhere is told in the log;
/// one of other content is a warning. `sums` may be empty: then nothing is known of the content. `key` names the files
/// in messages ("data.test"). Throws DataError where a file is nowhere, saying where it was looked for.
[[nodiscard]] std::vector<CorpusFiles> find_moved_text(const std::vector<CorpusFiles>& files,
                                                       const std::vector<CorpusSum>& sums, const RunPlaces& run,
                                                       const std::string& key);

}  // namespace translate
