#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "config/options.h"

namespace translate {

/// Returns a hint how to get missing files of public corpora: "; scripts/get-data multi30k-en-fr downloads what is
/// missing" for paths such as data/multi30k-en-fr/train.en.gz. Empty if `missing` holds no such path.
[[nodiscard]] std::string how_to_get(std::span<const std::filesystem::path> missing);

/// Throws DataError if a training or validation file is missing, with the first one, the number of missing files, and
/// how to get them if they belong to a public corpus.
void check_files_are_there(const DataOptions& data);

}  // namespace translate
