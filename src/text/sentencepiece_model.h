#pragma once

#include <sentencepiece_processor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// Remembers the subwords of words, so that a word that comes again need not be cut again. For any number of threads;
/// holds at most some ten MB, whatever comes.
class WordCache {
 public:
  using Encode = std::function<std::vector<std::int64_t>(std::string_view)>;

  /// True where `text` is words with single spaces between them, without U+2581.
  [[nodiscard]] static bool takes(std::string_view text);

  /// The subwords of a text that it takes, its words' one after the other; `encode` gives those of a word not yet
  /// known.
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

  std::array<Shard, 64> shards_;  ///< a word's hash says which: threads seldom meet in one
};

/// True where a SentencePiece model, given as its file's bytes, is known to cut a text into the subwords of its words,
/// one word after the other: a BPE model with one of SentencePiece's own normalisations (none of whose rules reaches
/// past a space), whose subwords hold no space but as their first character. Words are what stands between single
/// spaces. False where it is not known: other kinds of model, symbols and rules of the user's own, byte fallback.
[[nodiscard]] bool words_are_independent(std::string_view serialized_model);

/// A SentencePiece model and what it takes to keep bytes, spaces and U+2581 apart.
///
/// Two kinds of text are ambiguous in SentencePiece. U+2581 in the text itself looks like a space once normalised:
/// before encoding it is replaced by a character that neither the text nor the vocabulary holds, which thus falls back
/// to bytes, and those bytes are replaced by the ones of U+2581. And a space that is not in the vocabulary (in `word`
/// models) is spelt by the bytes of U+2581: these are replaced by the byte of a space.
class SentencePieceModel final : public TokenizerModel {
 public:
  /// From a model file's bytes; `origin` names it in errors. Throws DataError where they are no SentencePiece model or
  /// lack a special subword.
  SentencePieceModel(std::string serialized, const std::string& origin);

  [[nodiscard]] const std::string& serialized() const override { return serialized_; }
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text) const override;
  [[nodiscard]] std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                      const SampleOptions& options,
                                                                      std::uint64_t seed) const override;
  [[nodiscard]] std::string decode(std::span<const std::int64_t> ids) const override;
  [[nodiscard]] const std::string& subword(std::int64_t id) const override;
  [[nodiscard]] std::int64_t vocab_size() const override { return processor_.GetPieceSize(); }
  [[nodiscard]] const SpecialTokens& special_tokens() const override { return special_; }

 private:
  /// Fills everything from `serialized_`; what is wrong with the model, if anything.
  [[nodiscard]] std::optional<std::string> parse();

  [[nodiscard]] std::vector<int> ids_of_bytes(std::string_view bytes) const;

  /// A character that is in no subword and not in `text`.
  [[nodiscard]] std::string stand_in_for_space_mark(std::string_view text) const;

  /// The ids of a text by `segment(text, &ids)`. A text of more than kSegmentedAtOnce bytes is segmented in chunks, cut
  /// at spaces, which makes no difference to models whose subwords do not reach over a space; a word that is longer
  /// than that is cut inside, where the next chunk begins like a word.
  template <typename Segment>
  [[nodiscard]] std::vector<std::int64_t> encode_with(std::string_view text, const Segment& segment) const;

  /// Calls `segment(text, &ids)` on the text made safe, and rewrites its ids.
  template <typename Segment>
  [[nodiscard]] std::vector<std::int64_t> encode_chunk(std::string_view text, const Segment& segment) const;

  /// By SentencePiece, without the cache.
  [[nodiscard]] std::vector<std::int64_t> encode_whole(std::string_view text) const;

  std::string serialized_;
  sentencepiece::SentencePieceProcessor processor_;
  SpecialTokens special_;
  std::optional<std::array<int, 256>> byte_ids_;  // set for models with byte fallback
  std::unique_ptr<WordCache> words_;              // set for models whose words do not depend on each other
  bool adds_dummy_prefix_ = false;  // a space is put before the text, so that its first word looks like others
};

}  // namespace translate
