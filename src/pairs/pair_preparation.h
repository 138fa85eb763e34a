#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/options.h"
#include "languages/language_names.h"
#include "pairs/pair_cleaning.h"
#include "pairs/pair_source.h"

namespace translate {

/// What became of the pairs of a text.
struct PreparationCounts {
  std::uint64_t read = 0;
  std::array<std::uint64_t, kDropReasons> dropped = {};  ///< by their reasons
  std::uint64_t near_duplicates = 0;  ///< left out because they are near-duplicates of pairs that are held out
  std::uint64_t training = 0;         ///< pairs to train on
  std::uint64_t held_out = 0;         ///< pairs of the validation set, and of the test set together

  bool operator==(const PreparationCounts&) const = default;

  /// The counts in sentences for the log, a line for each reason.
  [[nodiscard]] std::vector<std::string> describe() const;
};

/// A text of several sources that can be read several times.
using OpenPairs = std::function<std::vector<std::unique_ptr<PairSource>>()>;

/// Reads pairs, leaves out those that harm a training (PairCleaning), holds out a validation and a test set
/// (HeldOutPairs), and writes the three as files of lines into a folder, which must exist: `train.de`, `train.en`,
/// `validation.de`, ... Pairs that were left out go to `left-out.tsv`, with the reason and their place in front. Throws
/// DataError and RuntimeError as the sources do; DataError if the sides of a source are shifted against each other (see
/// LineShift), or if fewer than kFewestPairs remain.
[[nodiscard]] PreparationCounts prepare_pairs(const OpenPairs& open, const std::filesystem::path& folder,
                                              const LanguageCodes& languages, std::uint64_t seed);

/// The fewest pairs that a training can begin with.
inline constexpr std::uint64_t kFewestPairs = 100;

/// The files of one of the three sets ("train", "validation", "test") in a folder.
[[nodiscard]] CorpusFiles prepared_files(const std::filesystem::path& folder, const std::string& set,
                                         const LanguageCodes& languages);

}  // namespace translate
