#include "interop/export/huggingface_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/utf8.h"
#include "interop/export/json_file.h"
#include "text/base64.h"
#include "text/sentencepiece_file.h"

namespace translate::tools {

using Json = nlohmann::json;

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

[[noreturn]] void refuse(const std::string& reason) {
  throw ConfigError("Hugging Face's transformers cannot tokenize for this model: " + reason);
}

SentencePieceFile sentencepiece_file(const Tokenizer& tokenizer) {
  auto file = parse_sentencepiece_file(tokenizer.serialized());
  if (!file) {
    refuse("its SentencePiece model cannot be read");
  }
  return *std::move(file);
}

/// Throws ConfigError if tokenizer.json cannot express the tokenizer.
void check_expressible(const Tokenizer& tokenizer) {
  if (tokenizer.is_word_level()) {
    return;
  }
  const auto file = sentencepiece_file(tokenizer);
  if (file.vocabulary) {
    refuse(
        "its ids come from a vocabulary file, and its sources begin with sos: MarianTokenizer has the former alone; "
        "export to ctranslate2");
  }
  if (file.segmentation == SegmentationKind::kWord) {
    refuse("its tokenizer is of type word, which joins unknown words; export to ctranslate2, or use bpe or unigram");
  }
  const bool is_plain = file.adds_dummy_prefix && file.escapes_spaces && !file.space_is_suffix &&
                        !file.has_denormalization &&
                        std::ranges::none_of(file.subwords, [](const SentencePieceSubword& subword) {
                          return subword.kind == SubwordKind::kUserDefined || subword.kind == SubwordKind::kUnused;
                        });
  if (!is_plain) {
    refuse(
        "its SentencePiece model has symbols of its own, as for placeholders, tags and terms (data.modifiers), or "
        "settings that translate-train does not make (no dummy prefix, spaces that are not marked or that end words, "
        "denormalisation); export to ctranslate2");
  }
}

Json replace_regex(const char* pattern, std::string_view content) {
  return {{"type", "Replace"}, {"pattern", {{"Regex", pattern}}}, {"content", content}};
}

Json replace_text(std::string_view text, std::string_view content) {
  return {{"type", "Replace"}, {"pattern", {{"String", text}}}, {"content", content}};
}

/// The scores in a unigram model of `tokenizers`, which takes any subword for text, also "<s>" and the bytes "<0x41>",
/// where SentencePiece takes their characters. If all characters of such a subword are subwords themselves, it gets a
/// lower score than these have together, and is never chosen. Otherwise the first unknown character must not stand
/// beside the others: in place of it the text gets another unknown one, or, where unknown characters become bytes, it
/// is cut off from them. Neither changes other ids: no subword of text has an unknown character.
class UnigramScores {
 public:
  explicit UnigramScores(const SentencePieceFile& file) : file_(file) {
    for (const auto& subword : file.subwords) {
      if (subword.kind != SubwordKind::kNormal) {
        continue;
      }
      scores_.emplace(subword.text, subword.score);
      least_ = std::min(least_, subword.score);
    }
  }

  [[nodiscard]] float score(const SentencePieceSubword& subword) const {
    if (subword.kind == SubwordKind::kNormal) {
      return subword.score;
    }
    float sum = 0.0F;
    for (const auto& character : characters(subword.text)) {
      const auto found = scores_.find(character);
      if (found == scores_.end()) {
        return least_;  // not lower: unk is scored by the least of all
      }
      sum += found->second;
    }
    return std::min(sum, 0.0F) - 1.0F;
  }

  /// The first unknown character of each subword that is not text, each once.
  [[nodiscard]] std::set<std::string> unknown_characters() const {
    std::set<std::string> unknown;
    for (const auto& subword : file_.subwords) {
      if (subword.kind == SubwordKind::kNormal || is_tag(subword)) {
        continue;
      }
      const auto all = characters(subword.text);
      const auto found =
          std::ranges::find_if(all, [&](const std::string& character) { return !scores_.contains(character); });
      if (found != all.end()) {
        unknown.insert(*found);
      }
    }
    return unknown;
  }

