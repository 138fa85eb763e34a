

#include "config/key_table.h"

namespace translate {

namespace {

constexpr double kLargestPenalty = 10.0;  // far beyond any use

template <class Add>
void add_search_keys(const Add& add) {
  add("beam_size", &DecodingOptions::beam_size, "the hypotheses of a sentence kept at each step; 1 is greedy search",
      at_least(1));
  add("n_best", &DecodingOptions::n_best,
      "the number of translations of each sentence, best first; at most `beam_size`, or with `sampling` the number to "
      "draw",
      at_least(1));
  add("length_penalty", &DecodingOptions::length_penalty,
      "the alpha of `length_penalty_kind`; higher values favour longer translations (0: compare plain "
      "log-probabilities)",
      between(-kLargestPenalty, kLargestPenalty));
  add("length_penalty_kind", &DecodingOptions::length_penalty_kind,
      "the divisor of the log-probabilities that are compared: `gnmt`, ((5 + length) / 6)^alpha (Wu et al. 2016), or "
      "`average`, length^alpha",
      Range{});
  add("min_length", &DecodingOptions::min_length, "the fewest subwords of a translation", at_least(0));
  add("no_repeat_ngram", &DecodingOptions::no_repeat_ngram,
      "no sequence of this many subwords occurs twice in a translation (0: any may)", at_least(0));
  add("repetition_penalty", &DecodingOptions::repetition_penalty,
      "the logits of subwords that were already generated are divided by this if positive, otherwise multiplied "
      "(Keskar et al. 2019; 1: off)",
      above(0));
}

template <class Add>
void add_sampling_keys(const Add& add) {
  add("sampling", &DecodingOptions::sampling,
      "draw translations from the model's probabilities instead of searching for the best (`beam_size` has no effect "
      "then)",
      Range{});
  add("temperature", &DecodingOptions::temperature,
      "with `sampling`: the logits are divided by this; values below 1 favour likely subwords", above(0));
  add("top_k", &DecodingOptions::top_k, "with `sampling`: draw among this many most likely subwords (0: among all)",
      at_least(0));
  add("top_p", &DecodingOptions::top_p,
      "with `sampling`: draw among the fewest most likely subwords whose probabilities add up to this (nucleus "
      "sampling, Holtzman et al. 2020; 1: among all)",
      Range{.lowest = 0.0, .highest = 1.0, .lowest_excluded = true});
  add("seed", &DecodingOptions::seed, "with `sampling`: the seed", Range{});
}

}  // namespace

void add_decoding_keys(std::vector<Key>& keys) {
  ObjectKeys decoding(
      keys, "decoding", [](auto& config) -> auto& { return config.decoding; });
  const auto add = [&](auto... arguments) { decoding.add(arguments...).may_change = true; };
  add("max_length", &DecodingOptions::max_length, "the most subwords of a translation", at_least(1));
  add("max_length_ratio", &DecodingOptions::max_length_ratio,
      "the most subwords of a translation for each subword of the source, plus 10", above(0));
  add("batch_tokens", &DecodingOptions::batch_tokens,
      "the source subwords of a batch, counting padding, each once for each hypothesis of its sentence", at_least(1));
  add("split_sentences", &DecodingOptions::split_sentences,
      "translate-infer and translate-serve split lines into sentences and translate them one by one "
      "(docs/decoding.md); `auto`: yes, unless a tenth of the training lines hold several sentences, in which case the "
      "run saves `false`",
      Range{});
  add_search_keys(add);
  add_sampling_keys(add);
}

}  // namespace translate
