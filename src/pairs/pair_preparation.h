#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/options.h"
#include "languages/language_names.h"
#include "pairs/text_cleaning.h"

namespace translate {

/// What became of the pairs of a text.
struct PreparationCounts {
  CleaningCounts cleaning = {};
  std::uint64_t near_duplicates = 0;  ///< left out because they are near-duplicates of pairs that are held out, here or
                                      ///< from the other text
  std::uint64_t training = 0;         ///< pairs to train on
  std::uint64_t held_out = 0;         ///< pairs of the validation set, and of the test set together

  bool operator==(const PreparationCounts&) const = default;

  /// The counts in sentences for the log, a line for each reason.
  [[nodiscard]] std::vector<std::string> describe() const;
};

/// How a text is prepared.
struct PreparationOptions {
  LanguageCodes languages = {};
  std::uint64_t seed = 0;
  LanguageCheck check = {};
  bool holds_out = true;  ///< a validation and a test set; otherwise all pairs are for training
  /// A folder with another prepared text of the same training: near-duplicates of its validation and test pairs are
  /// left out. Empty: there is none.
  std::filesystem::path other_text = {};
};

/// Reads pairs, leaves out those that harm a training (clean_pairs), holds out a validation and a test set
/// (HeldOutPairs), and writes the three as files of lines into a folder, which must exist: `train.de`, `train.en`,
/// `validation.de`, ... Pairs that were left out go to `left-out.tsv`, with the reason and their place in front. Throws
/// DataError and RuntimeError as clean_pairs does; DataError if fewer than kFewestPairs remain.
[[nodiscard]] PreparationCounts prepare_pairs(const OpenPairs& open, const std::filesystem::path& folder,
                                              const PreparationOptions& options);

/// The fewest pairs that a training can begin with.
inline constexpr std::uint64_t kFewestPairs = 100;

/// The files of one of the three sets ("train", "validation", "test") in a folder.
[[nodiscard]] CorpusFiles prepared_files(const std::filesystem::path& folder, const std::string& set,
                                         const LanguageCodes& languages);

}  // namespace translate
