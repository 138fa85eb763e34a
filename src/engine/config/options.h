#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace translate {

/// What tags in a text mean.
enum class Markup {
  kNone,  ///< nothing: all is text
  kHtml,  ///< the text is HTML: tags that both sides have become symbols, and character references characters
};

/// Two aligned text files: line N of one is the translation of line N of the other. Plain or gzip. A corpus is one such
/// pair of files, or several.
struct CorpusFiles {
  std::filesystem::path source;      ///< sentences to translate from, one a line
  std::filesystem::path target;      ///< their translations
  double weight = 1.0;               ///< how often a pair is drawn in training, relative to pairs of other corpora
  bool continues = false;            ///< belongs to the corpus of the files before it
  std::string source_language = {};  ///< the code of its source language (empty: data.source_language)
  std::string target_language = {};  ///< of its target, which a tag at the head of each source then names (empty: none)
  Markup markup = Markup::kNone;     ///< of training text
  std::filesystem::path alignment = {};  ///< of training text: links between the words of its pairs (alignment_text.h)

  bool operator==(const CorpusFiles&) const = default;
};

/// Whether some of the files have mark-up.
[[nodiscard]] inline bool has_markup(const std::vector<CorpusFiles>& corpora) {
  return std::ranges::any_of(corpora, [](const CorpusFiles& files) { return files.markup != Markup::kNone; });
}

/// Whether some of the files have given links between words.
[[nodiscard]] inline bool has_alignments(const std::vector<CorpusFiles>& corpora) {
  return std::ranges::any_of(corpora, [](const CorpusFiles& files) { return !files.alignment.empty(); });
}

/// The source of the validation pairs: files, or a fraction of the training pairs, or (neither) no validation.
struct ValidationSource {
  std::vector<CorpusFiles> files;  ///< validation corpora
  double fraction = 0.0;           ///< share of the training pairs held out, drawn once from the seed (0 = none)

  bool operator==(const ValidationSource&) const = default;
};

/// Changes of training pairs, drawn for each pair in each epoch, so that models read text as people write it. All but
/// typo_words are probabilities (0-1) of a pair.
struct ModifierOptions {
  double upper_case = 0.0;         ///< both sides in capitals
  double title_case = 0.0;         ///< both sides with a capital letter at the head of their words
  double lower_case = 0.0;         ///< both sides in small letters
  double final_punctuation = 0.0;  ///< the final mark of both sides is taken away, or exchanged for another one
  double typos = 0.0;              ///< typos in the source
  double typo_words = 0.1;         ///< typos: in this share of its words, and in one at least
  double noise = 0.0;              ///< numbers, URLs, e-mail addresses or emoji beside both sides, or in their place
  double joined = 0.0;             ///< the next pair of the corpus follows in the same line
  double placeholders = 0.0;       ///< aligned words of both sides become symbols for placeholders
  double keep = 0.0;               ///< aligned words of both sides become a made-up name
  double tags = 0.0;               ///< aligned phrases of both sides get symbols for tags around them
  double terms = 0.0;              ///< phrases of the source get those that they are aligned to behind them

  /// Whether any pair may change.
  [[nodiscard]] bool are_on() const {
    return std::max({upper_case, title_case, lower_case, final_punctuation, typos, noise, joined}) > 0.0 ||
           need_links();
  }

  /// Whether words of a pair may change together with those that they are aligned to.
  [[nodiscard]] bool need_links() const { return std::max({placeholders, keep, tags, terms}) > 0.0; }

  bool operator==(const ModifierOptions&) const = default;
};

/// The `data` object: training, validation and test text.
struct DataOptions {
  std::vector<CorpusFiles> train;     ///< training corpora; the only keys without a default
  double sampling_temperature = 1.0;  ///< T: a corpus of n pairs is drawn in proportion to weight * n^(1/T)
  ValidationSource validation;        ///< held-out pairs watched during training
  std::vector<CorpusFiles> test;      ///< held-out pairs that only translate-eval reads
  std::string source_language;        ///< a label for messages, e.g. "en"; of corpora that name no other
  std::string target_language;        ///< a label for messages, e.g. "fr"; of corpora that name no other
  std::int64_t max_length = 256;      ///< longer training pairs are left out; subwords a side, without sos and eos
  double max_length_ratio =
      0.0;  ///< training pairs whose longer side exceeds this times the shorter are left out (0 = no limit)
  ModifierOptions modifiers;        ///< changes of training pairs
  std::filesystem::path cache_dir;  ///< folder of encoded pairs for several runs (empty = in the run's folder)

