#include "text/sentencepiece_file.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "text/protocol_buffer.h"
#include "text/vocabulary.h"

namespace translate {

namespace {

// Keys of sentencepiece_model.proto.
constexpr std::uint64_t kSubwords = 1, kTrainerSpec = 2, kNormalizerSpec = 3, kDenormalizerSpec = 5;
constexpr std::uint64_t kText = 1, kScore = 2, kKind = 3;
constexpr std::uint64_t kModelType = 3, kSpaceAsSuffix = 24, kByteFallback = 35;
constexpr std::uint64_t kName = 1, kCharacterMap = 2, kAddDummyPrefix = 3, kRemoveExtraSpaces = 4, kEscapeSpaces = 5;

bool read_subword(std::string_view message, SentencePieceSubword& subword) {
  ProtocolFields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kText) {
      subword.text = field->bytes;
    }
    if (field->key == kScore && field->bytes.size() == sizeof(subword.score)) {
      std::memcpy(&subword.score, field->bytes.data(), sizeof(subword.score));
    }
    if (field->key == kKind) {
      subword.kind = static_cast<SubwordKind>(field->number);
    }
  }
  return !fields.broken();
}

bool read_trainer(std::string_view message, SentencePieceFile& file) {
  ProtocolFields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kModelType) {
      file.segmentation = static_cast<SegmentationKind>(field->number);
    }
    if (field->key == kSpaceAsSuffix) {
      file.space_is_suffix = field->number != 0;
    }
    if (field->key == kByteFallback) {
      file.byte_fallback = field->number != 0;
    }
  }
  return !fields.broken();
}

bool read_normalizer(std::string_view message, SentencePieceFile& file) {
  ProtocolFields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kName) {
      file.normalization = field->bytes;
    }
    if (field->key == kCharacterMap) {
      file.character_map = field->bytes;
    }
    if (field->key == kAddDummyPrefix) {
      file.adds_dummy_prefix = field->number != 0;
    }
    if (field->key == kRemoveExtraSpaces) {
      file.removes_extra_spaces = field->number != 0;
    }
    if (field->key == kEscapeSpaces) {
      file.escapes_spaces = field->number != 0;
    }
  }
  return !fields.broken();
}

bool read_denormalizer(std::string_view message, SentencePieceFile& file) {
  ProtocolFields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kCharacterMap) {
      file.has_denormalization = !field->bytes.empty();
    }
  }
  return !fields.broken();
}

}  // namespace

std::optional<SentencePieceFile> parse_sentencepiece_file(std::string_view serialized_model) {
  SentencePieceFile file;
  ProtocolFields fields(serialized_model);
  bool whole = true;
  while (const auto field = fields.next()) {
    if (field->key == kSubwords) {
      whole = read_subword(field->bytes, file.subwords.emplace_back());
    }
    if (field->key == kTrainerSpec) {
      whole = read_trainer(field->bytes, file);
    }
    if (field->key == kNormalizerSpec) {
      whole = read_normalizer(field->bytes, file);
    }
    if (field->key == kDenormalizerSpec) {
      whole = read_denormalizer(field->bytes, file);
    }
    if (field->key == kVocabularyField) {
      file.vocabulary = field->bytes;
    }
    if (!whole) {
      return std::nullopt;
    }
  }
  return fields.broken() ? std::nullopt : std::optional(std::move(file));
}

namespace {

std::string normalizer_message(std::string_view old_message, const SentencePieceNormalizer& normalizer) {
  std::string message;
  append_field(message, kName, normalizer.name);
  if (!normalizer.character_map.empty()) {
    append_field(message, kCharacterMap, normalizer.character_map);
  }
  append_number(message, kRemoveExtraSpaces, normalizer.removes_extra_spaces ? 1 : 0);
  ProtocolFields fields(old_message);
  while (const auto field = fields.next()) {
    const bool is_replaced = field->key == kName || field->key == kCharacterMap || field->key == kRemoveExtraSpaces;
    if (!is_replaced) {
      message += field->encoded;
    }
  }
  return message;
}

}  // namespace

std::string with_normalizer(std::string_view serialized_model, const SentencePieceNormalizer& normalizer) {
  std::string before;
  std::string old_message;  // several of them count as one
  std::string after;
  ProtocolFields fields(serialized_model);
  while (const auto field = fields.next()) {
    if (field->key == kNormalizerSpec) {
      old_message += field->bytes;
    } else {
      (field->key < kNormalizerSpec ? before : after) += field->encoded;
    }
  }
  append_field(before, kNormalizerSpec, normalizer_message(old_message, normalizer));
  return before + after;
}

}  // namespace translate
