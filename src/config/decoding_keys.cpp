#include "translate/config/key_table.h"

namespace translate {
namespace {

constexpr double kLargestPenalty = 10.0;  // far beyond any use

template <class Add>
void add_search_keys(const Add& add) {
  add("beam_size", &DecodingOptions::beam_size, "hypotheses of a sentence kept at each step; 1 is greedy search",
      at_least(1));
  add("n_best", &DecodingOptions::n_best,
      "translations given of each sentence, best first; at most `beam_size`, or with `sampling` as many as are to be "
      "drawn",
      at_least(1));
  add("length_penalty", &DecodingOptions::length_penalty,
      "alpha of the next key: the higher, the longer the translations (0: plain log-probability)",
      between(-kLargestPenalty, kLargestPenalty));
  add("length_penalty_kind", &DecodingOptions::length_penalty_kind,
      "log-probabilities of hypotheses are compared divided by `gnmt`: ((5 + length) / 6)^alpha (Wu et al. 2016), "
      "`average`: length^alpha",
      Range{});
  add("min_length", &DecodingOptions::min_length, "pieces that a translation has at least", at_least(0));
  add("no_repeat_ngram", &DecodingOptions::no_repeat_ngram,
      "no run of this many pieces comes twice in a translation (0: any may)", at_least(0));
  add("repetition_penalty", &DecodingOptions::repetition_penalty,
      "logits of pieces said already are divided by this where positive, else multiplied (Keskar et al. 2019; 1: "
      "neither)",
      above(0));
}

template <class Add>
void add_sampling_keys(const Add& add) {
  add("sampling", &DecodingOptions::sampling,
      "draw translations from the model's probabilities in place of searching for the best (`beam_size` does not count "
      "then)",
      Range{});
  add("temperature", &DecodingOptions::temperature,
      "with `sampling`: logits are divided by it; below 1 keeps to likely pieces", above(0));
  add("top_k", &DecodingOptions::top_k, "with `sampling`: only among this many likeliest pieces (0: among all)",
      at_least(0));
  add("top_p", &DecodingOptions::top_p,
      "with `sampling`: only among the likeliest pieces that reach this probability together (nucleus sampling, "
      "Holtzman et al. 2020; 1: among all)",
      Range{.lowest = 0.0, .highest = 1.0, .lowest_excluded = true});
  add("seed", &DecodingOptions::seed, "with `sampling`: of what is drawn", Range{});
}

}  // namespace

void add_decoding_keys(std::vector<Key>& keys) {
  ObjectKeys decoding(
      keys, "decoding", [](auto& config) -> auto& { return config.decoding; });
  const auto add = [&](auto... arguments) { decoding.add(arguments...).may_change = true; };
  add("max_length", &DecodingOptions::max_length, "pieces of a translation at most", at_least(1));
  add("max_length_ratio", &DecodingOptions::max_length_ratio,
      "and at most this times the pieces of the source, plus 10", above(0));
  add("batch_tokens", &DecodingOptions::batch_tokens,
      "source pieces translated at a time, padding counted, each once for each hypothesis of its sentence",
      at_least(1));
  add("split_sentences", &DecodingOptions::split_sentences,
      "translate-infer and translate-serve split lines into sentences and translate them one by one "
      "(docs/decoding.md); "
      "`auto`: unless a tenth of the training lines hold several sentences, in which case the run saves `false`",
      Range{});
  add_search_keys(add);
  add_sampling_keys(add);
}

}  // namespace translate