  bool operator==(const DataOptions&) const = default;
};

/// Whether sources have a tag at their head that names their target language.
[[nodiscard]] inline bool has_language_tags(const DataOptions& data) {
  return std::ranges::any_of(data.train, [](const CorpusFiles& files) { return !files.target_language.empty(); });
}

enum class TokenizerType {
  kBpe,
  kUnigram,
  kWord,
  kChar,
  kWordLevel  ///< whole words, as the `tokenizers` package makes them; the others are kinds of SentencePiece models
};
enum class Normalization { kNmtNfkc, kNfkc, kNfc, kIdentity };
/// What happens to characters that Unicode calls default-ignorable: soft hyphens, marks of direction, and others.
enum class IgnorableCharacters { kRemove, kKeep };

/// Subword regularisation during training (Kudo 2018; Provilkov et al. 2020, "BPE-dropout").
struct SamplingOptions {
  bool source = false;      ///< draw a new segmentation of the source in each epoch
  bool target = false;      ///< the same for the target
  double alpha = 0.1;       ///< bpe: share of merges dropped; unigram: smoothing of the distribution (0-1)
  std::int64_t nbest = -1;  ///< unigram: draw among this many best segmentations (-1 = all)
  /// With two passes over a batch, only the second one reads drawn segmentations of the source.
  bool second_pass = false;

  bool operator==(const SamplingOptions&) const = default;
};

/// The `tokenizer` object: how text becomes subwords.
struct TokenizerOptions {
  TokenizerType type = TokenizerType::kBpe;  ///< kind of tokenizer
  std::int64_t vocab_size = 8000;            ///< subwords wanted; lowered, with a warning, if the text yields fewer
  std::int64_t min_frequency = 1;            ///< word-level: rarer words of the text are unknown
  bool shared = true;                        ///< one model for both languages
  double character_coverage = 1.0;           ///< share of characters that get a subword of their own
  bool byte_fallback = false;                ///< spell unknown characters in UTF-8 bytes
  Normalization normalization = Normalization::kNmtNfkc;  ///< Unicode normalisation of sources before segmentation
  std::optional<Normalization> target_normalization;      ///< the same of targets (unset: see of_targets)
  std::optional<IgnorableCharacters> ignorable;           ///< invisible characters (unset: see of_ignorable)
  bool pretokenized = false;  ///< words are separated by spaces alone: a subword may mix scripts, digits and marks
  SamplingOptions sampling;   ///< subword regularisation
  std::filesystem::path source_model;       ///< an existing model, .spm or word-level .json (empty = reuse or build)
  std::filesystem::path target_model;       ///< the same for the target
  std::filesystem::path source_vocabulary;  ///< the ids of source_model's subwords (empty = its own)
  std::filesystem::path target_vocabulary;  ///< the same for the target
  bool source_sos = true;                   ///< sources begin with sos

  /// The normalisation of targets for which a tokenizer is built: NFC unless target_normalization is set, but
  /// `identity` if that of sources is.
  [[nodiscard]] Normalization of_targets() const {
    const bool is_identity = normalization == Normalization::kIdentity;
    return target_normalization.value_or(is_identity ? Normalization::kIdentity : Normalization::kNfc);
  }

  /// The treatment of default-ignorable characters by new tokenizers: they are removed unless `ignorable` is set, but
  /// kept if the normalisation of sources is `identity`.
  [[nodiscard]] IgnorableCharacters of_ignorable() const {
    const bool is_identity = normalization == Normalization::kIdentity;
    return ignorable.value_or(is_identity ? IgnorableCharacters::kKeep : IgnorableCharacters::kRemove);
  }

  bool operator==(const TokenizerOptions&) const = default;
};

