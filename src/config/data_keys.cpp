

#include "config/key_table.h"

namespace translate {

void add_data_keys(std::vector<Key>& keys) {
  ObjectKeys data(
      keys, "data", [](auto& config) -> auto& { return config.data; });
  data.add("train", &DataOptions::train,
           "the training pairs, as plain text or `.gz`; line N of the target translates line N of the source; the only "
           "required key");
  data.add("validation", &DataOptions::validation,
           "the pairs to validate on during training: files, or a fraction of the training pairs, held out at random "
           "by the seed; `[]` for none");
  data.add("test", &DataOptions::test, "the pairs to test on with `translate-eval`; they are never trained on")
      .may_change = true;
  data.add("source_language", &DataOptions::source_language,
           "the code of the source language, such as `en`; if it is \"\", `translate-serve` uses the extension of the "
           "training file if that is a language code, otherwise `source`")
      .may_change = true;
  data.add("target_language", &DataOptions::target_language,
           "the code of the target language, such as `fr`; if it is \"\", `translate-serve` uses the extension of the "
           "training file if that is a language code, otherwise `target`")
      .may_change = true;
  data.add("max_length", &DataOptions::max_length,
           "training pairs with more subwords on either side are left out; start and end are not counted", at_least(1));
  data.add(
      "max_length_ratio", &DataOptions::max_length_ratio,
      "training pairs are left out if one side has more than this many times the subwords of the other (0: no limit)",
      at_least(0));
  data.add("cache_dir", &DataOptions::cache_dir,
           "a folder for the encoded pairs, shared by all runs with the same text, tokenizers and limits; if it is "
           "\"\", each run has its own")
      .may_change = true;
}

void add_tokenizer_keys(std::vector<Key>& keys) {
  ObjectKeys tokenizer(
      keys, "tokenizer", [](auto& config) -> auto& { return config.tokenizer; });
  tokenizer.add("type", &TokenizerOptions::type, "the kind of SentencePiece model");
  tokenizer.add("vocab_size", &TokenizerOptions::vocab_size,
                "the size of the vocabulary in subwords, including the 4 special ones; if the text yields fewer, there "
                "is a warning",
                at_least(5));
  tokenizer.add("shared", &TokenizerOptions::shared, "use one tokenizer for both languages instead of one for each");
  tokenizer.add("character_coverage", &TokenizerOptions::character_coverage,
                "the fraction of the text's characters that the vocabulary covers; the rarest others are unknown",
                between(0.98, 1));
  tokenizer.add(
      "byte_fallback", &TokenizerOptions::byte_fallback,
      "spell characters outside of the vocabulary as UTF-8 bytes (which take 256 subwords of the vocabulary)");
  tokenizer.add("normalization", &TokenizerOptions::normalization, "the Unicode normalisation before segmentation");
  tokenizer.add(
      "pretokenized", &TokenizerOptions::pretokenized,
      "the text is already tokenized, with a space between any two tokens (Moses): subwords end only at spaces, so "
      "that `d&apos;` may be one; otherwise they also end where letters, digits and punctuation meet");
  ObjectKeys sampling(
      keys, "tokenizer.sampling", [](auto& config) -> auto& { return config.tokenizer.sampling; });
  sampling.add("source", &SamplingOptions::source, "sample a new segmentation of the source in each epoch of training");
  sampling.add("target", &SamplingOptions::target, "sample a new segmentation of the target in each epoch of training");
  sampling.add(
      "alpha", &SamplingOptions::alpha,
      "for bpe: the probability of leaving out a merge (BPE-dropout); for unigram: the smoothing of the distribution",
      between(0, 1));
  sampling.add("nbest", &SamplingOptions::nbest, "for unigram: sample from this many best segmentations (-1: all)",
               between(-1, 512));
  tokenizer.add(
      "source_model", &TokenizerOptions::source_model,
      "an existing SentencePiece model, or the JSON file of a word-level tokenizer (`tokenizer_en.json` of the PyTorch "
      "reference); if it is \"\", the tokenizer is trained on the training text, once for each run");
  tokenizer.add("target_model", &TokenizerOptions::target_model,
                "the same for the target; with `shared` the source's tokenizer is used");
}

}  // namespace translate
