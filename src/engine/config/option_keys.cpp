// The rows of the table of keys: every option with its name in a configuration, its range and its description.

#include "config/key_table.h"

namespace translate {

namespace {

void add_modifier_keys(std::vector<Key>& keys) {
  ObjectKeys modifiers(keys, "data.modifiers", [](auto& config) -> auto& { return config.data.modifiers; });
  const NumberRange share = between(0, 1);
  modifiers.add("upper_case", &ModifierOptions::upper_case,
                "the probability that a training pair is put in capitals on both sides (docs/data.md)", share);
  modifiers.add("title_case", &ModifierOptions::title_case,
                "the same for capital letters at the beginning of words, as in a headline", share);
  modifiers.add("lower_case", &ModifierOptions::lower_case,
                "the same for small letters; a pair has one of the three at most", share);
  modifiers.add("final_punctuation", &ModifierOptions::final_punctuation,
                "the probability that the final mark of a training pair is taken from both sides or, once in four "
                "times, exchanged for another of `.`, `!` and `?`, where both sides end with the same one",
                share);
  modifiers.add("typos", &ModifierOptions::typos, "the probability that the source of a training pair gets typos",
                share);
  modifiers.add("typo_words", &ModifierOptions::typo_words,
                "with `typos`: the share of the words of such a source that get one each (one word at least does)",
                between(0, 1));
  modifiers.add("noise", &ModifierOptions::noise,
                "the probability that a number, a URL, an e-mail address or emoji stand before or behind both sides of "
                "a training pair, or in their place",
                share);
  modifiers.add("joined", &ModifierOptions::joined,
                "the probability that the next pair of the corpus follows a training pair in its line", share);
  modifiers.add("placeholders", &ModifierOptions::placeholders,
                "the probability that one to four words of a training pair, and those that they are aligned to, become "
                "symbols for placeholders, which the vocabulary then has (docs/data.md)",
                share);
  modifiers.add("keep", &ModifierOptions::keep,
                "the probability that one or two words of a training pair, and those that they are aligned to, become "
                "made-up names, so that the model learns to keep such words",
                share);
  modifiers.add("tags", &ModifierOptions::tags,
                "the probability that one to three phrases of a training pair, and those that they are aligned to, get "
                "symbols for tags around them, which the vocabulary then has; mark-up follows them (docs/data.md)",
                share);
  modifiers.add("terms", &ModifierOptions::terms,
                "the probability that one to three phrases of a training source get those of the target that they are "
                "aligned to behind them, between symbols that the vocabulary then has; the model learns to use the "
                "terms of a glossary (docs/glossary.md)",
                share);
}

}  // namespace

void add_data_keys(std::vector<Key>& keys) {
  ObjectKeys data(keys, "data", [](auto& config) -> auto& { return config.data; });
  data.add(
      "train", &DataOptions::train,
      "the training pairs, as plain text or `.gz`; line N of the target translates line N of the source; a corpus "
      "may have a `weight`, and may name its `source_language` and `target_language` (docs/languages.md), "
      "its `markup`, and a file of the links between words, its `alignment` (docs/data.md); the only required key");
  data.add("sampling_temperature", &DataOptions::sampling_temperature,
           "T: a training corpus of n pairs is drawn in proportion to `weight` * n^(1/T); 1 draws every pair equally "
           "often, a high T every corpus",
           at_least(1));
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
  add_modifier_keys(keys);
  data.add("cache_dir", &DataOptions::cache_dir,
           "a folder for the encoded pairs, shared by all runs with the same text, tokenizers and limits; if it is "
           "\"\", each run has its own")
      .may_change = true;
}

void add_tokenizer_keys(std::vector<Key>& keys) {
  ObjectKeys tokenizer(keys, "tokenizer", [](auto& config) -> auto& { return config.tokenizer; });
  tokenizer.add("type", &TokenizerOptions::type,
                "the kind of tokenizer: a SentencePiece model, or `wordlevel`, whole words as the `tokenizers` package "
                "makes them (split by its `Whitespace`, or with `pretokenized` by its `WhitespaceSplit`), "
                "trained on held-out pairs, too, as tutorials do");
  tokenizer.add("vocab_size", &TokenizerOptions::vocab_size,
                "the size of the vocabulary in subwords, including the 4 special ones; if the text yields fewer, there "
                "is a warning (none for `wordlevel`, of which it is the largest size)",
                at_least(5));
  tokenizer.add("min_frequency", &TokenizerOptions::min_frequency,
                "with `wordlevel`: words that occur less often in the training text are unknown", at_least(1));
  tokenizer.add("shared", &TokenizerOptions::shared, "use one tokenizer for both languages instead of one for each");
  tokenizer.add("character_coverage", &TokenizerOptions::character_coverage,
                "the fraction of the text's characters that the vocabulary covers; the rarest others are unknown",
                between(0.98, 1));
  tokenizer.add(
      "byte_fallback", &TokenizerOptions::byte_fallback,
      "spell characters outside of the vocabulary as UTF-8 bytes (which take 256 subwords of the vocabulary)");
  tokenizer.add("normalization", &TokenizerOptions::normalization,
                "the Unicode normalisation of sources before segmentation; a model that exists already has its own");
  tokenizer.add("target_normalization", &TokenizerOptions::target_normalization,
                "the same for targets, also with `shared`; `nfc` keeps characters such as `½`, `…` and `，`, so that "
                "translations can have them. null: `nfc`, or `identity` if `normalization` is that; in a run's "
                "config.json: as `normalization`, because an older version started the run");
  tokenizer.add("ignorable", &TokenizerOptions::ignorable,
                "the characters that Unicode calls default-ignorable, such as soft hyphens, marks of direction and "
                "variation selectors, in text for the tokenizer: `remove` all, but joiners in scripts that need them, "
                "where the vocabulary has them, or `keep` them. null: `remove`, or `keep` if `normalization` is "
                "`identity`; in a run's config.json: as an older version, which started the run, treated them");
  tokenizer.add(
      "pretokenized", &TokenizerOptions::pretokenized,
      "the text is already tokenized, with a space between any two tokens (Moses): subwords end only at spaces, so "
      "that `d&apos;` may be one; otherwise they also end where letters, digits and punctuation meet");
  ObjectKeys sampling(keys, "tokenizer.sampling", [](auto& config) -> auto& { return config.tokenizer.sampling; });
  sampling.add("source", &SamplingOptions::source, "sample a new segmentation of the source in each epoch of training");
  sampling.add("target", &SamplingOptions::target, "sample a new segmentation of the target in each epoch of training");
  sampling.add(
      "alpha", &SamplingOptions::alpha,
      "for bpe: the probability of leaving out a merge (BPE-dropout); for unigram: the smoothing of the distribution",
      between(0, 1));
  sampling.add("nbest", &SamplingOptions::nbest, "for unigram: sample from this many best segmentations (-1: all)",
               between(-1, 512));
  sampling.add("second_pass", &SamplingOptions::second_pass,
               "with `source` and R-Drop or SimCut: the first pass over a batch reads the best segmentation of the "
               "source, and the second one a drawn one, so that the predictions for both should agree");
  tokenizer.add(
      "source_model", &TokenizerOptions::source_model,
      "an existing SentencePiece model, or the JSON file of a word-level tokenizer (`tokenizer_en.json` of the PyTorch "
      "reference); if it is \"\", the tokenizer is trained on the training text, once for each run");
  tokenizer.add("target_model", &TokenizerOptions::target_model,
                "the same for the target; with `shared` the source's tokenizer is used");
  tokenizer.add(
      "source_vocabulary", &TokenizerOptions::source_vocabulary,
      "a JSON file with the ids of the subwords, {\"subword\": id, ...}, such as the vocab.json of MarianMT models; "
      "subwords of `source_model` that it lacks are unknown; without `<s>` in it, the decoder starts with `<pad>`; if "
      "it is \"\", the ids are those of `source_model`");
  tokenizer.add("target_vocabulary", &TokenizerOptions::target_vocabulary,
                "the same for `target_model`; if it is \"\", `source_vocabulary` serves both sides");
  tokenizer.add("source_sos", &TokenizerOptions::source_sos,
                "begin sources with the start token (false: subwords and the end token alone, as in Marian)");
}

namespace {

/// Sets the depth of both stacks at once.
Key num_layers_key() {
  constexpr NumberRange kRange = at_least(1);
  Key key;
  key.path = "model.num_layers";
  key.type = describe_type(std::int64_t{}, kRange);
  key.comment = "the number of layers of encoder and of decoder; sets the next two keys and excludes them";
  key.shorthand = true;
  key.read = [=](const OptionValue& value, Config& config) {
    for (const char* other : {"encoder_layers", "decoder_layers"}) {
      if (value.whole().member("model").has(other)) {
        value.fail_at_key(std::string("sets both encoder_layers and decoder_layers, but `") + other +
                          "` is given too: give either num_layers or the other two");
      }
    }
    read_value(value, kRange, config.model.encoder_layers);
    config.model.decoder_layers = config.model.encoder_layers;
  };
  key.write = [](const Config& config) { return write_value(config.model.encoder_layers); };
  key.copy = [](const Config&, Config&) {};  // the two keys that it sets are copied by themselves
  return key;
}

}  // namespace

void add_model_keys(std::vector<Key>& keys) {
  ObjectKeys model(keys, "model", [](auto& config) -> auto& { return config.model; });
  const NumberRange size = at_least(1);
  const NumberRange dropout = from_below(0, 1);
  model.add("d_model", &ModelOptions::d_model,
            "the width of the model: the size of each position's vector between layers", size);
  keys.push_back(num_layers_key());
  model.add("encoder_layers", &ModelOptions::encoder_layers, "the number of encoder layers", size);
  model.add("decoder_layers", &ModelOptions::decoder_layers, "the number of decoder layers", size);
  model.add("decoder", &ModelOptions::decoder,
            "the decoder's layers: `transformer`, or `ssru` with a simpler simple recurrent unit in the place of the "
            "self-attention, which translates faster, as in Marian's students (Kim et al. 2019)");
  model.add("num_heads", &ModelOptions::num_heads, "the number of attention heads; `d_model` must be a multiple of it",
            size);
  model.add("d_ff", &ModelOptions::d_ff, "the inner width of the feed-forward blocks", size);
  model.add("dropout", &ModelOptions::dropout, "the dropout probability of the embeddings and of each block's output",
            dropout);
  model.add("attention_dropout", &ModelOptions::attention_dropout,
            "the dropout probability of the attention weights (null: as `dropout`)", dropout);
  model.add("activation_dropout", &ModelOptions::activation_dropout,
            "the dropout probability inside the feed-forward blocks (null: as `dropout`)", dropout);
  model.add(
      "layer_drop", &ModelOptions::layer_drop,
      "the probability of leaving out a layer in a training pass, in encoder and decoder (LayerDrop; for example 0.1)",
      dropout);
  model.add("norm", &ModelOptions::norm,
            "layer normalisation before each block (`pre`), or after it as in the paper (`post`)");
  model.add("layer_norm", &ModelOptions::layer_norm,
            "`torch`: PyTorch's (biased variance, epsilon inside the square root); `reference`: unbiased standard "
            "deviation, epsilon added to it; `rms`: RMSNorm, without mean and bias, as in many newer models");
  model.add("layer_norm_epsilon", &ModelOptions::layer_norm_epsilon, "the epsilon of layer normalisation", above(0));
  model.add("embedding_scale", &ModelOptions::embedding_scale, "multiply embeddings by the square root of `d_model`");
  model.add("positions", &ModelOptions::positions,
            "the positional encoding: fixed sinusoids, for sentences of any length; a learned table; or none");
  model.add("sinusoid_layout", &ModelOptions::sinusoid_layout,
            "the columns of sinusoidal positions: sines and cosines by turns as in the paper (`interleaved`), or all "
            "sines and then all cosines, as Marian has them (`halves`)");
  model.add("sinusoid_frequencies", &ModelOptions::sinusoid_frequencies,
            "the rates of sinusoid number i of d_model/2: 10000^(-2i/d_model) as in the paper (`paper`), or "
            "10000^(-i/(d_model/2 - 1)) as in Tensor2Tensor and Marian (`tensor2tensor`)");
  model.add("zero_start", &ModelOptions::zero_start,
            "the decoder's first input is a zero vector, as in Marian, instead of the embedding of the start token");
  model.add("activation", &ModelOptions::activation, "the activation function of the feed-forward blocks");
  model.add("tie_embeddings", &ModelOptions::tie_embeddings,
            "share weights: `decoder`: target embedding and output projection; `all`: the source embedding too, which "
            "needs a shared tokenizer");
  model.add("attention_bias", &ModelOptions::attention_bias, "use biases in the projections of attention");
  model.add(
      "init", &ModelOptions::init,
      "`reference`: Xavier for every matrix; `scaled`: embeddings with standard deviation `d_model`^-0.5 "
      "instead, which learn faster when they are tied; `fairseq`: as fairseq starts its models, which is the same with "
      "smaller matrices for queries, keys and values, and biases of 0 elsewhere");
  model.add("max_positions", &ModelOptions::max_positions,
            "the number of positions in a learned table; the initial size of the sinusoidal table", at_least(1));
  model
      .add("alignment_layer", &ModelOptions::alignment_layer,
           "the decoder layer, from 0, whose attention to the source gives alignments (null: found by training, or the "
           "last but one)",
           at_least(0))
      .may_change = true;
  model
      .add("alignment_head", &ModelOptions::alignment_head,
           "the head of `alignment_layer`, from 0 (null: the mean of all its heads)", at_least(0))
      .may_change = true;
  model
      .add("input_alignment_layer", &ModelOptions::input_alignment_layer,
           "the decoder layer, from 0, whose attention to the source gives the alignment of a subword one step later, "
           "when the decoder reads it, in place of `alignment_layer` (null: found by training, or none)",
           at_least(0))
      .may_change = true;
  model
      .add("input_alignment_head", &ModelOptions::input_alignment_head,
           "the head of `input_alignment_layer`, from 0 (null: the mean of all its heads)", at_least(0))
      .may_change = true;
}

namespace {

/// Limits, logging, validation and checkpoints: the keys that may change when a run is resumed.
template <class Keys>
void add_changeable_keys(Keys& training) {
  const auto add = [&](auto... arguments) { training.add(arguments...).may_change = true; };
  const NumberRange count = at_least(0);
  add("max_steps", &TrainingOptions::max_steps,
      "the limit in steps; the first limit that is reached ends the run (0: no limit); `cosine` and `linear` fall to 0 "
      "there",
      count);
  add("max_epochs", &TrainingOptions::max_epochs, "the limit in epochs (0: no limit)", count);
  add("max_minutes", &TrainingOptions::max_minutes,
      "the limit in minutes of training time, summed over all resumes (0: no limit)", count);
  add("patience", &TrainingOptions::patience,
      "the limit in consecutive validations without a new best, that of step 0 not counted (0: no limit)", count);
  add("validate_every", &TrainingOptions::validate_every, "how often to validate");
  add("show_translations", &TrainingOptions::show_translations,
      "the number of validation sentences that each validation logs with their reference and their translation", count);
  add("log_every", &TrainingOptions::log_every, "the number of steps between reports", at_least(1));
  add("tensorboard", &TrainingOptions::tensorboard,
      "write the curves of the run into `tensorboard/` in its folder, as event files for TensorBoard");
  add("checkpoint_every", &TrainingOptions::checkpoint_every, "how often to save a checkpoint");
  add("keep_last", &TrainingOptions::keep_last, "the number of newest checkpoints to keep, or `all`", NumberRange{});
  add("keep_best", &TrainingOptions::keep_best, "the number of best checkpoints to keep in addition", count);
  add("gradient_precision", &TrainingOptions::gradient_precision,
      "the precision in which several processes send each other gradients: `bf16` needs half the bytes of `fp32`; "
      "`auto` is fp32");
  add("if_not_finite", &TrainingOptions::if_not_finite,
      "the reaction to a step whose loss or gradients are not finite: `stop`, `skip` the step, or `go_back` to the "
      "last "
      "checkpoint and on with another order of the data");
}

}  // namespace

void add_training_keys(std::vector<Key>& keys) {
  ObjectKeys training(keys, "training", [](auto& config) -> auto& { return config.training; });
  const NumberRange count = at_least(0);
  training.add(
      "batch_tokens", &TrainingOptions::batch_tokens,
      "the target subwords of a batch, counting the end of each sentence but no padding; `auto`: as many as the "
      "available memory allows, from 256 to 25,000, measured when a run starts and kept for the whole run");
  training.add("batch_sentences", &TrainingOptions::batch_sentences,
               "the pairs of a batch, instead of `batch_tokens` (0: use `batch_tokens`)", count);
  training.add(
      "pad_to", &TrainingOptions::pad_to,
      "the shortest padded length of both sides of a batch in positions, as tutorials pad to a fixed `seq_len` "
      "(0: its longest sentence); it slows down training with LibTorch's operators and changes nothing but "
      "rounding and the random numbers of dropout",
      between(0, 4096));
  training.add("accumulation_steps", &TrainingOptions::accumulation_steps, "the number of batches in a step",
               at_least(1));
  training.add("stages", &TrainingOptions::stages,
               "parts of the training, one after the other, with other `weights` of the corpora and other `modifiers`; "
               "each ends at the first of its limits (`steps`, `epochs`, those of one `corpus` if it is given, "
               "`minutes`, `patience`), the last one with the training at the latest (docs/data.md)");
  ObjectKeys optimizer(keys, "training.optimizer", [](auto& config) -> auto& { return config.training.optimizer; });
  optimizer.add("type", &OptimizerOptions::type,
                "`adam`, or `muon`: Muon for the matrices of the layers and Adam for the rest, which needs fewer but "
                "slightly slower steps");
  optimizer.add("beta1", &OptimizerOptions::beta1, "the decay of Adam's mean gradient", from_below(0, 1));
  optimizer.add("beta2", &OptimizerOptions::beta2, "the decay of Adam's mean squared gradient", from_below(0, 1));
  optimizer.add("epsilon", &OptimizerOptions::epsilon,
                "the epsilon that Adam adds to the square root of the mean squared gradient", above(0));
  optimizer.add("momentum", &OptimizerOptions::momentum, "the decay of Muon's mean gradient", from_below(0, 1));
  optimizer.add(
      "matrix_update", &OptimizerOptions::matrix_update,
      "the root mean square of Muon's update of a matrix, relative to the learning rate (Adam's is about 0.2 to 0.4)",
      above(0));
  optimizer.add("weight_decay", &OptimizerOptions::weight_decay,
                "the decay of matrices at each step, decoupled from the gradient (AdamW)", count);
  training.add("schedule", &TrainingOptions::schedule,
               "the learning rate after the warm-up: `noam` (the paper's) and `inverse_sqrt` decay with the square "
               "root of the step, `cosine` and `linear` reach 0 at `max_steps`");
  training.add("warmup_steps", &TrainingOptions::warmup_steps,
               "the number of steps over which the learning rate rises from 0", count);
  training.add("learning_rate", &TrainingOptions::learning_rate,
               "`noam`: a factor; other schedules: the peak after the warm-up (for example 0.0005)", above(0));
  training.add("label_smoothing", &TrainingOptions::label_smoothing,
               "the probability mass of the target that is spread over the whole vocabulary", from_below(0, 1));
  training.add("r_drop", &TrainingOptions::r_drop,
               "the alpha of R-Drop: each batch is computed twice, and alpha times half the mean symmetric KL "
               "divergence of the two predictions is added to the loss; doubles the work (for example 5; 0: off)",
               count);
  training.add("sim_cut", &TrainingOptions::sim_cut,
               "the alpha of SimCut: each batch is computed a second time with some embeddings zeroed, and alpha times "
               "the KL divergence from that prediction to the plain one is added to the loss; doubles the work (for "
               "example 3; 0: off)",
               count);
  training.add(
      "sim_cut_probability", &TrainingOptions::sim_cut_probability,
      "the probability of zeroing the embedding of a subword, in the source and in the target that the decoder "
      "reads, in the second pass of `sim_cut`",
      from_below(0, 1));
  ObjectKeys word_dropout(keys, "training.word_dropout",
                          [](auto& config) -> auto& { return config.training.word_dropout; });
  word_dropout.add(
      "source", &WordDropoutOptions::source,
      "the probability of zeroing the whole embedding of a source subword; the others are scaled up (for example 0.1)",
      from_below(0, 1));
  word_dropout.add("target", &WordDropoutOptions::target, "the same for the target subwords that the decoder reads",
                   from_below(0, 1));
  training.add(
      "guided_alignment", &TrainingOptions::guided_alignment,
      "`auto`: two heads of the cross attention, the first of the last decoder layer and one of the middle layer, "
      "which gives the alignments, are trained to attend to the source words that a word aligner links; the "
      "aligner is trained on the training pairs when a run starts (docs/alignment.md)");
  training.add("guided_alignment_weight", &TrainingOptions::guided_alignment_weight,
               "the factor of the loss of `guided_alignment` beside that of the translation", above(0));
  training.add("teacher", &TrainingOptions::teacher,
               "models with the same tokenizers, as `--checkpoint` of `translate-infer` takes a model, or an ensemble "
               "`A,B`: what they predict at each label is learnt besides the label (docs/recipe.md; \"\": none)");
  training.add("teacher_weight", &TrainingOptions::teacher_weight,
               "the share of the predictions of `teacher` in what is learnt; the label has the rest",
               NumberRange{.lowest = 0, .highest = 1, .lowest_excluded = true});
  training.add("ema_decay", &TrainingOptions::ema_decay,
               "the decay of a moving average of the weights, which is validated and saved in place of the weights "
               "(for example 0.999; 0: off)",
               from_below(0, 1));
  training.add("clip_grad_norm", &TrainingOptions::clip_grad_norm,
               "gradients with a larger norm are scaled down to this norm (0: never)", count);
  add_changeable_keys(training);
  training.add(
      "best_metric", &TrainingOptions::best_metric,
      "the metric that chooses the best checkpoint: the highest validation BLEU or chrF, or the lowest validation "
      "loss, "
      "which also decides between equal scores; `auto`: BLEU if at least half of the validation references have four "
      "tokens, as BLEU needs, otherwise chrF, decided when a run starts and kept for the whole run");
  training.add(
      "bleu_tokenization", &TrainingOptions::bleu_tokenization,
      "the tokenization of the validation BLEU, as `translate-eval --tokenize` has it: `zh` or `char` for a target "
      "without spaces");
  training.add(
      "precision", &TrainingOptions::precision,
      "the precision of matrix products; `auto` is bf16 on a GPU and on a CPU that multiplies it (AVX-512 BF16), "
      "otherwise fp32; decided when a run starts and kept for the whole run");
  training.add("fused_kernels", &TrainingOptions::fused_kernels,
               "train with this project's own CPU kernels if processor and model allow; `false`: always use LibTorch's "
               "operators, which are slower");
  training.add("seed", &TrainingOptions::seed,
               "the seed of initial weights, dropout, shuffling, held-out pairs and sampling");
}

namespace {

template <class Add>
void add_search_keys(const Add& add) {
  add("beam_size", &DecodingOptions::beam_size, "the hypotheses of a sentence kept at each step; 1 is greedy search",
      between(1, kMostHypotheses));
  add("n_best", &DecodingOptions::n_best,
      "the number of translations of each sentence, best first; at most `beam_size`, or with `sampling` the number to "
      "draw",
      between(1, kMostHypotheses));
  add("length_penalty", &DecodingOptions::length_penalty,
      "the alpha of `length_penalty_kind`; higher values favour longer translations (0: compare plain "
      "log-probabilities)",
      between(-kLargestLengthPenalty, kLargestLengthPenalty));
  add("length_penalty_kind", &DecodingOptions::length_penalty_kind,
      "the divisor of the log-probabilities that are compared: `gnmt`, ((5 + length) / 6)^alpha (Wu et al. 2016), or "
      "`average`, length^alpha",
      NumberRange{});
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
      NumberRange{});
  add("temperature", &DecodingOptions::temperature,
      "with `sampling`: the logits are divided by this; values below 1 favour likely subwords", above(0));
  add("top_k", &DecodingOptions::top_k, "with `sampling`: draw among this many most likely subwords (0: among all)",
      at_least(0));
  add("top_p", &DecodingOptions::top_p,
      "with `sampling`: draw among the fewest most likely subwords whose probabilities add up to this (nucleus "
      "sampling, Holtzman et al. 2020; 1: among all)",
      NumberRange{.lowest = 0.0, .highest = 1.0, .lowest_excluded = true});
  add("epsilon", &DecodingOptions::epsilon,
      "with `sampling`: draw only subwords of at least this probability, or the most likely one (epsilon sampling, "
      "Hewitt et al. 2022; 0: among all)",
      between(0, 1));
  add("seed", &DecodingOptions::seed, "with `sampling`: the seed", NumberRange{});
}

}  // namespace