/// What a decoder layer has between its input and the cross attention.
enum class DecoderKind {
  kTransformer,  ///< masked self-attention (the paper)
  kSsru          ///< the simpler simple recurrent unit (kernels/recurrence.h)
};
enum class NormPlacement { kPre, kPost };
/// The norm of a row x: alpha * (x - mean) / deviation + bias.
enum class LayerNormKind {
  kTorch,      ///< PyTorch's LayerNorm (Ba et al. 2016): deviation = sqrt(biased variance + epsilon)
  kReference,  ///< the PyTorch reference's: unbiased standard deviation + epsilon
  kRms         ///< RMSNorm (Zhang and Sennrich 2019): alpha * x / sqrt(mean of x^2 + epsilon), without mean and bias
};
enum class PositionKind { kSinusoidal, kLearned, kNone };
/// Which columns of a sinusoidal table hold sines and which cosines.
enum class SinusoidLayout {
  kInterleaved,  ///< by turns (the paper)
  kHalves        ///< all sines, then all cosines (Marian, Tensor2Tensor)
};
/// The rates of the sinusoids' angles, i = 0 ... d/2 - 1.
enum class SinusoidFrequencies {
  kPaper,         ///< 10000^(-2i/d)
  kTensor2Tensor  ///< 10000^(-i/(d/2 - 1)) (Marian, Tensor2Tensor)
};
enum class Activation { kRelu, kGelu, kSwish };
enum class EmbeddingTying { kNone, kDecoder, kAll };
enum class Initialization { kReference, kScaled, kFairseq };

/// The `model` object: the Transformer's shape (Vaswani et al. 2017, table 3).
struct ModelOptions {
  std::int64_t d_model = 512;                       ///< width of every layer's input and output
  std::int64_t encoder_layers = 6;                  ///< N of the encoder
  std::int64_t decoder_layers = 6;                  ///< N of the decoder
  DecoderKind decoder = DecoderKind::kTransformer;  ///< the kind of its layers
  std::int64_t num_heads = 8;                       ///< h; d_model must be a multiple
  std::int64_t d_ff = 2048;                         ///< inner width of the feed-forward block
  double dropout = 0.1;                             ///< on embeddings and on each sub-layer's output
  std::optional<double> attention_dropout;          ///< on attention weights (unset = dropout)
  std::optional<double> activation_dropout;         ///< inside the feed-forward block (unset = dropout)
  double layer_drop = 0.0;                          ///< share of layers left out of a training pass (LayerDrop)
  NormPlacement norm = NormPlacement::kPre;         ///< norm before (pre) or after (post, the paper) each sub-layer
  LayerNormKind layer_norm = LayerNormKind::kReference;                    ///< the formula of the norms
  double layer_norm_epsilon = 1e-6;                                        ///< its epsilon
  bool embedding_scale = true;                                             ///< multiply embeddings by sqrt(d_model)
  PositionKind positions = PositionKind::kSinusoidal;                      ///< positional encoding
  SinusoidLayout sinusoid_layout = SinusoidLayout::kInterleaved;           ///< the order of their columns
  SinusoidFrequencies sinusoid_frequencies = SinusoidFrequencies::kPaper;  ///< the rates of their angles
  bool zero_start = false;  ///< the decoder's first input is a zero vector in place of the embedding of sos
  Activation activation = Activation::kRelu;              ///< inside the feed-forward block
  EmbeddingTying tie_embeddings = EmbeddingTying::kNone;  ///< decoder: target embedding = projection; all: and source
  bool attention_bias = false;                            ///< biases in w_q, w_k, w_v, w_o
  Initialization init =
      Initialization::kReference;    ///< reference: Xavier everywhere; scaled: embeddings N(0, d_model^-0.5)
  std::int64_t max_positions = 512;  ///< size of the learned position table; initial size of the sinusoidal one
  /// The decoder layer, from 0, whose attention to the source gives alignments (unset = aligning_attention chooses).
  std::optional<std::int64_t> alignment_layer;
  std::optional<std::int64_t> alignment_head;  ///< the head of that layer, from 0 (unset = the mean of all)
  /// The layer and the head that give them one step later, when the decoder reads the subword (unset = none do).
  std::optional<std::int64_t> input_alignment_layer;
  std::optional<std::int64_t> input_alignment_head;

