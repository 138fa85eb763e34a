#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "translate/core/progress_line.h"

namespace translate {

/// Tells how far the encoding of a corpus is: a log line a minute, on a terminal a progress line besides.
class EncodingProgress {
 public:
  /// `total`: about how many pairs there are to encode.
  EncodingProgress(std::string name, std::uint64_t total);
  /// Erases the progress line.
  ~EncodingProgress();
  EncodingProgress(const EncodingProgress&) = delete;
  EncodingProgress& operator=(const EncodingProgress&) = delete;

  /// So many more pairs are done.
  void add(std::uint64_t pairs);

  /// All are done and written into `file`.
  void finish(const std::filesystem::path& file) const;

 private:
  [[nodiscard]] double seconds() const;
  [[nodiscard]] ProgressLine line() const;

  std::string name_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_drawing_;  // of the progress line: when it is due, in seconds from the start
  double next_report_;   // in the log, likewise
};

}  // namespace translate
