#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "translate/apps/line_stream.h"
#include "translate/core/progress_line.h"
#include "translate/decoding/translation.h"

namespace translate {

/// What a program has translated so far, and the time from text to text that it took.
class TranslationAccount {
 public:
  void add(const Translation& translation);

  /// One line for people who wait: lines, lines a second, and, where the end is known, how far it is.
  [[nodiscard]] ProgressLine progress_line(const std::optional<LineStream::Progress>& progress) const;

  /// The whole, for programs that measure (scripts/benchmark-peers reads it).
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] double seconds() const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t lines_ = 0;
  std::int64_t pieces_ = 0;
  std::int64_t truncated_ = 0;
};

}  // namespace translate
