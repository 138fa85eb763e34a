#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/file_descriptor.h"
#include "core/output_file.h"
#include "core/unpacked_file.h"

namespace translate {

/// Returns JSON on one line, without the newline, as every program prints it. UTF-8 is not escaped; U+FFFD replaces
/// invalid bytes.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// A part of a file: the bytes from `begin` on, before `end`.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// Reads text to translate from a file or stdin, plain or gzip, in chunks of some lines. It drops a byte order mark at
/// the start and CR at line ends, accepts a last line without a newline, and changes nothing else. If a person types
/// the lines into a terminal, it shows a prompt on stderr while it waits for a line, unless the log level hides
/// information.
class LineStream {
 public:
  /// An empty `path` means stdin. With a `range`, only these bytes of a regular file's text are read: whole lines, as
  /// if they were a file of their own, except that a byte order mark stands only at the start of the whole file. Throws
  /// DataError if the file cannot be opened, or with a range if it is of another format than plain text or gzip.
  explicit LineStream(const std::string& path, const std::optional<ByteRange>& range = std::nullopt);

  /// Returns up to `count` more lines, or none at the end of the input. It waits for the first line only and then takes
  /// the lines that are available, so that a client that writes a line into a pipe and waits for its translation gets
  /// it. Throws DataError if reading fails, the file ends within the range, the input begins as one of another format
  /// than plain text (other_format), gzip data is damaged, or a line has more than kLongestLine bytes.
  [[nodiscard]] std::vector<std::string> read(std::size_t count);

  /// Returns the rest of the input as it is, with its byte order mark and its line ends. Throws DataError as read()
  /// does, and if there are more than `most` bytes.
  [[nodiscard]] std::string read_rest(std::size_t most);

  /// The size of the file, or of the range in its text, and the number of bytes returned as lines so far; for a gzip
  /// file without a range, the number of packed bytes read.
  struct Progress {
    std::uint64_t done;
    std::uint64_t size;
  };
  /// Returns the progress, or nothing if the size of the input is not known.
  [[nodiscard]] std::optional<Progress> progress() const;

  /// Returns whether a person types the lines at a prompt.
  [[nodiscard]] bool is_interactive() const { return prompts_; }

  /// The name for messages: the path, or "stdin".
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  [[nodiscard]] bool take_line(std::string& line);
  [[nodiscard]] bool more_is_there(std::size_t lines) const;
  [[nodiscard]] std::size_t read_some(std::span<char> to);
  [[noreturn]] void fail_to_read(const std::error_code& error) const;
  void begin_at(const ByteRange& range);
  void prompt();
  void fill();

  std::string name_;
  FileDescriptor opened_;  ///< unless it is stdin
  int file_;
  std::unique_ptr<UnpackedFile> unpacked_;
  bool is_packed_ = false;             ///< known after the first read
  std::optional<std::uint64_t> size_;  ///< size of the file or of the range
  std::optional<std::uint64_t> left_;  ///< with a range: its bytes that were not read yet
  std::uint64_t done_ = 0;             ///< bytes returned as lines
  std::uint64_t lines_ = 0;            ///< lines returned
  std::string buffer_;                 ///< bytes read from the file
  std::size_t begin_ = 0;              ///< start of the bytes that were not returned yet
  std::size_t searched_ = 0;           ///< there is no newline before this index
  bool at_start_ = true;
  bool ended_ = false;
  bool prompts_;           ///< whether a person types
  bool prompted_ = false;  ///< at least once
};

/// Writes results to a file or stdout. The file gets its name when it is complete; until then, and if a program ends
/// early, the results so far are in FILE.partial. A device or a pipe is written to directly.
class LineWriter {
 public:
  /// An empty `path` means stdout. Throws RuntimeError if the file cannot be created.
  explicit LineWriter(const std::string& path);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void write(const std::string& line);

  /// Writes bytes as they are, without a newline behind them.
  void write_bytes(std::string_view bytes);

  /// Hands the output to the system. Throws BrokenPipe if the reader has closed the pipe, RuntimeError if writing fails
  /// for another reason (disk full).
  void flush();

  /// Flushes the output, a file to the disk, and gives the file its final name. Throws the same errors as flush.
  void finish();

 private:
  std::filesystem::path path_;     ///< the file (empty: stdout)
  std::filesystem::path partial_;  ///< its name until it is complete (empty: it is written to directly)
  std::optional<OutputFile> file_;
  std::string buffer_;  ///< what the file does not have yet
};

/// Writes a program's result to stdout unchanged. Throws the same errors as LineWriter::flush.
void print_result(const std::string& text);

/// The same for a report to people: on a terminal, its lines are broken where the window ends.
void print_report(const std::string& text);

}  // namespace translate
