#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "core/file_descriptor.h"
#include "core/unpacked_file.h"

namespace translate {

/// The largest number of lines of a file, and of pairs of a corpus, which 32 bits can count.
inline constexpr std::uint64_t kMostPairs = std::numeric_limits<std::uint32_t>::max();

/// The origin of a pair.
struct PairOrigin {
  std::uint32_t corpus = 0;  ///< index of the corpus among those read, from 0
  std::uint32_t line = 0;    ///< line number in its two files, from 1

  bool operator==(const PairOrigin&) const = default;
};

/// Aligned sentences in memory: the three vectors are equally long. For test sets and parts of larger corpora.
struct ParallelCorpus {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<PairOrigin> origin;

  [[nodiscard]] std::size_t size() const { return source.size(); }
};

/// Returns the lines of a text file as LineReader reads them. Throws DataError as LineReader does.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);

/// Returns the concatenated corpora. Throws DataError as PairReader does.
[[nodiscard]] ParallelCorpus read_parallel_corpus(std::span<const CorpusFiles> files);

/// Returns whether there are corpora, and all of their files.
[[nodiscard]] bool are_there(std::span<const CorpusFiles> corpora);

/// "train.en:12", for messages; `files` are the ones the corpus was read from.
[[nodiscard]] std::string describe_origin(const PairOrigin& origin, std::span<const CorpusFiles> files);

/// Pairs that were left out for one reason.
struct LeftOut {
  std::size_t count = 0;
  PairOrigin first;  ///< the first one; meaningful if count > 0

  /// Counts one more pair.
  void add(const PairOrigin& origin);

  bool operator==(const LeftOut&) const = default;
};

/// The bytes of a text, in chunks.
class ByteReader {
 public:
  ByteReader() = default;
  virtual ~ByteReader() = default;
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// The next bytes, valid until the next call; empty at the end. Throws DataError and RuntimeError, which name the
  /// file, if it is damaged or cannot be read.
  [[nodiscard]] virtual std::string_view read() = 0;
};

/// Reads a file in chunks, unpacking it if it is gzip (by its first bytes, not its name).
class GzipReader final : public ByteReader {
 public:
  /// Throws as throw_read_error does if the file cannot be opened.
  explicit GzipReader(std::filesystem::path path);

  /// Throws as throw_read_error does if the file cannot be read, and DataError if it is damaged or truncated gzip, with
  /// the position.
  [[nodiscard]] std::string_view read() override;

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
  UnpackedFile file_;
  std::vector<char> buffer_;
  std::size_t lines_ = 0;  // newlines read so far, for messages about damage
};

/// Whether invalid UTF-8 and NUL bytes are an error.
enum class LineCheck { kUtf8, kNone };

/// The lines of a text file one after the other, plain or gzip (told apart by the content, not by the name). A byte
/// order mark, CRLF line ends and a missing newline at the end are read as if they were not there; only newlines end
/// lines. Holds one buffer of the file at a time.
class LineReader {
 public:
  /// Throws as GzipReader does.
  explicit LineReader(const std::filesystem::path& path, LineCheck check = LineCheck::kUtf8);
  /// Reads bytes that come from elsewhere; messages name `path`.
  LineReader(std::unique_ptr<ByteReader> bytes, std::filesystem::path path, LineCheck check = LineCheck::kUtf8);

  /// Reads the next line; returns false at the end of the file.
  /// Throws DataError with file and line: invalid UTF-8, NUL bytes (unless LineCheck::kNone), more than kLongestLine
  /// bytes; if the file begins as one of another format (other_format); and as GzipReader does.
  [[nodiscard]] bool next(std::string& line);

  /// Lines read so far.
  [[nodiscard]] std::size_t lines() const { return lines_; }

  /// The file, for messages.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[nodiscard]] bool read_raw(std::string& line);

  std::filesystem::path path_;
  std::unique_ptr<ByteReader> reader_;
  LineCheck check_;
  std::string_view rest_;  // rest of the reader's buffer
  std::size_t lines_ = 0;
};

/// Reads both texts of a corpus to their ends, and throws DataError: they have unequal numbers of lines.
[[noreturn]] void throw_unequal_lines(LineReader& source, LineReader& target);

/// A pair of sentences and its origin.
struct TextPair {
  std::string source;
  std::string target;
  PairOrigin origin;
};

/// The pairs of corpora, one corpus after the other, in the order of their lines. Those of a corpus with Markup::kHtml
/// are read by read_html.
class PairReader {
 public:
  explicit PairReader(std::span<const CorpusFiles> files, LineCheck check = LineCheck::kUtf8);

  /// Reads the next pair; returns false at the end. Throws DataError as LineReader does, and if the two files of a
  /// corpus have unequal line counts or more lines than can be counted.
  [[nodiscard]] bool next(TextPair& pair);

 private:
  std::vector<CorpusFiles> files_;
  LineCheck check_;
  std::size_t corpus_ = 0;
  std::optional<LineReader> source_;
  std::optional<LineReader> target_;
};

/// The share of a training text that is held out of training: pairs drawn at random, as a function of the three numbers
/// alone, on every platform.
struct HeldOutShare {
  std::uint64_t pairs = 0;  ///< pairs without a blank side in the whole text
  double fraction = 0.0;    ///< 0-1; 0 holds nothing out, else at least one pair is held out and one is not
  std::uint64_t seed = 0;
};

/// Throws DataError if pairs are to be held out of fewer than two, or of more than can be counted.
void check_held_out(const HeldOutShare& share);

/// Returns for each pair whether it is held out; empty if none is. Takes 4 bytes for each pair temporarily.
/// Throws DataError as check_held_out.
[[nodiscard]] std::vector<bool> draw_held_out(const HeldOutShare& share);

/// The choice of pairs of a text.
enum class Selection {
  kAll,       ///< all pairs, including blank ones
  kTraining,  ///< pairs without a blank side that are not held out
  kHeldOut    ///< pairs without a blank side that are held out
};

/// The selected pairs of a text.
class SelectedPairs {
 public:
  SelectedPairs(std::span<const CorpusFiles> files, Selection selection, const HeldOutShare& share = {});

  /// As PairReader::next.
  [[nodiscard]] bool next(TextPair& pair);

  /// Pairs skipped so far because a side is empty or white space only.
  [[nodiscard]] const LeftOut& blank() const { return blank_; }

 private:
  PairReader reader_;
  Selection selection_;
  std::vector<bool> held_out_;
  std::size_t position_ = 0;  // among the pairs that are not blank
  LeftOut blank_;
};

/// Reads all remaining pairs into memory.
[[nodiscard]] ParallelCorpus read_pairs(SelectedPairs& pairs);

}  // namespace translate
