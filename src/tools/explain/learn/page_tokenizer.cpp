#include "explain/learn/page_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/error.h"
#include "text/base64.h"
#include "text/sentencepiece_file.h"
#include "text/vocabulary.h"
#include "text/word_level_model.h"

namespace translate::tools {

namespace {

using Json = nlohmann::ordered_json;

Json special_json(const SpecialTokens& special) {
  return {{"unk", special.unk}, {"sos", special.sos}, {"eos", special.eos}, {"pad", special.pad}};
}

Json word_level_json(const WordLevelFile& file) {
  auto special_ids = Json::array();
  for (std::size_t id = 0; id < file.words.size(); ++id) {
    if (file.special_ids.contains(static_cast<std::int64_t>(id))) {
      special_ids.push_back(id);
    }
  }
  return {{"kind", "word-level"},
          {"subwords", file.words},
          {"special", special_json(file.special)},
          {"special_ids", std::move(special_ids)},
          {"splits_punctuation", file.splits_punctuation}};
}

/// Throws ConfigError if the page would segment text in another way than the program.
void check_settings(const SentencePieceFile& file, const std::string& side) {
  const auto refuse = [&](const char* what) {
    throw ConfigError(fmt::format("--learn: the {} tokenizer has {}, which the page does not compute", side, what));
  };
  const auto has_kind = [&](SubwordKind kind) {
    return std::ranges::find(file.subwords, kind, &SentencePieceSubword::kind) != file.subwords.end();
  };
  if (has_kind(SubwordKind::kUserDefined)) {
    refuse("user-defined subwords");
  }
  if (has_kind(SubwordKind::kUnused)) {
    refuse("unused subwords");
  }
  if (file.has_denormalization) {
    refuse("rules of denormalisation");
  }
  if (file.space_is_suffix) {
    refuse("spaces that end words (treat_whitespace_as_suffix)");
  }
  if (file.byte_fallback && file.vocabulary) {
    refuse("byte fallback beside a vocabulary file");
  }
}

const char* segmentation_name(SegmentationKind kind) {
  switch (kind) {
    case SegmentationKind::kBpe:
      return "bpe";
    case SegmentationKind::kWord:
      return "word";
    case SegmentationKind::kChar:
      return "char";
    case SegmentationKind::kUnigram:
      break;
  }
  return "unigram";
}

Json sentencepiece_json(const SentencePieceFile& file, const SpecialTokens& special) {
  Json json = {{"kind", "sentencepiece"},
               {"segmentation", segmentation_name(file.segmentation)},
               {"special", special_json(special)},
               {"byte_fallback", file.byte_fallback},
               {"adds_dummy_prefix", file.adds_dummy_prefix},
               {"removes_extra_spaces", file.removes_extra_spaces},
               {"escapes_spaces", file.escapes_spaces},
               {"character_map", base64(file.character_map)},
               {"vocabulary", nullptr},
               {"subwords", Json::array()},
               {"scores", Json::array()},
               {"kinds", Json::array()}};
  for (const auto& subword : file.subwords) {
    json["subwords"].push_back(subword.text);
    json["scores"].push_back(subword.score);
    json["kinds"].push_back(static_cast<int>(subword.kind));
  }
  if (file.vocabulary) {
    json["vocabulary"] = read_attached_vocabulary(*file.vocabulary);
  }
  return json;
}

}  // namespace

Json page_tokenizer_json(const Tokenizer& tokenizer, const std::string& side) {
  const auto& serialized = tokenizer.serialized();
  if (tokenizer.is_word_level()) {
    return word_level_json(parse_word_level_file(serialized, side + " tokenizer"));
  }
  const auto file = parse_sentencepiece_file(serialized);
  if (!file) {
    throw CheckpointError(fmt::format("the {} tokenizer is not a SentencePiece model", side));
  }
  check_settings(*file, side);
  return sentencepiece_json(*file, tokenizer.special_tokens());
}

}  // namespace translate::tools
