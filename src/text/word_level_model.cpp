#include "translate/text/word_level_model.h"

#include <utility>

#include "translate/core/error.h"
#include "translate/core/utf8.h"
#include "translate/text/tokenizer.h"
#include "translate/text/word_characters.h"
#include "translate/text/word_level_file.h"

namespace translate {

namespace {

enum class Kind { kSpace, kWord, kOther };

}  // namespace

WordLevelModel::WordLevelModel(std::string serialized, const std::string& origin) : serialized_(std::move(serialized)) {
  WordLevelFile file = parse_word_level_file(serialized_, origin);
  words_ = std::move(file.words);
  special_ids_ = std::move(file.special_ids);
  special_ = file.special;
  splits_punctuation_ = file.splits_punctuation;
  for (std::size_t id = 0; id < words_.size(); ++id) {
    const auto number = static_cast<std::int64_t>(id);
    if (!special_ids_.contains(number)) ids_.emplace(words_[id], number);
  }
}

std::vector<std::int64_t> WordLevelModel::encode(std::string_view text) const {
  const auto kind_of = [this](char32_t character) {
    if (is_white_space(character)) return Kind::kSpace;
    return !splits_punctuation_ || is_word_character(character) ? Kind::kWord : Kind::kOther;
  };
  const std::u32string characters = decode_utf8(text);
  std::vector<std::int64_t> ids;
  for (std::size_t begin = 0; begin < characters.size();) {
    const Kind kind = kind_of(characters[begin]);
    std::size_t end = begin + 1;
    while (end < characters.size() && kind_of(characters[end]) == kind) ++end;
    if (kind != Kind::kSpace) {
      const auto found = ids_.find(encode_utf8(std::u32string_view(characters).substr(begin, end - begin)));
      ids.push_back(found == ids_.end() ? special_.unk : found->second);
    }
    begin = end;
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
    text += piece(id);
    first = false;
  }
  return text;
}

const std::string& WordLevelModel::piece(std::int64_t id) const { return words_[static_cast<std::size_t>(id)]; }

}  // namespace translate
