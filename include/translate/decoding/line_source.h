#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>

#include "translate/decoding/translation.h"

namespace translate {

/// A line to translate, and what its source knows it by.
struct NumberedLine {
  std::uint64_t number;
  std::string text;
};

/// Where a Translator gets lines that come while others are translated, and who gets their translations. Called by
/// several threads at once.
class LineSource {
 public:
  /// Who asks for a line.
  struct Request {
    bool waits = false;         ///< until there is one: nothing else is under way
    bool in_batches = false;    ///< what is given now is translated together; the next is asked for when that has ended
    std::size_t under_way = 0;  ///< lines that who asks has, this batch included
    std::size_t takers = 1;     ///< who ask in turn: none should have much more than its share
    std::stop_token stop = {};  ///< ends the waiting
  };

  LineSource() = default;
  virtual ~LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// The next line. None for who waits: there will be no more, or `stop` was requested.
  [[nodiscard]] virtual std::optional<NumberedLine> take(const Request& request) = 0;

  /// Each line that was taken is given its translation or its error, in any order. Neither may throw.
  virtual void give(std::uint64_t number, Translation translation) = 0;
  virtual void fail(std::uint64_t number, const std::exception_ptr& error) = 0;
};

}  // namespace translate
