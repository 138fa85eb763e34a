#include "decoding/loop_repair.h"

#include <algorithm>
#include <utility>

#include "segments/repetition.h"

namespace translate {

namespace {

/// Whether a hypothesis is in a loop, or would go on for ever. A limit that the user has set is no sign of that. The
/// second search may write a subword three times.
bool is_faulty(const Hypothesis& hypothesis, const Sentence& sentence, const DecodingOptions& options) {
  const bool is_endless = hypothesis.truncated && sentence.max_length < options.max_length;
  const bool is_second = sentence.no_repeat_ngram > 0;
  return is_endless || has_loop(hypothesis.ids, sentence.source_subwords()) ||
         (!is_second && repeats_subword(hypothesis.ids, sentence.source_subwords()));
}

}  // namespace

bool searches_again(Sentence& sentence, const DecodingOptions& options) {
  const std::int64_t run = sentence.source_subwords().size() == 1 ? 2 : 3;  // that of one word repeats nothing
  auto& hypotheses = sentence.hypotheses;
  if (!sentence.repairs_loops || hypotheses.empty()) {
    return false;
  }
  const auto is_sound = [&](const Hypothesis& one) { return !is_faulty(one, sentence, options); };
  const bool is_second = sentence.no_repeat_ngram > 0;
  const auto sound = std::ranges::find_if(hypotheses, is_sound);
  if (sound != hypotheses.end()) {
    sentence.is_repaired = is_second || sound != hypotheses.begin();
    std::rotate(hypotheses.begin(), sound, sound + 1);
    return false;
  }
  if (is_second || options.no_repeat_ngram > 0) {
    sentence.is_repaired = is_second && !has_loop(hypotheses.front().ids, sentence.source_subwords());
    if (is_second && !sentence.is_repaired) {
      hypotheses = std::move(sentence.first_hypotheses);
    }
    return false;
  }
  sentence.no_repeat_ngram = run;
  sentence.first_hypotheses = std::exchange(hypotheses, {});
  return true;
}

}  // namespace translate
