#include "translate/config/key_table.h"

namespace translate {

void add_data_keys(std::vector<Key>& keys) {
  ObjectKeys data(
      keys, "data", [](auto& config) -> auto& { return config.data; });
  data.add("train", &DataOptions::train,
           "training pairs, plain text or `.gz`: line N of the target translates line N of the source; the only key "
           "that must be given");
  data.add("validation", &DataOptions::validation,
           "pairs watched during training: files, or a share of the training pairs held out, drawn once from the seed; "
           "`[]` is none");
  data.add("test", &DataOptions::test, "pairs that `translate-eval` reads, and training never").may_change = true;
  data.add("source_language", &DataOptions::source_language,
           "what the language is called, such as `en`; \"\": `translate-serve` takes the extension of the training "
           "file where it is a "
           "language's code, else `source`")
      .may_change = true;
  data.add("target_language", &DataOptions::target_language,
           "what the language is called, such as `fr`; \"\": `translate-serve` takes the extension of the training "
           "file where it is a "
           "language's code, else `target`")
      .may_change = true;
  data.add("max_length", &DataOptions::max_length,
           "training pairs with a longer side are left out; in pieces, start and end not counted", at_least(1));
  data.add("max_length_ratio", &DataOptions::max_length_ratio,
           "training pairs whose longer side has more than this times the pieces of the shorter are left out (0: no "
           "limit)",
           at_least(0));
  data.add("cache_dir", &DataOptions::cache_dir,
           "a folder in which the encoded pairs are kept for all runs that train on the same text with the same "
           "tokenizers and limits; \"\": each run keeps its own")
      .may_change = true;
}

void add_tokenizer_keys(std::vector<Key>& keys) {
  ObjectKeys tokenizer(
      keys, "tokenizer", [](auto& config) -> auto& { return config.tokenizer; });
  tokenizer.add("type", &TokenizerOptions::type, "kind of SentencePiece model");
  tokenizer.add("vocab_size", &TokenizerOptions::vocab_size,
                "pieces wanted, the 4 special ones counted; where the text gives fewer, a warning says so",
                at_least(5));
  tokenizer.add("shared", &TokenizerOptions::shared, "one model for both languages instead of one each");
  tokenizer.add("character_coverage", &TokenizerOptions::character_coverage,
                "share of the text's characters that get a piece of their own; the rarest others are unknown",
                between(0.98, 1));
  tokenizer.add("byte_fallback", &TokenizerOptions::byte_fallback,
                "spell characters without a piece in UTF-8 bytes (256 pieces of the vocabulary)");
  tokenizer.add("normalization", &TokenizerOptions::normalization, "Unicode normalisation before segmentation");
  tokenizer.add(
      "pretokenized", &TokenizerOptions::pretokenized,
      "the text has a space between any two words already (Moses): pieces end at spaces alone, so that `d&apos;` "
      "may be one; otherwise they also end where letters, digits and marks meet");
  ObjectKeys sampling(
      keys, "tokenizer.sampling", [](auto& config) -> auto& { return config.tokenizer.sampling; });
  sampling.add("source", &SamplingOptions::source, "segment the source anew, at random, in each epoch of training");
  sampling.add("target", &SamplingOptions::target, "the same for the target");
  sampling.add("alpha", &SamplingOptions::alpha,
               "bpe: share of merges left out (BPE-dropout); unigram: smoothing of the choice", between(0, 1));
  sampling.add("nbest", &SamplingOptions::nbest, "unigram: choose among this many best segmentations (-1: all)",
               between(-1, 512));
  tokenizer.add("source_model", &TokenizerOptions::source_model,
                "a ready SentencePiece model, or the JSON file of a word-level one (`tokenizer_en.json` of the PyTorch "
                "reference); \"\": built from the training text, or used again where that was done");
  tokenizer.add("target_model", &TokenizerOptions::target_model,
                "the same for the target; with `shared` the source's serves both");
}

}  // namespace translate
