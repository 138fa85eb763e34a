#pragma once

#include <sentencepiece_processor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/sentencepiece_file.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace translate {

/// Caches the subwords of words, so that a repeated word is not segmented again. Thread-safe; holds at most some ten
/// MB.
class WordCache {
 public:
  using Encode = std::function<std::vector<std::int64_t>(std::string_view)>;

  /// True if `text` consists of words with single spaces between them, without U+2581.
  [[nodiscard]] static bool takes(std::string_view text);

  /// Returns the subwords of a text for which takes() is true, word by word; `encode` segments a word that is not in
  /// the cache.
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text, const Encode& encode);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  using Words = std::unordered_map<std::string, std::vector<std::int32_t>, Hash, std::equal_to<>>;
  struct Shard {
    std::mutex mutex;
    Words words;
  };

  void append_word(std::string_view word, const Encode& encode, std::vector<std::int64_t>& ids);

  std::array<Shard, 64> shards_;  ///< chosen by a word's hash, so that threads rarely contend
};

/// True if a SentencePiece model is known to segment each word of a text independently: a
/// BPE model with one of SentencePiece's own normalisations (none of whose rules reaches past a space), whose subwords
/// hold a space only as their first character. Words are separated by single spaces. False if this is not known: other
/// types of model, user-defined rules, and symbols but of printable ASCII, byte fallback.
[[nodiscard]] bool words_are_independent(const SentencePieceFile& file);

/// The first character of the private-use plane U+F0000..U+FFFFD, in UTF-8, for which `is_taken` is false. Throws
/// DataError if all are taken.
[[nodiscard]] std::string first_free_character(const std::function<bool(std::string_view)>& is_taken);

/// A SentencePiece model, with corrections that keep bytes, spaces and U+2581 apart.
///
/// Two kinds of text are ambiguous in SentencePiece. First, U+2581 in the text itself looks like a space after
/// normalisation: before encoding it is replaced by a character that is in neither the text nor the vocabulary, which
/// thus falls back to bytes, and these bytes are replaced by those of U+2581. Second, a space that is not in the
/// vocabulary (in `word` models) is encoded as the bytes of U+2581: these are replaced by the byte of a space.
///
/// A vocabulary may be attached to the model's bytes (see attach_vocabulary). Ids, special ones included, are then
/// those of the vocabulary, and what SentencePiece does not know itself can be one of its subwords, too, as in Marian.
class SentencePieceModel final : public TokenizerModel {
 public:
  /// Reads a model file's bytes; `origin` names it in errors. Throws DataError if they are not a SentencePiece model or
  /// if it, or the attached vocabulary, lacks a special subword.
  SentencePieceModel(std::string serialized, const std::string& origin);

  [[nodiscard]] const std::string& serialized() const override { return serialized_; }
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text) const override;
  [[nodiscard]] std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                      const SampleOptions& options,
                                                                      std::uint64_t seed) const override;
  [[nodiscard]] std::string decode(std::span<const std::int64_t> ids) const override;
  [[nodiscard]] const std::string& subword(std::int64_t id) const override;
  [[nodiscard]] std::int64_t vocab_size() const override;
  [[nodiscard]] std::optional<std::int64_t> find(std::string_view subword) const override;
  [[nodiscard]] const SpecialTokens& special_tokens() const override { return special_; }
  [[nodiscard]] bool is_word_level() const override { return false; }

 private:
  /// Parses `serialized_` into the members; returns what is wrong with the model, if anything. Throws DataError with
  /// `origin` for a wrong vocabulary.
  [[nodiscard]] std::optional<std::string> parse(const std::string& origin);
  /// The same for the special subwords and bytes of a model without a vocabulary beside it.
  [[nodiscard]] std::optional<std::string> read_own_ids();

  [[nodiscard]] std::vector<int> ids_of_bytes(std::string_view bytes) const;

  /// Returns a character that is in no subword and not in `text`.
  [[nodiscard]] std::string stand_in_for_space_mark(std::string_view text) const;

  /// Returns the ids of a text by `segment(text, &ids)`. A text of more than kSegmentedAtOnce bytes is segmented in
  /// chunks, cut at spaces, which makes no difference to models whose subwords do not cross a space; a longer word is
  /// cut inside, and the next chunk begins like a word.
  template <typename Segment>
  [[nodiscard]] std::vector<std::int64_t> encode_with(std::string_view text, const Segment& segment) const;

  /// Calls `segment(text, &ids)` with U+2581 replaced in the text, and rewrites the ids.
  template <typename Segment>
  [[nodiscard]] std::vector<std::int64_t> encode_chunk(std::string_view text, const Segment& segment) const;

  [[nodiscard]] std::string decode_by_vocabulary(std::span<const std::int64_t> ids) const;

  /// Returns the text without the space that is put before or behind it (its first or last subword is of `ids`).
  [[nodiscard]] std::string without_dummy_space(std::string text, std::span<const int> ids) const;

  /// Encodes by SentencePiece, without the cache.
  [[nodiscard]] std::vector<std::int64_t> encode_whole(std::string_view text) const;

  std::string serialized_;
  sentencepiece::SentencePieceProcessor processor_;
  std::optional<Vocabulary> vocabulary_;  // attached to the model; otherwise the ids are SentencePiece's
  SpecialTokens special_;
  std::optional<std::array<int, 256>> byte_ids_;  // set for models with byte fallback
  std::unique_ptr<WordCache> words_;              // set for models whose words do not depend on each other
  bool adds_dummy_space_ = false;   // a space is put before the text, so that its first word looks like the others,
  bool space_is_suffix_ = false;    // or behind it, if spaces belong to the words before them
  bool removes_ignorable_ = false;  // see without_ignorable
};

}  // namespace translate
