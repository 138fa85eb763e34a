#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace translate {

/// Returns a hint how to get missing files of public corpora: "; scripts/get-data multi30k-en-fr downloads what is
/// missing" for paths such as data/multi30k-en-fr/train.en.gz. Empty if `missing` holds no such path.
[[nodiscard]] std::string how_to_get(std::span<const std::filesystem::path> missing);

}  // namespace translate
