#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decoding/candidate_text.h"
#include "decoding/line_encoder.h"
#include "decoding/scheduling/decoding_scheduler.h"
#include "decoding/translation.h"

namespace translate {

/// A line to translate, and the number by which its source knows it.
struct NumberedLine {
  std::uint64_t number;
  SourceLine line;
};

/// The source of lines that arrive while a Translator translates others; it receives their translations. Called by
/// several threads at once.
class LineSource {
 public:
  LineSource() = default;
  virtual ~LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// Returns the next line. An empty result for a request that waits means that there will be no more, or that `stop`
  /// was requested.
  [[nodiscard]] virtual std::optional<NumberedLine> take(const WorkRequest& request) = 0;

  /// Each line that was taken receives its translation or its error, in any order. Neither function may throw.
  virtual void give(std::uint64_t number, Translation translation) = 0;
  virtual void fail(std::uint64_t number, const std::exception_ptr& error) = 0;
};

/// A line whose parts wait or are being decoded.
struct LineUnderWay {
  Translation translation = {};  ///< its source, and in the end the rest
  LineParts parts = {};
  std::uint64_t number = 0;  ///< of a NumberedLine
  std::size_t missing = 0;   ///< parts without a result
  std::exception_ptr error = nullptr;
};

using LinesUnderWay = std::vector<std::shared_ptr<LineUnderWay>>;

/// Encodes lines, on all threads, and warns of the unusual ones in their order. `first_line`: the number of the first.
[[nodiscard]] LinesUnderWay encode_lines(const LineEncoder& encoder, std::span<const SourceLine> lines,
                                         std::int64_t first_line);

/// Decodes lines together, the longest parts first, and returns their translations. With sampling, the parts of a line
/// that needs more samples are decoded again. Throws as DecodingScheduler::decode does.
[[nodiscard]] std::vector<Translation> decode_lines(DecodingScheduler& scheduler, const CandidateText& text,
                                                    const LinesUnderWay& lines);

/// The same for the lines of a source, until it has no more: each is encoded, as line 1, when the scheduler has room
/// for it. An error is that of its line.
void decode_lines(DecodingScheduler& scheduler, const LineEncoder& encoder, const CandidateText& text,
                  LineSource& source);

/// Returns the translations of lines whose parts have their hypotheses.
[[nodiscard]] std::vector<Translation> fill_lines(const CandidateText& text, const LinesUnderWay& lines);

}  // namespace translate
