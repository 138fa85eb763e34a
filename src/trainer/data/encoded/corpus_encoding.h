#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/terminal.h"
#include "corpora/corpus_reader.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// Reports the progress of encoding a corpus: a log line every minute, and a progress line on a terminal.
class EncodingProgress {
 public:
  /// `total` is the approximate number of pairs to encode.
  EncodingProgress(std::string name, std::uint64_t total);
  /// Erases the progress line.
  ~EncodingProgress();
  EncodingProgress(const EncodingProgress&) = delete;
  EncodingProgress& operator=(const EncodingProgress&) = delete;

  /// Counts so many more pairs as done.
  void add(std::uint64_t pairs);

  /// Reports that all pairs are done and written into `file`.
  void finish(const std::filesystem::path& file) const;

 private:
  [[nodiscard]] double seconds() const;
  [[nodiscard]] ProgressLine line() const;

  std::string name_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_drawing_;  // due time of the next progress line, in seconds from the start
  double next_report_;   // due time of the next log line, in seconds from the start
};

/// The limits that training pairs must satisfy.
struct LengthLimits {
  std::int64_t max_length = 256;  ///< subwords a side, without sos, eos and the language tag
  double max_length_ratio = 0.0;  ///< the longer side over the shorter (0 = no limit)
};

/// A corpus to encode.
struct EncodingTask {
  std::string name;                    ///< for messages, e.g. "training"
  std::vector<CorpusFiles> files;      ///< the text; sources get the tags of target languages that are named
  Selection selection;                 ///< selected pairs
  HeldOutShare share;                  ///< share that is held out, if any
  TokenizerPair tokenizers;            ///< one a side
  std::optional<LengthLimits> limits;  ///< pairs beyond, or without subwords on a side, are left out; none: all stay
  bool source_text = false;            ///< whether the source text is kept
  bool target_text = false;
  bool source_words = false;  ///< whether the words of the sources are kept, so that others can be told apart
  std::uint64_t pairs = 0;    ///< approximate number of pairs, for the progress
  std::string text;           ///< identifies the text's content (CheckedText::fingerprint)
  /// Without limits: a pair with a side of more bytes is left out and not segmented; none: all stay.
  std::optional<std::size_t> max_bytes = std::nullopt;
};

/// Describes the inputs of a task's file as JSON: equal for equal results.
[[nodiscard]] std::string describe_task(const EncodingTask& task);

/// Encodes the pairs into a file, block by block, on kernel_threads() threads; the file does not depend on that
/// number. Reports its progress. Throws DataError as PairReader does, RuntimeError if the file cannot be written, and
/// StoppedBySignal on SIGINT and SIGTERM; then no file remains.
void encode_corpus(const EncodingTask& task, const std::filesystem::path& file);

/// Returns the encoded pairs: those in `file` if they are intact and were made from the same text, tokenizers and
/// limits; otherwise encodes them into `file` and logs the reason. If `scratch` is given, it is written instead of
/// `file`. Other processes may do the same at the same time: one of them encodes, the others wait for it. Throws as
/// encode_corpus does.
[[nodiscard]] std::shared_ptr<const EncodedCorpus> get_or_encode_corpus(const EncodingTask& task,
                                                                        const std::filesystem::path& file,
                                                                        const std::filesystem::path& scratch = {});

}  // namespace translate::trainer
