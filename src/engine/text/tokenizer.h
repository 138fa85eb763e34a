#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The ids of one tokenizer's special subwords. Source and target side have one set each, which may differ.
struct SpecialTokens {
  std::int64_t unk = 0;  ///< unknown characters
  std::int64_t sos = 1;  ///< start of a sentence (called bos elsewhere)
  std::int64_t eos = 2;  ///< end of a sentence
  std::int64_t pad = 3;  ///< padding of a batch's shorter rows; may be sos, too, which nothing but a target begins with
  bool source_sos = true;  ///< sources begin with sos (tokenizer.source_sos); only of a source's tokenizer

  bool operator==(const SpecialTokens&) const = default;
};

struct SampleOptions;

/// The implementation of a Tokenizer; see there for what each function does. Ids passed in are within the vocabulary.
class TokenizerModel {
 public:
  TokenizerModel() = default;
  TokenizerModel(const TokenizerModel&) = delete;
  TokenizerModel& operator=(const TokenizerModel&) = delete;
  virtual ~TokenizerModel() = default;

  [[nodiscard]] virtual const std::string& serialized() const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> encode(std::string_view text) const = 0;
  /// Throws ConfigError if the model cannot sample.
  [[nodiscard]] virtual std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                              const SampleOptions& options,
                                                                              std::uint64_t seed) const = 0;
  [[nodiscard]] virtual std::string decode(std::span<const std::int64_t> ids) const = 0;
  [[nodiscard]] virtual const std::string& subword(std::int64_t id) const = 0;
  [[nodiscard]] virtual std::int64_t vocab_size() const = 0;
  /// Returns the id of a subword, or nothing. Special ones may be found, too, except unk.
  [[nodiscard]] virtual std::optional<std::int64_t> find(std::string_view subword) const = 0;
  [[nodiscard]] virtual const SpecialTokens& special_tokens() const = 0;
  [[nodiscard]] virtual bool is_word_level() const = 0;
};

/// The sampling of segmentations: BPE-dropout (Provilkov et al. 2020) or unigram sampling (Kudo 2018).
struct SampleOptions {
  double alpha = 0.1;       ///< bpe: share of merges dropped; unigram: smoothing of the distribution
  std::int64_t nbest = -1;  ///< unigram: draw among this many best segmentations, 512 at most (-1 = all)

  bool operator==(const SampleOptions&) const = default;
};

/// Text to subword ids and back. Copies share the model; const use is safe from any thread. There are two kinds:
///
/// A SentencePiece model. Texts of up to kSegmentedAtOnce bytes (core/utf8.h) are segmented as a whole, longer ones in
/// chunks, so that memory is bounded. With `identity` normalisation and byte fallback, decode(encode(x)) == x for every
/// valid UTF-8 text without NUL whose words have at most kSegmentedAtOnce bytes. Otherwise decoding returns the
/// normalised text: `nfc` composes letters with their marks, `nfkc` also folds compatibility forms (ligatures,
/// full-width letters), `nmt_nfkc` also turns control characters and odd spaces into spaces, and all drop leading,
/// trailing and repeated spaces. Default-ignorable characters are dropped, too, if the model says so
/// (text/normalization.h). Without byte fallback a character outside the vocabulary becomes unk (shown as " ⁇ "), and
/// U+2581, which SentencePiece writes for a space inside subwords, is decoded as a space.
///
/// The ids of a SentencePiece model's subwords may come from a vocabulary file (see Vocabulary). Encoding and decoding
/// are then those of MarianMT models.
///
/// A language tag such as `>>fra<<` at the head of a source is one subword if the vocabulary has it.
///
/// A word-level tokenizer, the JSON file of the Hugging Face `tokenizers` package (see WordLevelModel): subwords are
/// words, and decoding puts one space between them, around punctuation, too.
class Tokenizer {
 public:
  /// Reads a model file. A file that begins with a brace is JSON, a word-level tokenizer; any other is a SentencePiece
  /// model. Throws DataError if it is missing, neither of these, or lacks a special subword.
  static Tokenizer load(const std::filesystem::path& path);

  /// Reads a model from its serialized bytes; `origin` names it in errors. Throws CheckpointError where load() throws
  /// DataError.
  static Tokenizer from_serialized(std::string bytes, const std::string& origin = "tokenizer model");

  /// The same tokenizer with the ids of a vocabulary file in place of its own. Throws DataError if it is not a
  /// SentencePiece model, or as load() and Vocabulary do.
  static Tokenizer load(const std::filesystem::path& path, const std::filesystem::path& vocabulary);

  /// True for a word-level tokenizer, false for a SentencePiece model.
  [[nodiscard]] bool is_word_level() const { return model_->is_word_level(); }

  /// The same tokenizer for sources, which begin with sos or not.
  [[nodiscard]] Tokenizer for_sources(bool source_sos) const;