  bool operator==(const ModelOptions&) const = default;
};

enum class OptimizerType { kAdam, kMuon };
enum class ScheduleKind { kNoam, kInverseSqrt, kCosine, kLinear, kConstant };

/// BLEU's tokenizations of a line, in sacreBLEU's definitions (see metrics/bleu_tokens.h).
enum class BleuTokenization {
  k13a,   ///< that of WMT's mteval-v13a
  kIntl,  ///< that of WMT's mteval-v14
  kNone,  ///< at white space only: for text that is already tokenized
  kChar,  ///< each character except white space
  kZh,    ///< each Chinese character; everything else by the rules of 13a
};

/// The metric that chooses the best checkpoint.
enum class BestMetric {
  kAuto,  ///< BLEU or chrF, as suits the validation references; decided when a run starts, which then keeps it
  kBleu,
  kChrf,
  kLoss
};

/// The reaction to a step whose loss or gradients are not finite; its update is never made.
enum class NonFinite {
  kStop,    ///< training stops with an error
  kSkip,    ///< training goes on with the next step
  kGoBack,  ///< training goes back to the last checkpoint, and on with another order of the data
};
enum class Precision { kAuto, kFp32, kBf16 };

/// Where the links come from that one head of the decoder's attention is trained towards.
enum class GuidedAlignment {
  kOff,
  kAuto  ///< a word aligner that is trained on the training pairs themselves
};

/// "Every N steps" or "every epoch".
struct Interval {
  std::int64_t steps = 0;  ///< 0 = once an epoch

  [[nodiscard]] bool every_epoch() const { return steps == 0; }
  bool operator==(const Interval&) const = default;
};

/// The tokens of a batch: a number, or as many as the available memory allows.
struct TokenBudget {
  std::int64_t tokens = 0;  ///< 0 = "auto": measured when a run starts, which then keeps the number

  constexpr TokenBudget(std::int64_t count = 0) : tokens(count) {}  // NOLINT: a number is one
  [[nodiscard]] bool is_auto() const { return tokens == 0; }
  bool operator==(const TokenBudget&) const = default;
};

/// The newest checkpoints that a run keeps: a number of them, or all.
struct KeptCheckpoints {
  std::int64_t count = 0;  ///< 0 = "all"

  constexpr KeptCheckpoints(std::int64_t number = 0) : count(number) {}  // NOLINT: a number is one
  [[nodiscard]] bool are_all() const { return count == 0; }
  bool operator==(const KeptCheckpoints&) const = default;
};

/// Adam (Kingma & Ba 2015) with the paper's values; weight decay, if set, is decoupled (AdamW). Muon updates the
/// matrices of the layers (training/optimizer/muon.h); Adam updates the rest.
struct OptimizerOptions {
  OptimizerType type = OptimizerType::kAdam;
  double beta1 = 0.9;          ///< Adam: decay of the first moment
  double beta2 = 0.98;         ///< Adam: decay of the second moment
  double epsilon = 1e-9;       ///< Adam: added to the root of the second moment
  double momentum = 0.95;      ///< Muon: decay of the mean gradient
  double matrix_update = 0.2;  ///< Muon: root mean square of a step's update of a matrix, in learning rates
  double weight_decay = 0.0;   ///< decoupled decay of every parameter of more than one dimension

  bool operator==(const OptimizerOptions&) const = default;
};

/// Shares of subwords whose whole embedding is zeroed in training (Sennrich et al. 2016; Gal & Ghahramani 2016).
struct WordDropoutOptions {
  double source = 0.0;  ///< of the encoder's input
  double target = 0.0;  ///< of the decoder's input

  bool operator==(const WordDropoutOptions&) const = default;
};

/// A part of a training that reads its corpora in shares of its own, and has an end of its own.
struct StageOptions {
  std::vector<double> weights = {};               ///< of the training corpora in their order (empty: their own)
  std::optional<ModifierOptions> modifiers = {};  ///< in place of data.modifiers (unset: these)
  std::int64_t steps = 0;                         ///< limit in steps of this stage (0 = none)
  double epochs = 0.0;                            ///< limit in epochs of this stage (0 = none)
  std::optional<std::int64_t> corpus = {};        ///< the corpus, from 0, whose passes are its epochs (unset: all)
  double minutes = 0.0;                           ///< limit in minutes of training time (0 = none)
  std::int64_t patience = 0;                      ///< limit in validations without a new best (0 = none)

