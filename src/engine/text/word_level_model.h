#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// The content of a word-level tokenizer's JSON file.
struct WordLevelFile {
  std::vector<std::string> words;                ///< by id
  SpecialTokens special;                         ///< unk is model.unk_token, pad, sos, eos are [PAD], [SOS], [EOS]
  std::unordered_set<std::int64_t> special_ids;  ///< these four, and the special ones of added_tokens
  bool splits_punctuation = true;                ///< pre_tokenizer Whitespace; false: WhitespaceSplit
};

/// Reads the JSON file of a word-level tokenizer as the Hugging Face `tokenizers` package writes it, format 1.0: a
/// `WordLevel` model behind the pre_tokenizer `Whitespace` or `WhitespaceSplit`, its ids 0 to n - 1, and nothing else
/// that would change text, ids or the result (normalizer, post_processor, decoder, truncation, padding: null). Throws
/// DataError with `origin`, the key, the expected and the actual value.
[[nodiscard]] WordLevelFile parse_word_level_file(std::string_view json, const std::string& origin);

/// Splits text as the `tokenizers` package's pre-tokenizers do: at white space (`WhitespaceSplit`), or with
/// `splits_punctuation` also between words (runs of Unicode's letters, marks, digits and connectors) and runs of
/// anything else (`Whitespace`): `l'été, ...` becomes `l`, `'`, `été`, `,`, `...`.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text, bool splits_punctuation);

/// A vocabulary of whole words, read from the JSON file that the Hugging Face `tokenizers` package writes (see
/// parse_word_level_file for the supported ones). It splits, encodes and decodes as that package does, with one
/// exception: a special token spelt out in the text ("[SOS]") is text like any other, so that no text can end a
/// sentence.
///
/// Text is split by split_words(). Decoding joins words by one space each, around punctuation, too, and skips special
/// tokens, including unk.
class WordLevelModel final : public TokenizerModel {
 public:
  /// Reads a file's bytes; `origin` names it in errors. Throws DataError as parse_word_level_file does.
  WordLevelModel(std::string serialized, const std::string& origin);

  [[nodiscard]] const std::string& serialized() const override { return serialized_; }
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text) const override;
  /// Throws ConfigError: there is only one segmentation.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                      const SampleOptions& options,
                                                                      std::uint64_t seed) const override;
  [[nodiscard]] std::string decode(std::span<const std::int64_t> ids) const override;
  [[nodiscard]] const std::string& subword(std::int64_t id) const override;
  [[nodiscard]] std::int64_t vocab_size() const override { return static_cast<std::int64_t>(words_.size()); }
  [[nodiscard]] std::optional<std::int64_t> find(std::string_view subword) const override;
  [[nodiscard]] const SpecialTokens& special_tokens() const override { return special_; }
  [[nodiscard]] bool is_word_level() const override { return true; }

 private:
  std::string serialized_;
  std::vector<std::string> words_;                     // by id
  std::unordered_map<std::string, std::int64_t> ids_;  // ids of the words that text can contain: no special tokens
  std::unordered_map<std::string, std::int64_t> other_special_;  // the other special tokens: language tags
  std::unordered_set<std::int64_t> special_ids_;
  SpecialTokens special_;
  bool splits_punctuation_ = true;
};

}  // namespace translate
