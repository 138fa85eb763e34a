#include "text/word_level_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "config/json.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/utf8.h"
#include "text/tokenizer.h"
#include "text/word_characters.h"

namespace translate {

namespace {

/// Reads the values of one file by their paths ("model.vocab"); a value of another type is an error.
class Reader {
 public:
  Reader(std::string_view json, const std::string& origin) : origin_(origin), root_(parse(json)) {}

  [[nodiscard]] const Json& root() const { return root_; }

  [[noreturn]] void fail(const std::string& path, const std::string& reason) const {
    throw DataError(fmt::format("{}: {}: {}", origin_, shown(path), reason));
  }

  [[noreturn]] void fail(const std::string& path, std::string_view expected, const Json& found) const {
    fail(path, fmt::format("expected {}, found {}", expected,
                           found.is_structured() ? "an " + std::string(found.type_name()) : describe_value(found)));
  }

  /// The member `key` of the object at `path` ("" for the whole).
  [[nodiscard]] const Json& member(const Json& object, const std::string& path, const char* key) const {
    const auto entry = object.find(key);
    if (entry == object.end()) fail(join(path, key), "is missing from what should be a word-level tokenizer");
    return *entry;
  }

  [[nodiscard]] const Json& object(const Json& parent, const std::string& path, const char* key) const {
    const Json& found = member(parent, path, key);
    if (!found.is_object()) fail(join(path, key), "an object", found);
    return found;
  }

  [[nodiscard]] std::string text(const Json& parent, const std::string& path, const char* key) const {
    const Json& found = member(parent, path, key);
    if (!found.is_string()) fail(join(path, key), "a string", found);
    return found.get<std::string>();
  }

  void allow_keys(const Json& object, const std::string& path, std::span<const std::string_view> known) const {
    for (const auto& item : object.items()) {
      if (std::ranges::find(known, item.key()) == known.end()) {
        fail(join(path, item.key()), fmt::format("unknown key; known: {}", fmt::join(known, ", ")));
      }
    }
  }

  [[nodiscard]] static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

 private:
  [[nodiscard]] Json parse(std::string_view json) const {
    try {
      return parse_json(json);
    } catch (const JsonError& error) {
      throw DataError(fmt::format("{}: not JSON: {}", origin_, error.what()));
    }
  }

