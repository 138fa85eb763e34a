#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoding/consensus.h"
#include "decoding/line_part.h"
#include "decoding/lines_under_way.h"
#include "decoding/scheduling/decoding_scheduler.h"
#include "decoding/search/search.h"
#include "text/tokenizer.h"

namespace translate {

/// Finds candidates for each part of lines and chooses one of them by minimum Bayes risk (see Consensus).
class ConsensusSearch {
 public:
  /// `model` is the Translator's. Each model finds DecodingOptions::n_best candidates, by the search of the options;
  /// samples of the k-th model continue the numbers of those before, so that no two models draw by the same numbers.
  ConsensusSearch(std::shared_ptr<const InferenceModel> model, std::shared_ptr<const Consensus> consensus,
                  const SearchOptions& options);

  /// Fills in the hypotheses of the lines' parts: one for each part. Equal values are decided in favour of the
  /// candidate that was drawn first, or that is better in the list of the beam. Throws as DecodingScheduler::decode
  /// does, and the errors of Consensus::reverse_scores. `target`: the tokenizer of the translations.
  void decode(const LinesUnderWay& lines, const Tokenizer& target);

 private:
  struct Part;

  void find_candidates(const std::vector<Sentence*>& sentences);
  void evaluate(Part& part, const Tokenizer& target) const;
  void add_reverse_scores(std::vector<Part>& parts) const;
  void decode_parts(std::span<LinePart* const> chosen, const Tokenizer& target);

  std::shared_ptr<const Consensus> consensus_;
  std::vector<std::unique_ptr<DecodingScheduler>> schedulers_;  ///< one for each model
};

}  // namespace translate
