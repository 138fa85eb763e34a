#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace translate {

/// JSON on one line, without its newline, as every program prints it: UTF-8 as it is, U+FFFD for what is none.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// Text to translate, in chunks of some lines, from a file or stdin. A byte order mark at the start and CR at line ends
/// are dropped, a last line without its newline counts; nothing else is changed. Where somebody types the lines into a
/// terminal, a prompt stands on stderr while one is waited for, unless information there is silenced.
class LineStream {
 public:
  /// `path` empty = stdin. Throws DataError where the file cannot be opened.
  explicit LineStream(const std::string& path);
  ~LineStream();
  LineStream(const LineStream&) = delete;
  LineStream& operator=(const LineStream&) = delete;

  /// Up to `count` more lines: those that are there, so that whoever writes a line into a pipe and waits for its
  /// translation gets it; it is waited for the first one alone. None at the end. Throws DataError where reading fails.
  [[nodiscard]] std::vector<std::string> read(std::size_t count);

  /// Bytes of the file and those handed out as lines so far; nothing where the end of the input is not known.
  struct Progress {
    std::uint64_t done;
    std::uint64_t size;
  };
  [[nodiscard]] std::optional<Progress> progress() const;

  /// Whether the lines are typed at a prompt.
  [[nodiscard]] bool is_interactive() const { return prompts_; }

  /// What messages call it: the path, or "stdin".
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  [[nodiscard]] bool take_line(std::string& line);
  [[nodiscard]] bool more_is_there(std::size_t lines) const;
  void prompt();
  void fill();

  std::string name_;
  int file_;
  std::optional<std::uint64_t> size_;  ///< of a file
  std::uint64_t done_ = 0;             ///< bytes handed out as lines
  std::string buffer_;                 ///< read from the file
  std::size_t begin_ = 0;              ///< of it, what was not handed out yet
  std::size_t searched_ = 0;           ///< up to here there is no newline
  bool at_start_ = true;
  bool ended_ = false;
  bool prompts_;           ///< whether somebody types
  bool prompted_ = false;  ///< at least once
};

/// Where results go: a file or stdout. A file appears whole, when everything is written; until then, and where a
/// program ends early, the results so far are in FILE.partial. A device or a pipe is written to directly.
class LineWriter {
 public:
  /// `path` empty = stdout. Throws RuntimeError where the file cannot be made.
  explicit LineWriter(const std::string& path);

  void write(const std::string& line);

  /// Hands over what was written. Throws BrokenPipe where nobody reads it any more, RuntimeError where it fails
  /// otherwise (disk full).
  void flush();

  /// Flushes, and gives a file its name. Throws likewise.
  void finish();

 private:
  std::string name_;     ///< the file, or "stdout"
  std::string partial_;  ///< what the file is called until it is whole (empty: it is written to directly)
  std::ofstream file_;
  std::ostream* stream_;
};

/// Writes a program's result, as it is, to stdout. Throws as LineWriter::flush.
void print_result(const std::string& text);

}  // namespace translate
