#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "translate/decoding/candidate_text.h"
#include "translate/decoding/line_source.h"
#include "translate/decoding/search_options.h"
#include "translate/decoding/sentence_source.h"
#include "translate/decoding/translation.h"

namespace translate {

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
