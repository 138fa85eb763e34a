#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "config/options.h"

namespace translate {

/// How to get the files of public corpora that are missing: "; scripts/get-data multi30k-en-fr downloads what is
/// missing" for paths such as data/multi30k-en-fr/train.en.gz. Empty where `missing` holds no such path.
[[nodiscard]] std::string how_to_get(std::span<const std::filesystem::path> missing);

/// Throws DataError where a training or validation file is not there, naming the first one, how many are missing, and
/// how to get them where they belong to a public corpus.
void check_files_are_there(const DataOptions& data);

}  // namespace translate
