#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "translate/decoding/translation.h"

namespace translate {

/// Counts translations that a reader should look at, for one warning of each kind at the end of a program.
class TranslationWarnings {
 public:
  /// Takes the translation of the next line.
  void add(const Translation& translation);

  /// One message for each kind of which there were any: translations that reached the length limit, and translations
  /// so short for their source that text may be missing, with the numbers of the first lines.
  [[nodiscard]] std::vector<std::string> messages() const;

  /// Logs them.
  void log() const;

 private:
  std::int64_t lines_ = 0;
  std::int64_t truncated_ = 0;
  std::int64_t short_ = 0;
  std::vector<std::int64_t> first_short_;  ///< the numbers of the first of these lines, counted from 1
};

}  // namespace translate
