#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/output_file.h"
#include "pairs/pair_source.h"

namespace translate {

/// A text file that is written line by line. Throws as OutputFile does.
class TextFileWriter {
 public:
  explicit TextFileWriter(const std::filesystem::path& path) : file_(path) {}

  void write(std::string_view line) {
    constexpr std::size_t kChunk = std::size_t{1} << 20U;
    bytes_ += line;
    bytes_ += '\n';
    if (bytes_.size() > kChunk) {
      file_.write(std::exchange(bytes_, {}));
    }
  }

  /// Writes what is left; without it the file is incomplete.
  void finish() {
    file_.write(bytes_);
    bytes_.clear();
    static_cast<void>(file_.finish());
  }

 private:
  OutputFile file_;
  std::string bytes_;
};

/// Two texts of which line N of one is the translation of line N of the other.
class PairWriter {
 public:
  PairWriter(const std::filesystem::path& source, const std::filesystem::path& target)
      : source_(source), target_(target) {}

  void write(const SentencePair& pair) {
    source_.write(pair.source);
    target_.write(pair.target);
  }

  void finish() {
    source_.finish();
    target_.finish();
  }

 private:
  TextFileWriter source_;
  TextFileWriter target_;
};

}  // namespace translate