  /// Whether it ends before the training does.
  [[nodiscard]] bool has_end() const { return steps > 0 || epochs > 0.0 || minutes > 0.0 || patience > 0; }

  bool operator==(const StageOptions&) const = default;
};

/// The `training` object.
struct TrainingOptions {
  TokenBudget batch_tokens = 4096;              ///< real target tokens a batch (eos counted, padding not)
  std::int64_t batch_sentences = 0;             ///< sentences a batch instead (0 = by tokens)
  std::int64_t pad_to = 0;                      ///< shortest padded length of a side (0 = its longest sentence)
  std::int64_t accumulation_steps = 1;          ///< batches per optimizer step
  std::int64_t max_steps = 100000;              ///< limit in steps (0 = none)
  std::int64_t max_epochs = 0;                  ///< limit in epochs (0 = none)
  double max_minutes = 0.0;                     ///< limit in minutes of training time over all resumes (0 = none)
  OptimizerOptions optimizer;                   ///< optimizer and its settings
  std::vector<StageOptions> stages;             ///< one after the other (none: one stage, as data has it)
  ScheduleKind schedule = ScheduleKind::kNoam;  ///< learning rate as a function of the step
  std::int64_t warmup_steps = 4000;             ///< steps of linear warm-up
  double learning_rate = 1.0;                   ///< noam: a factor; others: the peak after warm-up
  double label_smoothing = 0.1;                 ///< epsilon, spread evenly over all classes as PyTorch does
  double r_drop = 0.0;                          ///< alpha of R-Drop (Liang et al. 2021; 0 = off, one pass)
  double sim_cut = 0.0;                         ///< alpha of SimCut (Gao et al. 2022; 0 = off, one pass)
  double sim_cut_probability = 0.05;            ///< of zeroing an embedding of its second pass
  WordDropoutOptions word_dropout;              ///< subwords whose embedding is zeroed
  GuidedAlignment guided_alignment = GuidedAlignment::kOff;  ///< whether one head is trained to align
  double guided_alignment_weight = 0.1;                      ///< factor of its loss
  std::string teacher;                         ///< models whose predictions are learnt besides the labels (empty: none)
  double teacher_weight = 0.7;                 ///< their share of the target
  double ema_decay = 0.0;                      ///< of the weights' moving average (0 = none)
  double clip_grad_norm = 0.0;                 ///< largest global gradient norm (0 = no clipping)
  Interval validate_every;                     ///< when to validate
  std::int64_t show_translations = 0;          ///< validation sentences whose translations are logged
  std::int64_t log_every = 50;                 ///< steps between reports
  bool tensorboard = true;                     ///< write event files for TensorBoard
  Interval checkpoint_every;                   ///< when to save
  KeptCheckpoints keep_last = 3;               ///< newest checkpoints kept
  std::int64_t keep_best = 1;                  ///< best checkpoints kept in addition
  BestMetric best_metric = BestMetric::kAuto;  ///< what "best" means: validation BLEU or chrF (higher), or loss
  BleuTokenization bleu_tokenization = BleuTokenization::k13a;  ///< of the validation BLEU
  std::int64_t patience = 0;                        ///< validations without a new best before stopping (0 = never)
  Precision precision = Precision::kAuto;           ///< arithmetic of matrix products
  Precision gradient_precision = Precision::kAuto;  ///< in which several processes send each other gradients
  NonFinite if_not_finite = NonFinite::kStop;       ///< the reaction to a step that is not finite
  bool fused_kernels = true;                        ///< train with the project's own kernels if they apply
  std::uint64_t seed = 1;                           ///< of initial weights, dropout, shuffling, splitting, sampling

  bool operator==(const TrainingOptions&) const = default;
};

enum class LengthPenaltyKind { kGnmt, kAverage };