 private:
  static bool is_tag(const SentencePieceSubword& subword) { return subword.text.starts_with(">>"); }

  static std::vector<std::string> characters(std::string_view text) {
    std::vector<std::string> characters;
    for (const char32_t character : decode_utf8(text)) {
      characters.push_back(encode_utf8({&character, 1}));
    }
    return characters;
  }

  const SentencePieceFile& file_;
  std::unordered_map<std::string, float> scores_;
  float least_ = 0.0F;
};

/// A character of no subword, from a private-use area.
std::string unused_character(const SentencePieceFile& file) {
  for (char32_t character = 0xF0000;; ++character) {
    const auto text = encode_utf8({&character, 1});
    const auto has_it = [&](const SentencePieceSubword& subword) { return subword.text.find(text) != text.npos; };
    if (std::ranges::none_of(file.subwords, has_it)) {
      return text;
    }
  }
}

/// SentencePiece's normalisation, in its order.
Json normalizer(const SentencePieceFile& file) {
  auto steps = Json::array();
  if (!file.character_map.empty()) {
    steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64(file.character_map)}});
  }
  if (file.removes_extra_spaces) {
    steps.push_back(replace_regex("^ +| +$", ""));
    steps.push_back(replace_regex(" {2,}", " "));
  }
  steps.push_back({{"type", "Prepend"}, {"prepend", kSpaceMark}});
  steps.push_back(replace_text(" ", kSpaceMark));
  return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

Json decoder() {
  auto steps = Json::array({replace_text(kSpaceMark, " "), Json{{"type", "ByteFallback"}}, Json{{"type", "Fuse"}},
                            Json{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}});
  return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

/// The merges of a bpe model: for each subword, by falling score, all pairs that make it.
Json merges(const SentencePieceFile& file) {
  std::unordered_map<std::string_view, float> scores;
  std::vector<const SentencePieceSubword*> order;
  for (const auto& subword : file.subwords) {
    if (subword.kind != SubwordKind::kNormal) {
      continue;
    }
    scores.emplace(subword.text, subword.score);
    order.push_back(&subword);
  }
  std::ranges::stable_sort(order, std::greater(), &SentencePieceSubword::score);
  auto merges = Json::array();
  for (const auto* subword : order) {
    for (std::size_t cut = 1; cut < subword->text.size(); ++cut) {
      const auto left = subword->text.substr(0, cut);
      const auto right = subword->text.substr(cut);
      // Parts of a character are no subwords.
      if (scores.contains(left) && scores.contains(right)) {
        merges.push_back({left, right});
      }
    }
  }
  return merges;
}

Json bpe_model(const Tokenizer& tokenizer, const SentencePieceFile& file) {
  auto vocabulary = Json::object();
  for (std::size_t id = 0; id < file.subwords.size(); ++id) {
    vocabulary[std::string(file.subwords[id].text)] = id;
  }
  const bool is_char = file.segmentation == SegmentationKind::kChar;
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", tokenizer.subword(tokenizer.special_tokens().unk)},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", file.byte_fallback},
          {"ignore_merges", false},
          {"vocab", std::move(vocabulary)},
          {"merges", is_char ? Json::array() : merges(file)}};
}

Json unigram_model(const Tokenizer& tokenizer, const SentencePieceFile& file) {
  auto vocabulary = Json::array();
  const UnigramScores scores(file);
  for (const auto& subword : file.subwords) {
    vocabulary.push_back({subword.text, scores.score(subword)});
  }
  return {{"type", "Unigram"},
          {"unk_id", tokenizer.special_tokens().unk},
          {"vocab", std::move(vocabulary)},
          {"byte_fallback", file.byte_fallback}};
}

