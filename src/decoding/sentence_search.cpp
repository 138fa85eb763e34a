#include "translate/decoding/sentence_search.h"

#include "translate/decoding/beam_search.h"
#include "translate/decoding/sampled_search.h"

namespace translate {

std::unique_ptr<SentenceSearch> make_search(const SearchOptions& options, const Sentence& sentence) {
  if (options.decoding.sampling && !sentence.scoring) {
    return std::make_unique<SampledSearch>(options, sentence);
  }
  return std::make_unique<BeamSearch>(options, sentence);
}

}  // namespace translate
