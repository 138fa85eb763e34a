#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The kinds of a SentencePiece model's subwords, by their numbers in its file.
enum class SubwordKind { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

/// A subword of a SentencePiece model's file.
struct SentencePieceSubword {
  std::string_view text;  ///< spaces are U+2581
  float score = 0.0F;     ///< unigram: log-probability; bpe: the negative rank of the merge that makes it
  SubwordKind kind = SubwordKind::kNormal;
};

/// The segmentations of SentencePiece, by their numbers in its file.
enum class SegmentationKind { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };

/// The content of a SentencePiece model's file, as far as it determines ids: sentencepiece_model.proto. Texts are parts
/// of the file's bytes.
struct SentencePieceFile {
  std::vector<SentencePieceSubword> subwords;  ///< by id
  SegmentationKind segmentation = SegmentationKind::kUnigram;
  bool byte_fallback = false;
  bool space_is_suffix = false;      ///< a space belongs to the word before it
  std::string_view normalization;    ///< the name of its rules: "nmt_nfkc"
  std::string_view character_map;    ///< the rules, compiled by SentencePiece (precompiled_charsmap); may be empty
  bool adds_dummy_prefix = true;     ///< a space is put before the text
  bool removes_extra_spaces = true;  ///< at both ends, and repeated ones
  bool escapes_spaces = true;        ///< spaces become U+2581
  bool has_denormalization = false;  ///< decoded text is changed by rules
  std::optional<std::string_view> vocabulary;  ///< the attached one (see attach_vocabulary), to be read by its entries
};

/// Reads a SentencePiece model, given as its file's bytes, which must outlive the result. Nothing if it is malformed.
[[nodiscard]] std::optional<SentencePieceFile> parse_sentencepiece_file(std::string_view serialized_model);

/// The settings of a SentencePiece model's normaliser that with_normalizer replaces.
struct SentencePieceNormalizer {
  std::string_view name;
  std::string_view character_map;
  bool removes_extra_spaces = true;
};

/// Returns a SentencePiece model, which can be parsed, with other settings of its normaliser and the same otherwise.
[[nodiscard]] std::string with_normalizer(std::string_view serialized_model, const SentencePieceNormalizer& normalizer);

}  // namespace translate
