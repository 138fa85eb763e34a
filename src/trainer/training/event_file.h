#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"
#include "training/event_encoding.h"

namespace translate::trainer {

/// A new event file, from which TensorBoard draws the curves of a training. Each start of a training writes its own
/// file; TensorBoard reads all files of the folder in the order of their names. Every call writes whole records at
/// once, so that a killed process leaves at most the last one half-written, where TensorBoard ends reading that file.
class EventFile {
 public:
  /// Makes the folder if it is missing, and in it a file whose name comes after those that are there. Throws
  /// RuntimeError if it cannot be written, as all functions below do.
  explicit EventFile(const std::filesystem::path& folder);

  /// Notes that the training starts, and that `step` is the next one that it makes: values of this step and later ones,
  /// which an interrupted training has left behind, are no longer shown.
  void start(std::int64_t step);

  /// Appends values of curves. The steps of one curve must increase between two starts.
  void add_scalars(std::int64_t step, std::span<const Scalar> scalars);

  /// Appends a text in Markdown.
  void add_text(std::int64_t step, std::string_view tag, std::string_view markdown);

  /// Flushes the file to the disk.
  void flush();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void append(std::string_view event);

  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

}  // namespace translate::trainer
