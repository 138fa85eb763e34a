#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/json_value.h"
#include "text/tokenizer.h"

namespace translate {

/// The ids of subwords, given beside a SentencePiece model, which then only segments text: as in MarianMT models, whose
/// two SentencePiece models share one vocabulary.
class Vocabulary {
 public:
  /// `subwords`: by id. The special ones have fixed names: "<unk>", "</s>" and "<pad>"; "<s>" is sos, and if there is
  /// none, "<pad>" is, with which Marian's decoders start. Throws DataError with `origin` if one of the three is
  /// missing or a subword occurs twice.
  Vocabulary(std::vector<std::string> subwords, const std::string& origin);
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  [[nodiscard]] const std::vector<std::string>& subwords() const { return subwords_; }
  [[nodiscard]] const SpecialTokens& special_tokens() const { return special_; }

  /// Returns the id of a subword, or nothing.
  [[nodiscard]] std::optional<std::int64_t> find(std::string_view subword) const;

  /// Returns the id of a subword that SentencePiece found in text: unk if it is unknown, or spells a special one.
  [[nodiscard]] std::int64_t id_of_text(std::string_view subword) const;

 private:
  std::vector<std::string> subwords_;
  std::unordered_map<std::string_view, std::int64_t> ids_;  ///< views of subwords_
  SpecialTokens special_;
};

/// Returns the keys of an object {"subword": id, ...} by their ids, which must be 0 to n - 1; anything else is the
/// object's error.
[[nodiscard]] std::vector<std::string> subwords_by_id(const JsonValue& ids);

/// Reads a JSON file {"subword": id, ...} with the ids 0 to n - 1, and returns the subwords by id. Throws DataError
/// with `origin` and the subword or the id that is wrong.
[[nodiscard]] std::vector<std::string> parse_vocabulary_file(std::string_view json, const std::string& origin);

/// Returns a SentencePiece model's bytes with a vocabulary attached. They are still a SentencePiece model: the
/// vocabulary is in a field that its format leaves to applications (ModelProto, extensions from 200).
[[nodiscard]] std::string attach_vocabulary(std::string_view serialized_model,
                                            const std::vector<std::string>& subwords);

/// Returns a SentencePiece model's bytes without an attached vocabulary; the same if there is none.
[[nodiscard]] std::string without_vocabulary(std::string_view serialized_model);

/// The key of that field.
inline constexpr std::uint64_t kVocabularyField = 200;

/// Returns the subwords of an attached vocabulary, by id, given the bytes of its field (SentencePieceFile::vocabulary).
[[nodiscard]] std::vector<std::string> read_attached_vocabulary(std::string_view field);

}  // namespace translate