  const std::string& origin_;
  Json root_;
};

constexpr std::array<std::string_view, 9> kKeys = {"version",        "truncation", "padding",
                                                   "added_tokens",   "normalizer", "pre_tokenizer",
                                                   "post_processor", "decoder",    "model"};
constexpr std::array<std::string_view, 3> kModelKeys = {"type", "vocab", "unk_token"};
constexpr std::array<const char*, 5> kNullKeys = {"truncation", "padding", "normalizer", "post_processor", "decoder"};

void check_frame(const Reader& reader) {
  const Json& root = reader.root();
  if (const auto type = reader.text(reader.object(root, "", "model"), "model", "type"); type != "WordLevel") {
    reader.fail("model.type",
                fmt::format("expected \"WordLevel\", found \"{}\": of tokenizers in JSON, word-level ones are "
                            "understood; any other kind must be a SentencePiece model",
                            shown(type)));
  }
  reader.allow_keys(root, "", kKeys);
  reader.allow_keys(reader.object(root, "", "model"), "model", kModelKeys);
  if (const auto version = reader.text(root, "", "version"); version != "1.0") {
    reader.fail("version", fmt::format("expected \"1.0\", found \"{}\"", shown(version)));
  }
  for (const char* key : kNullKeys) {
    const auto entry = root.find(key);
    if (entry == root.end() || entry->is_null()) continue;
    const bool typed = entry->is_object() && entry->contains("type") && entry->at("type").is_string();
    reader.fail(key, "null (no such part is understood)", typed ? entry->at("type") : *entry);
  }
}

bool read_splits_punctuation(const Reader& reader) {
  constexpr const char* kKey = "pre_tokenizer";
  const Json& part = reader.member(reader.root(), "", kKey);
  const std::string type = part.is_object() ? reader.text(part, kKey, "type") : describe_value(part);
  if (type != "Whitespace" && type != "WhitespaceSplit") {
    reader.fail(kKey, fmt::format("expected the type \"Whitespace\" or \"WhitespaceSplit\", found {}", shown(type)));
  }
  return type == "Whitespace";
}

std::vector<std::string> read_words(const Reader& reader) {
  const Json& vocab = reader.object(reader.root().at("model"), "model", "vocab");
  std::vector<const std::string*> by_id(vocab.size(), nullptr);
  for (const auto& [word, id] : vocab.get_ref<const Json::object_t&>()) {
    const auto path = [&word = word] { return fmt::format("model.vocab[{}]", describe_value(word)); };
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= by_id.size()) {
      reader.fail(path(), fmt::format("an id from 0 to {}, a number for each word", by_id.size() - 1), id);
    }
    const std::string*& place = by_id[id.get<std::size_t>()];
    if (place != nullptr) {
      reader.fail(path(), fmt::format("has the id {} of {}", describe_value(id), describe_value(*place)));
    }
    place = &word;
  }
  std::vector<std::string> words;
  words.reserve(by_id.size());
  for (const auto* word : by_id) words.push_back(*word);
  return words;
}

std::int64_t id_of(const Reader& reader, const std::string& word, const std::string& why) {
  const Json& vocab = reader.root().at("model").at("vocab");
  const auto entry = vocab.find(word);
  if (entry == vocab.end()) reader.fail("model.vocab", fmt::format("has no {}, {}", describe_value(word), why));
  return entry->get<std::int64_t>();
}

SpecialTokens read_special_tokens(const Reader& reader) {
  const std::string unk = reader.text(reader.root().at("model"), "model", "unk_token");
  const SpecialTokens special = {.unk = id_of(reader, unk, "which model.unk_token names"),
                                 .sos = id_of(reader, "[SOS]", "which starts a sentence"),
                                 .eos = id_of(reader, "[EOS]", "which ends a sentence"),
                                 .pad = id_of(reader, "[PAD]", "which fills a batch's shorter rows")};
  if (unk == "[SOS]" || unk == "[EOS]" || unk == "[PAD]") {
    reader.fail("model.unk_token", fmt::format("\"{}\" has another meaning; expected a token of its own", unk));
  }
  return special;
}

/// Adds the ids of added_tokens. A token that is not special would be cut out of the text before it is split.
void read_added_tokens(const Reader& reader, std::unordered_set<std::int64_t>& special_ids) {
  const auto list = reader.root().find("added_tokens");
  if (list == reader.root().end()) return;
  if (!list->is_array()) reader.fail("added_tokens", "a list", *list);
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = fmt::format("added_tokens[{}]", i);
    const Json& token = list->at(i);
    if (!token.is_object()) reader.fail(path, "an object", token);
    const std::string content = reader.text(token, path, "content");
    if (reader.member(token, path, "special") != true) {
      reader.fail(path + ".special",
                  fmt::format("expected true, found {}: of added tokens, special ones are understood ({} is none)",
                              describe_value(token.at("special")), describe_value(content)));
    }
    const std::int64_t id = id_of(reader, content, "which " + path + " names");
    if (reader.member(token, path, "id") != id) {
      reader.fail(path + ".id", fmt::format("{}, as model.vocab has {}", id, describe_value(content)), token.at("id"));
    }
    special_ids.insert(id);
  }
}

}  // namespace

WordLevelFile parse_word_level_file(std::string_view json, const std::string& origin) {
  const Reader reader(json, origin);
  check_frame(reader);
  WordLevelFile file;
  file.splits_punctuation = read_splits_punctuation(reader);
  file.words = read_words(reader);
  file.special = read_special_tokens(reader);
  file.special_ids = {file.special.unk, file.special.sos, file.special.eos, file.special.pad};
  read_added_tokens(reader, file.special_ids);
  return file;
}

namespace {

enum class Kind { kSpace, kWord, kOther };

}  // namespace

std::vector<std::string> split_words(std::string_view text, bool splits_punctuation) {
  const auto kind_of = [=](char32_t character) {
    if (is_white_space(character)) return Kind::kSpace;
    return !splits_punctuation || is_word_character(character) ? Kind::kWord : Kind::kOther;
  };
  const std::u32string characters = decode_utf8(text);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < characters.size();) {
    const Kind kind = kind_of(characters[begin]);
    std::size_t end = begin + 1;
    while (end < characters.size() && kind_of(characters[end]) == kind) ++end;
    if (kind != Kind::kSpace) words.push_back(encode_utf8(std::u32string_view(characters).substr(begin, end - begin)));
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
    if (special_ids_.contains(id)) continue;
    if (!first) text += ' ';
    text += subword(id);
    first = false;
  }
  return text;
}

const std::string& WordLevelModel::subword(std::int64_t id) const { return words_[static_cast<std::size_t>(id)]; }

std::optional<std::int64_t> WordLevelModel::find(std::string_view subword) const {
  for (const auto* ids : {&ids_, &other_special_}) {
    if (const auto found = ids->find(std::string(subword)); found != ids->end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace translate
