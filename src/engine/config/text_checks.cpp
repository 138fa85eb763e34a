#include "config/text_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/enum_names.h"

namespace translate {

namespace {

constexpr std::int64_t kSpecialSubwords = 4;
constexpr std::int64_t kByteSubwords = 256;

void check_corpora(const std::vector<CorpusFiles>& corpora, const std::string& key, Faults& faults) {
  for (const CorpusFiles& corpus : corpora) {
    if (corpus.source.empty()) {
      faults.push_back({key, "the `source` of a corpus is missing", {}});
    }
    if (corpus.target.empty()) {
      faults.push_back({key, "the `target` of a corpus is missing", {}});
    }
  }
}

/// Either all corpora name their target language, so that each source has its tag, or none does.
void check_target_languages(const DataOptions& data, Faults& faults) {
  const std::array<std::pair<const char*, const std::vector<CorpusFiles>*>, 3> parts = {
      {{"data.train", &data.train}, {"data.validation", &data.validation.files}, {"data.test", &data.test}}};
  const auto names_none = [](const CorpusFiles& files) { return files.target_language.empty(); };
  const auto named =
      std::ranges::find_if(parts, [&](const auto& part) { return !std::ranges::all_of(*part.second, names_none); });
  if (named == parts.end()) {
    return;
  }
  const auto& example = *std::ranges::find_if_not(*named->second, names_none);
  for (const auto& [key, corpora] : parts) {
    const auto nameless = std::ranges::find_if(*corpora, names_none);
    if (nameless == corpora->end()) {
      continue;
    }
    faults.push_back(
        {key,
         fmt::format("the corpus {} names no `target_language`, but {} of {} does (\"{}\"): name it for every corpus "
                     "of data.train, data.validation and data.test, or for none",
                     nameless->source.string(), example.source.string(), named->first, example.target_language),
         {named->first}});
  }
}

/// Weights and temperature are for several training corpora.
void check_mixture(const DataOptions& data, Faults& faults) {
  const auto is_weighted = [](const CorpusFiles& files) { return files.weight != 1.0; };
  const bool is_one = std::ranges::count(data.train, false, &CorpusFiles::continues) == 1;
  if (is_one && std::ranges::any_of(data.train, is_weighted)) {
    faults.push_back({"data.train", "`weight` has an effect only beside other corpora: leave it out", {}});
  }
  if (is_one && data.sampling_temperature != 1.0) {
    faults.push_back({"data.sampling_temperature",
                      "has an effect only with several training corpora: leave it out",
                      {"data.train"}});
  }
  const auto check = [&](const char* key, const std::vector<CorpusFiles>& corpora) {
    if (std::ranges::any_of(corpora, is_weighted)) {
      faults.push_back({key, "`weight` is for training corpora: these pairs are all read once; leave it out", {}});
    }
  };
  check("data.validation", data.validation.files);
  check("data.test", data.test);
}

/// Mark-up and links are of training text. What is validated and tested on is compared with what a model writes.
void check_markup_and_links(const DataOptions& data, Faults& faults) {
  const auto check = [&](const char* key, const std::vector<CorpusFiles>& corpora) {
    if (has_markup(corpora)) {
      faults.push_back({key, "`markup` is for training corpora: give these as plain text, without tags", {}});
    }
    if (has_alignments(corpora)) {
      faults.push_back({key, "`alignment` is for training corpora: leave it out", {}});
    }
  };
  const auto without =
      std::ranges::find_if(data.train, [](const CorpusFiles& files) { return files.alignment.empty(); });
  if (has_alignments(data.train) && without != data.train.end()) {
    faults.push_back(
        {"data.train",
         fmt::format("the corpus {} has no `alignment`, but others have: give it for every corpus, or leave "
                     "all links to the training",
                     without->source.string()),
         {}});
  }
  check("data.validation", data.validation.files);
  check("data.test", data.test);
}

/// A pair has one letter case; the number of typos needs typos.
void check_modifiers(const ModifierOptions& modifiers, Faults& faults) {
  const double cases = modifiers.upper_case + modifiers.title_case + modifiers.lower_case;
  if (cases > 1.0 + 1e-9) {
    faults.push_back({"data.modifiers",
                      fmt::format("upper_case, title_case and lower_case exclude each other: expected at most 1 "
                                  "together, got {}",
                                  cases),
                      {"data.modifiers.upper_case", "data.modifiers.title_case", "data.modifiers.lower_case"}});
  }
  if (modifiers.typo_words != ModifierOptions().typo_words && modifiers.typos == 0.0) {
    faults.push_back({"data.modifiers.typo_words",
                      "has an effect only with typos: set data.modifiers.typos, or leave it out",
                      {"data.modifiers.typos"}});
  }
}

}  // namespace

void check_data(const DataOptions& data, Faults& faults) {
  if (data.train.empty()) {
    faults.push_back(
        {"data.train",
         "missing: expected the training text, e.g. \"train\": {\"source\": \"train.en\", \"target\": \"train.fr\"}",
         {}});
  }
  check_corpora(data.train, "data.train", faults);
  check_corpora(data.validation.files, "data.validation", faults);
  check_corpora(data.test, "data.test", faults);
  check_target_languages(data, faults);
  check_mixture(data, faults);
  check_markup_and_links(data, faults);
  check_modifiers(data.modifiers, faults);
  if (!data.validation.files.empty() && data.validation.fraction > 0) {
    faults.push_back({"data.validation", "give either files or a `fraction` of the training pairs, not both", {}});
  }
  if (data.max_length_ratio > 0 && data.max_length_ratio < 1) {
    faults.push_back({"data.max_length_ratio",
                      fmt::format("expected 0 (no limit) or at least 1, got {}: the longer side is never shorter than "
                                  "the other",
                                  data.max_length_ratio),
                      {}});
  }
}

void check_stages(const Config& config, Faults& faults) {
  const auto& stages = config.training.stages;
  const auto corpora = std::ranges::count(config.data.train, false, &CorpusFiles::continues);
  const auto add = [&](std::size_t stage, const std::string& message, const char* other = "data.train") {
    faults.push_back({"training.stages", fmt::format("stage {}: {}", stage + 1, message), {other}});
  };
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& stage = stages[i];
    const auto& weights = stage.weights;
    const auto& modifiers = stage.modifiers;
    const auto& corpus = stage.corpus;
    if (!weights.empty() && std::ssize(weights) != corpora) {
      add(i, fmt::format("`weights` has {} numbers, and data.train {} corpora: give one for each", weights.size(),
                         corpora));
    } else if (!weights.empty() && std::ranges::all_of(weights, [](double weight) { return weight == 0.0; })) {
      add(i, "all `weights` are 0, so that nothing is read");
    }
    if (corpus &&
        (*corpus >= corpora || (*corpus < std::ssize(weights) && weights[static_cast<std::size_t>(*corpus)] == 0.0))) {
      add(i, fmt::format("`corpus` {} is none that this stage reads; they count from 0", *corpus));
    }
    if (corpus && stage.epochs == 0.0) {
      add(i, "`corpus` says whose `epochs` count: give their number, or leave it out");
    }
    if (stage.patience > 0 && !has_validation(config.data)) {
      add(i, "`patience` counts validations, but there is no data.validation", "data.validation");
    }
    if (!stage.has_end() && i + 1 < stages.size()) {
      add(i, "it has no end, so that the next one never begins: give `steps`, `epochs`, `minutes` or `patience`");
    }
    if (modifiers && modifiers->need_links() && !config.data.modifiers.need_links()) {
      add(i,
          "placeholders, keep, tags and terms need aligned words and symbols of the vocabulary: give them small "
          "probabilities in data.modifiers, too",
          "data.modifiers");
    }
    if (modifiers) {
      Faults of_stage;
      check_modifiers(*modifiers, of_stage);
      for (const auto& fault : of_stage) {
        add(i, fault.message, "data.modifiers");
      }
    }
  }
}

