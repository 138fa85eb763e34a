#include "text/word_level_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/json_value.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/utf8.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"
#include "text/word_characters.h"

namespace translate {

namespace {

JsonValue parse(std::string_view json, const std::string& origin) {
  try {
    return JsonValue(parse_json(json), {.name = origin});
  } catch (const JsonError& error) {
    throw DataError(fmt::format("{}: not JSON: {}", origin, error.what()));
  }
}

void check_frame(const JsonValue& root) {
  const auto model = root.member("model");
  if (const auto type = model.member("type"); type.text() != "WordLevel") {
    type.fail(
        fmt::format("expected \"WordLevel\", got \"{}\": of tokenizers in JSON, word-level ones are understood; any "
                    "other kind must be a SentencePiece model",
                    shown(type.text())));
  }
  root.allow_keys({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                   "decoder", "model"});
  model.allow_keys({"type", "vocab", "unk_token"});
  (void)root.member("version").text();
  root.member("version").require_one_of({"1.0"});
  for (const char* key : {"truncation", "padding", "normalizer", "post_processor", "decoder"}) {
    const auto part = root.member(key);
    if (!part.exists() || part.json().is_null()) {
      continue;
    }
    const auto type = part.json().is_object() ? part.json().value("type", part.json()) : part.json();
    part.fail(fmt::format("expected null (no such part is understood), got {}", describe_value(type)));
  }
}

std::int64_t id_of(const JsonValue& vocabulary, const std::string& word, const std::string& why) {
  const auto id = vocabulary.member(word);
  if (!id.exists()) {
    vocabulary.fail(fmt::format("has no {}, {}", describe_value(word), why));
  }
  return id.integer<std::int64_t>();
}

SpecialTokens read_special_tokens(const JsonValue& model) {
  const auto vocabulary = model.member("vocab");
  const auto unknown = model.member("unk_token");
  const std::string unk = unknown.text();
  const SpecialTokens special = {.unk = id_of(vocabulary, unk, "which model.unk_token names"),
                                 .sos = id_of(vocabulary, "[SOS]", "which starts a sentence"),
                                 .eos = id_of(vocabulary, "[EOS]", "which ends a sentence"),
                                 .pad = id_of(vocabulary, "[PAD]", "which fills a batch's shorter rows")};
  if (unk == "[SOS]" || unk == "[EOS]" || unk == "[PAD]") {
    unknown.fail(fmt::format("\"{}\" has another meaning; expected a token of its own", unk));
  }
  return special;
}

/// Adds the ids of added_tokens. A token that is not special would be cut out of the text before it is split.
void read_added_tokens(const JsonValue& list, const JsonValue& vocabulary,
                       std::unordered_set<std::int64_t>& special_ids) {
  if (!list.exists()) {
    return;
  }
  for (const auto& token : list.elements()) {
    const std::string content = token.member("content").text();
    if (const auto special = token.member("special"); !special.boolean()) {
      special.fail(fmt::format("expected true, got false: of added tokens, special ones are understood ({} is none)",
                               describe_value(content)));
    }
    const std::int64_t id = id_of(vocabulary, content, "which " + token.path() + " names");
    if (token.member("id").json() != id) {
      token.member("id").fail_expected(fmt::format("{}, as model.vocab has {}", id, describe_value(content)));
    }
    special_ids.insert(id);
  }
}

}  // namespace

WordLevelFile parse_word_level_file(std::string_view json, const std::string& origin) {
  const auto root = parse(json, origin);
  check_frame(root);
  WordLevelFile file;
  file.splits_punctuation = root.member("pre_tokenizer").member("type").choice({"Whitespace", "WhitespaceSplit"}) == 0;
  file.words = subwords_by_id(root.member("model").member("vocab"));
  file.special = read_special_tokens(root.member("model"));
  file.special_ids = {file.special.unk, file.special.sos, file.special.eos, file.special.pad};
  read_added_tokens(root.member("added_tokens"), root.member("model").member("vocab"), file.special_ids);
  return file;
}

namespace {

enum class Kind { kSpace, kWord, kOther };

}  // namespace

std::vector<std::string> split_words(std::string_view text, bool splits_punctuation) {
  const auto kind_of = [=](char32_t character) {
    if (is_white_space(character)) {
      return Kind::kSpace;
    }
    return !splits_punctuation || is_word_character(character) ? Kind::kWord : Kind::kOther;
  };
  const std::u32string characters = decode_utf8(text);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < characters.size();) {
    const Kind kind = kind_of(characters[begin]);
    std::size_t end = begin + 1;
    while (end < characters.size() && kind_of(characters[end]) == kind) {
      ++end;
    }
    if (kind != Kind::kSpace) {
      words.push_back(encode_utf8(std::u32string_view(characters).substr(begin, end - begin)));
    }
    begin = end;
  }
  return words;
}

WordLevelModel::WordLevelModel(std::string serialized, const std::string& origin) : serialized_(std::move(serialized)) {
  WordLevelFile file = parse_word_level_file(serialized_, origin);
  words_ = std::move(file.words);
  special_ids_ = std::move(file.special_ids);
  special_ = file.special;
  splits_punctuation_ = file.splits_punctuation;
  for (std::size_t id = 0; id < words_.size(); ++id) {
    const auto number = static_cast<std::int64_t>(id);
    if (!special_ids_.contains(number)) {
      ids_.emplace(words_[id], number);
    } else if (number != special_.unk && number != special_.sos && number != special_.eos && number != special_.pad) {
      other_special_.emplace(words_[id], number);
    }
  }
}

std::vector<std::int64_t> WordLevelModel::encode(std::string_view text) const {
  std::vector<std::int64_t> ids;
  for (const std::string& word : split_words(text, splits_punctuation_)) {
    const auto found = ids_.find(word);
    ids.push_back(found == ids_.end() ? special_.unk : found->second);
  }
  return ids;
}

std::vector<std::vector<std::int64_t>> WordLevelModel::encode_sampled(std::span<const std::string_view> /*texts*/,
                                                                      const SampleOptions& /*options*/,
                                                                      std::uint64_t /*seed*/) const {
  throw ConfigError(
      "tokenizer.sampling: this model cannot sample segmentations: it has whole words (bpe and unigram models can)");
}

std::string WordLevelModel::decode(std::span<const std::int64_t> ids) const {
  std::string text;
  bool first = true;
  for (const std::int64_t id : ids) {
    if (special_ids_.contains(id)) {
      continue;
    }
    if (!first) {
      text += ' ';
    }
    text += subword(id);
    first = false;
  }
  return text;
}

const std::string& WordLevelModel::subword(std::int64_t id) const { return words_[static_cast<std::size_t>(id)]; }

std::optional<std::int64_t> WordLevelModel::find(std::string_view subword) const {
  for (const auto* ids : {&ids_, &other_special_}) {
    if (const auto found = ids->find(std::string(subword)); found != ids->end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

}  // namespace translate