/// Removes what would make a text's "<s>" the special subword: see UnigramScores.
void hide_special_subwords(const SentencePieceFile& file, Json& tokenizer) {
  const auto unknown = UnigramScores(file).unknown_characters();
  if (unknown.empty()) {
    return;
  }
  if (!file.byte_fallback) {
    auto& steps = tokenizer["normalizer"]["normalizers"];
    for (const auto& character : unknown) {
      steps.push_back(replace_text(character, unused_character(file)));
    }
    return;
  }
  auto splits = Json::array();
  for (const auto& character : unknown) {
    splits.push_back(
        {{"type", "Split"}, {"pattern", {{"String", character}}}, {"behavior", "Isolated"}, {"invert", false}});
  }
  tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", std::move(splits)}};
}

/// The ids of the special subwords, without repetition.
std::vector<std::int64_t> special_ids(const SpecialTokens& special) {
  std::vector<std::int64_t> ids{special.unk, special.sos, special.eos, special.pad};
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Json added_token(std::int64_t id, std::string_view content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

/// The special subwords, and the language tags, which are found in a source although `split_special_tokens` hides the
/// others there.
Json added_tokens(const Tokenizer& tokenizer) {
  auto tokens = Json::array();
  for (const auto id : special_ids(tokenizer.special_tokens())) {
    tokens.push_back(added_token(id, tokenizer.subword(id)));
  }
  for (const auto& language : tokenizer.tagged_languages()) {
    const auto tag = language_tag_of(language);
    const auto id = tokenizer.for_sources(tokenizer.special_tokens().source_sos).encode(tag).front();
    auto token = added_token(id, tag);
    if (!tokenizer.language_tag(tag).empty()) {
      token["special"] = false;
      token["rstrip"] = true;  // the spaces behind it belong to it
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

/// sos, the text and eos.
Json post_processor(const Tokenizer& tokenizer) {
  const auto& special = tokenizer.special_tokens();
  auto pieces = Json::array();
  auto tokens = Json::object();
  const auto add = [&](std::int64_t id) {
    const auto& subword = tokenizer.subword(id);
    pieces.push_back({{"SpecialToken", {{"id", subword}, {"type_id", 0}}}});
    tokens[subword] = {{"id", subword}, {"ids", {id}}, {"tokens", {subword}}};
  };
  if (special.source_sos) {
    add(special.sos);
  }
  pieces.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add(special.eos);
  auto pair = pieces;
  pair.push_back({{"Sequence", {{"id", "B"}, {"type_id", 0}}}});
  pair.push_back(pieces.back());
  return {{"type", "TemplateProcessing"}, {"single", pieces}, {"pair", pair}, {"special_tokens", tokens}};
}

Json tokenizer_config(const Tokenizer& tokenizer, std::int64_t max_length) {
  const auto& special = tokenizer.special_tokens();
  return {{"tokenizer_class", "PreTrainedTokenizerFast"},
          {"unk_token", tokenizer.subword(special.unk)},
          {"bos_token", tokenizer.subword(special.sos)},
          {"eos_token", tokenizer.subword(special.eos)},
          {"pad_token", tokenizer.subword(special.pad)},
          {"clean_up_tokenization_spaces", false},
          {"split_special_tokens", true},  // such a subword in a text is text, as here
          {"model_max_length", max_length}};
}

void write_tokenizer(const Tokenizer& tokenizer, std::int64_t max_length, const std::filesystem::path& folder) {
  write_json_file(folder / "tokenizer.json", tokenizer_json(tokenizer));
  write_json_file(folder / "tokenizer_config.json", tokenizer_config(tokenizer, max_length));
}

Json vocabulary_json(const Tokenizer& tokenizer) {
  auto vocabulary = Json::object();
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    vocabulary[tokenizer.subword(id)] = id;
  }
  return vocabulary;
}

void write_marian_tokenizer(const ModelToExport& model, std::int64_t max_length, const std::filesystem::path& folder) {
  const auto& [source, target] = model.tokenizers;
  write_file_synced(folder / "source.spm", source.serialized());
  write_file_synced(folder / "target.spm", target.serialized());
  const auto source_vocabulary = vocabulary_json(source);
  const auto target_vocabulary = vocabulary_json(target);
  const bool are_two = source_vocabulary != target_vocabulary;
  write_json_file(folder / "vocab.json", source_vocabulary);
  if (are_two) {
    write_json_file(folder / "target_vocab.json", target_vocabulary);
  }
  Json config = {{"tokenizer_class", "MarianTokenizer"},
                 {"unk_token", "<unk>"},
                 {"eos_token", "</s>"},
                 {"pad_token", "<pad>"},
                 {"separate_vocabs", are_two},
                 {"clean_up_tokenization_spaces", false},
                 {"model_max_length", max_length}};
  if (model.facts.directions.size() == 1) {
    config["source_lang"] = model.facts.directions.front().source;
    config["target_lang"] = model.facts.directions.front().target;
  }
  write_json_file(folder / "tokenizer_config.json", config);
}

/// Whether the special subwords have the names that MarianTokenizer has.
bool has_marian_names(const Tokenizer& tokenizer) {
  const auto& special = tokenizer.special_tokens();
  return tokenizer.subword(special.unk) == "<unk>" && tokenizer.subword(special.eos) == "</s>" &&
         tokenizer.subword(special.pad) == "<pad>";
}

/// The tokenizer for tokenizer.json; one without sources has nothing before its text.
nlohmann::json with_special_tokens(Json json, const Tokenizer& tokenizer) {
  json["added_tokens"] = added_tokens(tokenizer);
  json["post_processor"] = post_processor(tokenizer);
  return json;
}

}  // namespace

ExportedTokenizers exported_tokenizers(const ModelToExport& model) {
  const auto& [source, target] = model.tokenizers;
  const auto same = [&](auto member) { return source.special_tokens().*member == target.special_tokens().*member; };
  if (!same(&SpecialTokens::unk) || !same(&SpecialTokens::sos) || !same(&SpecialTokens::eos) ||
      !same(&SpecialTokens::pad)) {
    refuse(
        "its special subwords have other ids in the source than in the target, and there is one set of ids there; "
        "train "
        "with tokenizers of the same ids, or export to ctranslate2");
  }
  if (!source.special_tokens().source_sos && !source.is_word_level() && !target.is_word_level() &&
      has_marian_names(source) && has_marian_names(target)) {
    return ExportedTokenizers::kMarian;
  }
  check_expressible(source);
  check_expressible(target);
  return source.serialized() == target.serialized() ? ExportedTokenizers::kOne : ExportedTokenizers::kTwo;
}

nlohmann::json tokenizer_json(const Tokenizer& tokenizer) {
  check_expressible(tokenizer);
  if (tokenizer.is_word_level()) {  // such a file already, without anything around the text
    return with_special_tokens(Json::parse(tokenizer.serialized()), tokenizer);
  }
  const auto file = sentencepiece_file(tokenizer);
  const bool is_unigram = file.segmentation == SegmentationKind::kUnigram;
  Json json = {{"version", "1.0"},
               {"truncation", nullptr},
               {"padding", nullptr},
               {"normalizer", normalizer(file)},
               {"pre_tokenizer", nullptr},
               {"decoder", decoder()},
               {"model", is_unigram ? unigram_model(tokenizer, file) : bpe_model(tokenizer, file)}};
  if (is_unigram) {
    hide_special_subwords(file, json);
  }
  return with_special_tokens(std::move(json), tokenizer);
}

void write_huggingface_tokenizers(const ModelToExport& model, std::int64_t max_length,
                                  const std::filesystem::path& folder) {
  const auto kind = exported_tokenizers(model);
  if (kind == ExportedTokenizers::kMarian) {
    return write_marian_tokenizer(model, max_length, folder);
  }
  write_tokenizer(model.tokenizers.source, max_length, folder);
  if (kind == ExportedTokenizers::kTwo) {
    make_folder(folder / kTargetFolder);
    write_tokenizer(model.tokenizers.target, max_length, folder / kTargetFolder);
    sync_directory(folder / kTargetFolder);
  }
}

}  // namespace translate::tools