namespace {

void check_ready_models(const TokenizerOptions& tokenizer, Faults& faults) {
  const bool source = !tokenizer.source_model.empty();
  const bool target = !tokenizer.target_model.empty();
  if (!tokenizer.shared && source != target) {
    faults.push_back({source ? "tokenizer.target_model" : "tokenizer.source_model",
                      "missing: without `shared` give both models or none",
                      {"tokenizer.shared", "tokenizer.source_model", "tokenizer.target_model"}});
  }
}

/// A vocabulary gives the subwords of an existing model other ids.
void check_vocabularies(const TokenizerOptions& tokenizer, Faults& faults) {
  const auto check = [&](const char* side, bool is_given, bool has_model) {
    if (is_given && !has_model) {
      faults.push_back(
          {fmt::format("tokenizer.{}_vocabulary", side),
           fmt::format("has an effect only on an existing model: set tokenizer.{}_model, or leave it out", side),
           {fmt::format("tokenizer.{}_model", side)}});
    }
  };
  check("source", !tokenizer.source_vocabulary.empty(), !tokenizer.source_model.empty());
  check("target", !tokenizer.target_vocabulary.empty(), !tokenizer.target_model.empty());
}

/// Word-level tokenizers take text as it is and have no parts of words.
void check_word_level(const TokenizerOptions& tokenizer, Faults& faults) {
  const bool is_word_level = tokenizer.type == TokenizerType::kWordLevel;
  const auto check = [&](const char* key, bool is_given, bool has_effect, const char* type) {
    if (is_given && !has_effect) {
      faults.push_back({fmt::format("tokenizer.{}", key),
                        fmt::format("has an effect only on {}, but tokenizer.type is \"{}\": leave it out", type,
                                    to_string(tokenizer.type)),
                        {"tokenizer.type"}});
    }
  };
  const char* word_level = "\"wordlevel\" tokenizers";
  const char* sentencepiece = "SentencePiece models";
  check("min_frequency", tokenizer.min_frequency != TokenizerOptions().min_frequency, is_word_level, word_level);
  check("character_coverage", tokenizer.character_coverage != TokenizerOptions().character_coverage, !is_word_level,
        sentencepiece);
  check("byte_fallback", tokenizer.byte_fallback, !is_word_level, sentencepiece);
  const bool is_normalized =
      tokenizer.normalization == Normalization::kNfkc || tokenizer.normalization == Normalization::kNfc;
  check("normalization", is_normalized, !is_word_level, sentencepiece);
  check("target_normalization", tokenizer.target_normalization.has_value(), !is_word_level, sentencepiece);
  check("ignorable", tokenizer.ignorable.has_value(), !is_word_level, sentencepiece);
}

}  // namespace

