#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "decoding/candidate_text.h"
#include "decoding/scheduling/sentence_queue.h"
#include "decoding/search/search.h"
#include "decoding/translation.h"

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

class Translator;

/// Makes sentences of a source's lines as a DecodingLoop has room for them, and translations of what came of them.
class LineFeed : public SentenceSource {
 public:
  /// Translator and source must outlive it.
  LineFeed(const Translator& translator, SearchOptions options, LineSource& source);

  [[nodiscard]] std::vector<Sentence*> take(const Request& request) override;
  void done(Sentence& sentence) override;
  void failed(Sentence& sentence, const std::exception_ptr& error) override;

 private:
  /// A line whose sentences are waiting or under way.
  struct Line {
    std::uint64_t number;
    Translation translation = {};
    std::vector<DecodedPart> parts = {};
    std::size_t missing = 0;  ///< parts without a result
    std::exception_ptr error;
  };

  [[nodiscard]] bool take_ready(const Request& request, std::vector<Sentence*>& taken);
  void prepare(const NumberedLine& line);
  void make_sentences(const NumberedLine& line);
  void make_ready(const std::shared_ptr<Line>& line);
  void end(Sentence& sentence, const std::exception_ptr& error);
  void finish(Line& line);

  const Translator& translator_;
  SearchOptions options_;
  LineSource& source_;
  std::mutex mutex_;                                                  ///< of what stands below
  std::deque<Sentence*> ready_;                                       ///< not taken yet
  std::unordered_map<const Sentence*, std::shared_ptr<Line>> lines_;  ///< of each sentence not ended
};

}  // namespace translate
