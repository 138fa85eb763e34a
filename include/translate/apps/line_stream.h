#pragma once

#include <cstddef>
#include <fstream>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace translate {

/// Text to translate, in pieces of some lines, from a file or stdin. A byte order mark at the start and CR at line ends
/// are dropped, a last line without its newline counts; nothing else is changed.
class LineReader {
 public:
  /// `path` empty = stdin. Throws DataError where the file cannot be opened.
  explicit LineReader(const std::string& path);

  /// Up to `count` more lines; none at the end. Throws DataError where reading fails.
  [[nodiscard]] std::vector<std::string> read(std::size_t count);

 private:
  std::string name_;
  std::ifstream file_;
  std::istream* stream_;
  bool at_start_ = true;
};

/// Where results go: a file or stdout.
class LineWriter {
 public:
  /// `path` empty = stdout. Throws RuntimeError where the file cannot be made.
  explicit LineWriter(const std::string& path);

  void write(const std::string& line);

  /// Hands over what was written. Throws RuntimeError where that fails (disk full).
  void flush();

 private:
  std::string name_;
  std::ofstream file_;
  std::ostream* stream_;
};

/// Writes a program's result, as it is, to stdout. Throws RuntimeError where that fails (disk full).
void print_result(const std::string& text);

}  // namespace translate