/// Whether lines are split into sentences, which are translated one by one.
enum class SentenceSplitting {
  kAuto,  ///< yes; a training whose lines often hold several sentences saves kOff with its model
  kOn,
  kOff
};

/// The `decoding` object: limits and the search.
struct DecodingOptions {
  std::int64_t max_length = 256;     ///< target subwords at most
  double max_length_ratio = 2.0;     ///< and at most this times the source subwords, plus 10
  std::int64_t batch_tokens = 3072;  ///< source subwords at a time, each counted once for each hypothesis
  std::int64_t beam_size = 4;        ///< hypotheses kept at each step (1 = greedy); not with sampling
  std::int64_t n_best = 1;           ///< translations returned for each sentence
  double length_penalty = 0.6;       ///< alpha: strength of the preference for longer translations (0 = none)
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::kGnmt;  ///< divisor of the summed score
  std::int64_t min_length = 0;                                       ///< subwords before the end may come
  std::int64_t no_repeat_ngram = 0;  ///< no n-gram of this many subwords is generated twice (0 = no limit)
  double repetition_penalty = 1.0;   ///< penalty for subwords generated already (1 = none)
  bool sampling = false;             ///< sample translations instead of searching for the best
  double temperature = 1.0;          ///< sampling: below 1 keeps to likely subwords, above 1 spreads out
  std::int64_t top_k = 0;            ///< sampling: among this many likeliest subwords (0 = all)
  double top_p = 1.0;                ///< sampling: among the likeliest subwords that have this probability together
  double epsilon = 0.0;              ///< sampling: among the subwords of at least this probability (0 = all)
  std::uint64_t seed = 1;            ///< sampling: seed of the draws
  SentenceSplitting split_sentences =
      SentenceSplitting::kAuto;  ///< translate-infer and translate-serve; not evaluation

  bool operator==(const DecodingOptions&) const = default;
};

/// The `distillation` object: models that write text for the model of the run.
struct DistillationOptions {
  std::int64_t teachers = 0;         ///< trained first, as this configuration says (0 = none)
  std::string teacher;               ///< a ready model or ensemble in their place (empty: none)
  std::string reverse;               ///< a ready model of the other direction (empty: trained with the teachers)
  std::int64_t drawn = 2;            ///< sources that are drawn for each target
  std::int64_t n_best = 1;           ///< translations among which the teachers' is chosen
  double reverse_weight = 0.0;       ///< of the reverse model's score in this choice
  double reference_weight = 0.0;     ///< of the likeness to the reference
  std::int64_t shortlist = 50;       ///< translations of a source subword in the teachers' shortlist (0 = none)
  double left_out = 0.0;             ///< share of the teachers' translations with the lowest reverse scores, left out
  std::int64_t rounds = 1;           ///< students of all rounds but the last join the teachers
  double teacher_weight = 0.0;       ///< training.teacher_weight of the last student (0 = none)
  std::vector<std::string> student;  ///< settings of students alone, KEY=VALUE

  bool operator==(const DistillationOptions&) const = default;
};

/// Whether other models write text for that of the run.
[[nodiscard]] inline bool is_on(const DistillationOptions& distillation) {
  return distillation.teachers > 0 || !distillation.teacher.empty();
}

/// The whole configuration file.
struct Config {
  DataOptions data;
  TokenizerOptions tokenizer;
  ModelOptions model;
  TrainingOptions training;
  DecodingOptions decoding;
  DistillationOptions distillation;
  std::filesystem::path run_dir;  ///< the run's folder (default: runs/<name of the configuration file>)

  bool operator==(const Config&) const = default;
};

/// Whether pairs are changed in any part of a training.
[[nodiscard]] inline bool has_modifiers(const Config& config) {
  return config.data.modifiers.are_on() || std::ranges::any_of(config.training.stages, [](const StageOptions& stage) {
           return stage.modifiers && stage.modifiers->are_on();
         });
}

/// The start of a training, in addition to its configuration.
struct StartOptions {
  std::string resume = "auto";  ///< auto: resume a stopped run; never: start from the beginning; or a checkpoint
  std::string init;             ///< start from these weights with a fresh optimizer (empty: from random ones)
};

}  // namespace translate