  /// The same tokenizer for targets, at whose head a language tag is text like any other.
  [[nodiscard]] Tokenizer for_targets() const;

  /// The same tokenizer if its model removes default-ignorable characters from text; otherwise one that does, too (see
  /// filtering_ignorable in text/ignorable_filter.h).
  [[nodiscard]] Tokenizer removing_ignorable() const;

  /// The language tag at the head of `text`, such as `>>fra<<`, if it is a subword and not that of a tokenizer for
  /// targets; otherwise an empty view.
  [[nodiscard]] std::string_view language_tag(std::string_view text) const;

  /// The languages of all tags that are subwords, in the order of their ids: "fra" of `>>fra<<`; only what can be a
  /// language code (is_language_code). Reads the whole vocabulary.
  [[nodiscard]] std::vector<std::string> tagged_languages() const;

  /// The content of the model's file.
  [[nodiscard]] const std::string& serialized() const;

  /// The ids of the best segmentation of `text`, without sos and eos; the same text always gives the same ids.
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text) const;

  /// The ids of a segmentation drawn at random: a function of text, options and seed alone, independent of the thread
  /// and of earlier draws. Throws ConfigError if the model cannot sample (word, char,
  /// word-level).
  [[nodiscard]] std::vector<std::int64_t> encode_sampled(std::string_view text, const SampleOptions& options,
                                                         std::uint64_t seed) const;

  /// The same for several texts, drawn one after the other from one seed: much cheaper than a call for each.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                      const SampleOptions& options,
                                                                      std::uint64_t seed) const;

  /// The subwords of encode(text), for display.
  [[nodiscard]] std::vector<std::string> encode_to_subwords(std::string_view text) const;

  /// The text of `ids`; sos, eos and pad are skipped (in a word-level tokenizer unk, too), and invalid UTF-8 becomes
  /// U+FFFD. Throws std::out_of_range for an id outside the vocabulary.
  [[nodiscard]] std::string decode(std::span<const std::int64_t> ids) const;

  /// The subword with this id. Throws std::out_of_range for an id outside the vocabulary.
  [[nodiscard]] const std::string& subword(std::int64_t id) const;

  /// The number of subwords, including special ones and bytes.
  [[nodiscard]] std::int64_t vocab_size() const;

  [[nodiscard]] const SpecialTokens& special_tokens() const { return special_; }

 private:
  explicit Tokenizer(std::shared_ptr<const TokenizerModel> model);

  void check_id(std::int64_t id) const;

  std::shared_ptr<const TokenizerModel> model_;
  SpecialTokens special_;
  bool reads_tags_ = true;
};

/// The tag of a language: `>>fra<<` of "fra".
[[nodiscard]] std::string language_tag_of(std::string_view language);

/// The file extensions of the two kinds of tokenizers.
inline constexpr const char* kSentencePieceExtension = ".spm";
inline constexpr const char* kWordLevelExtension = ".json";

/// True if two tokenizers have the same subwords with the same ids, so that they decode alike.
[[nodiscard]] bool have_same_subwords(const Tokenizer& left, const Tokenizer& right);

/// The file extension for a tokenizer with these bytes.
[[nodiscard]] const char* tokenizer_file_extension(std::string_view serialized);

/// One tokenizer for each language. If they are shared, they have the same subwords, and are one or differ in their
/// normalisation alone.
struct TokenizerPair {
  Tokenizer source;
  Tokenizer target;
};

/// A replacement of one run of subword ids by another.
struct IdRewrite {
  std::vector<int> from;  ///< the run to look for; not empty
  std::vector<int> to;    ///< its replacement
};

/// `ids` with every run of a rewrite replaced, from left to right; if several match, the first one listed wins.
[[nodiscard]] std::vector<std::int64_t> rewrite_ids(std::span<const int> ids, std::span<const IdRewrite> rewrites);

/// sos + subwords + eos, without sos if special.source_sos is false: the input of the encoder. `special` is the source
/// tokenizer's.
[[nodiscard]] std::vector<std::int64_t> encoder_input_ids(std::span<const std::int32_t> subwords,
                                                          const SpecialTokens& special);

/// The same from text, by the source tokenizer; used in training, evaluation and inference alike.
[[nodiscard]] std::vector<std::int64_t> encoder_input_ids(const Tokenizer& tokenizer, std::string_view text);

/// sos + subwords: the decoder's input (the label shifted right). `special` is the target tokenizer's.
[[nodiscard]] std::vector<std::int64_t> decoder_input_ids(std::span<const std::int32_t> subwords,
                                                          const SpecialTokens& special);

/// subwords + eos: the decoder's label. `special` is the target tokenizer's.
[[nodiscard]] std::vector<std::int64_t> label_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special);

/// Subword ids as 32-bit integers, as corpora store them.
[[nodiscard]] std::vector<std::int32_t> compact_ids(std::span<const std::int64_t> ids);

}  // namespace translate
