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
#include "data/corpus_reader.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer_training.h"

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

/// What training pairs must satisfy.
struct LengthLimits {
  std::int64_t max_length = 256;  ///< subwords a side, without sos and eos
  double max_length_ratio = 0.0;  ///< the longer side over the shorter (0 = no limit)
};

/// A corpus to encode.
struct EncodingTask {
  std::string name;                    ///< for messages, e.g. "training"
  std::vector<CorpusFiles> files;      ///< the text
  Selection selection;                 ///< which of its pairs
  HeldOutShare share;                  ///< where some are held out
  TokenizerPair tokenizers;            ///< one a side
  std::optional<LengthLimits> limits;  ///< pairs beyond, or without a subword on one side, are left out; none: all stay
  bool source_text = false;            ///< whether the text of the sources is kept
  bool target_text = false;
  std::uint64_t pairs = 0;  ///< about how many they are, to tell how far the work is
  std::string text;         ///< what identifies the text's content (CheckedText::fingerprint)
  /// Without limits: a pair with a side of more bytes is left out and not segmented; none: all stay.
  std::optional<std::size_t> max_bytes = std::nullopt;
};

/// From what the file of a task is made, as JSON: equal for equal results.
[[nodiscard]] std::string describe_task(const EncodingTask& task);

/// Encodes the pairs into a file, block by block, on LibTorch's number of threads; the file does not depend on that
/// number. Shows how far it is. Throws DataError as the reading does, RuntimeError where the file cannot be written,
/// and StoppedBySignal on SIGINT and SIGTERM; nothing is then left.
void encode_corpus(const EncodingTask& task, const std::filesystem::path& file);

/// The encoded pairs: those in `file` where they were made from the same text, tokenizers and limits and are whole,
/// else they are encoded into it, with a word about why. Where `scratch` is given, it is written in place of `file`.
/// Other processes may do the same at the same time: one of them encodes, the others wait for it. Throws as
/// encode_corpus does.
[[nodiscard]] std::shared_ptr<const EncodedCorpus> get_or_encode_corpus(const EncodingTask& task,
                                                                        const std::filesystem::path& file,
                                                                        const std::filesystem::path& scratch = {});

}  // namespace translate