void add_decoding_keys(std::vector<Key>& keys) {
  ObjectKeys decoding(keys, "decoding", [](auto& config) -> auto& { return config.decoding; });
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
      NumberRange{});
  add_search_keys(add);
  add_sampling_keys(add);
}

void add_distillation_keys(std::vector<Key>& keys) {
  ObjectKeys distillation(keys, "distillation", [](auto& config) -> auto& { return config.distillation; });
  distillation.add("teachers", &DistillationOptions::teachers,
                   "the number of models that are trained first, as this configuration says, with seeds of their own, "
                   "and one of the other direction; the model of the run then reads what they write, too "
                   "(docs/recipe.md; 0: none)",
                   between(0, 100));
  distillation.add(
      "teacher", &DistillationOptions::teacher,
      "ready teachers in their place, as `--checkpoint` of `translate-infer` takes a model, or an ensemble "
      "`A,B` (\"\": none)");
  distillation.add("reverse", &DistillationOptions::reverse,
                   "a ready model of the other direction (\"\": trained with the teachers, none with ready ones)");
  distillation.add("drawn", &DistillationOptions::drawn,
                   "with a model of the other direction: the sources that it draws for each target, which the teachers "
                   "then translate",
                   between(0, 100));
  distillation.add("n_best", &DistillationOptions::n_best,
                   "the teachers' beam for the text that they write, and the translations of each sentence among which "
                   "the next two keys choose (1: the best one, with the beam of their configuration; more: one of "
                   "these must be set)",
                   between(1, kMostHypotheses));
  distillation.add("reverse_weight", &DistillationOptions::reverse_weight,
                   "the weight of the mean log-probability of a source subword, given the translation, by the model of "
                   "the other direction",
                   at_least(0));
  distillation.add("reference_weight", &DistillationOptions::reference_weight,
                   "the weight of the translation's chrF, from 0 to 1, against the real target", at_least(0));
  distillation.add("shortlist", &DistillationOptions::shortlist,
                   "the number of translations of each source subword in a shortlist, which is learnt from the real "
                   "pairs and makes the teachers write faster (docs/decoding.md; 0: no shortlist)",
                   between(0, kMostListed));
  distillation.add("left_out", &DistillationOptions::left_out,
                   "with a model of the other direction: the share of the teachers' translations that is left out, "
                   "those to which it gives the lowest probability",
                   from_below(0, 1));
  distillation.add(
      "rounds", &DistillationOptions::rounds,
      "how often the teachers write text; after each time but the last, students of it are trained, as many "
      "as teachers, which join these",
      between(1, 10));
  distillation.add("teacher_weight", &DistillationOptions::teacher_weight,
                   "`training.teacher_weight` of the last student, with its teachers, which must have the student's "
                   "tokenizers (0: students learn from text alone)",
                   between(0, 1));
  distillation.add("student", &DistillationOptions::student,
                   "settings of the models that read the written text, on top of the configuration, such as "
                   "`{\"model.dropout\": 0.1, \"training.max_steps\": 20000}`");
}

}  // namespace translate