void check_tokenizer(const TokenizerOptions& tokenizer, Faults& faults) {
  check_ready_models(tokenizer, faults);
  check_vocabularies(tokenizer, faults);
  const SamplingOptions& sampling = tokenizer.sampling;
  if (sampling.nbest == 0 || sampling.nbest == 1) {
    faults.push_back(
        {"tokenizer.sampling.nbest",
         fmt::format("expected -1 (to choose among all segmentations) or 2 to 512, got {}", sampling.nbest),
         {}});
  }
  // A ready model knows its own type and size.
  if (!tokenizer.source_model.empty() || !tokenizer.target_model.empty()) {
    return;
  }
  check_word_level(tokenizer, faults);
  const bool draws = tokenizer.type == TokenizerType::kBpe || tokenizer.type == TokenizerType::kUnigram;
  if ((sampling.source || sampling.target) && !draws) {
    faults.push_back({"tokenizer.sampling",
                      fmt::format("a \"{}\" tokenizer has only one segmentation: use \"bpe\" or \"unigram\", or no "
                                  "sampling",
                                  to_string(tokenizer.type)),
                      {"tokenizer.type", "tokenizer.sampling.source", "tokenizer.sampling.target"}});
  }
  if (sampling.nbest > 0 && tokenizer.type != TokenizerType::kUnigram) {
    faults.push_back({"tokenizer.sampling.nbest",
                      fmt::format("only a \"unigram\" tokenizer ranks its segmentations, this one is \"{}\"",
                                  to_string(tokenizer.type)),
                      {"tokenizer.type"}});
  }
  if (tokenizer.byte_fallback && tokenizer.vocab_size <= kSpecialSubwords + kByteSubwords) {
    faults.push_back(
        {"tokenizer.vocab_size",
         fmt::format("expected more than {} with byte_fallback ({} special tokens and {} bytes), got {}",
                     kSpecialSubwords + kByteSubwords, kSpecialSubwords, kByteSubwords, tokenizer.vocab_size),
         {"tokenizer.byte_fallback"}});
  }
}

}  // namespace translate
