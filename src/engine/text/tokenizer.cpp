#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "config/language_code.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_descriptor.h"
#include "text/ignorable_filter.h"
#include "text/sentencepiece_model.h"
#include "text/vocabulary.h"
#include "text/word_level_model.h"

namespace translate {

namespace {

/// No SentencePiece model begins with a brace: in a protocol buffer it would open a group, and the format has none.
bool is_json(std::string_view serialized) { return serialized.starts_with('{'); }

constexpr std::string_view kTagBegin = ">>";
constexpr std::string_view kTagEnd = "<<";

/// Makes the model for the format of the bytes. Throws DataError.
std::shared_ptr<const TokenizerModel> make_model(std::string serialized, const std::string& origin) {
  if (is_json(serialized)) {
    return std::make_shared<WordLevelModel>(std::move(serialized), origin);
  }
  return std::make_shared<SentencePieceModel>(std::move(serialized), origin);
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const TokenizerModel> model)
    : model_(std::move(model)), special_(model_->special_tokens()) {}

namespace {

std::string read_tokenizer_file(const std::filesystem::path& path, const char* kind) {
  try {
    return read_file(path);
  } catch (const PathError& error) {
    throw DataError(fmt::format("{}: {}", kind, error.what()));
  }
}

}  // namespace

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  return Tokenizer(make_model(read_tokenizer_file(path, "tokenizer model"), path.string()));
}

Tokenizer Tokenizer::load(const std::filesystem::path& path, const std::filesystem::path& vocabulary) {
  const auto serialized = read_tokenizer_file(path, "tokenizer model");
  if (is_json(serialized)) {
    throw DataError(fmt::format("{}: a word-level tokenizer, which has its own ids, cannot take those of {}",
                                path.string(), vocabulary.string()));
  }
  Vocabulary known(parse_vocabulary_file(read_tokenizer_file(vocabulary, "vocabulary"), vocabulary.string()),
                   vocabulary.string());
  return Tokenizer(make_model(attach_vocabulary(serialized, known.subwords()), path.string()));
}

Tokenizer Tokenizer::for_sources(bool source_sos) const {
  auto tokenizer = *this;
  tokenizer.special_.source_sos = source_sos;
  tokenizer.reads_tags_ = true;
  return tokenizer;
}

Tokenizer Tokenizer::for_targets() const {
  auto tokenizer = *this;
  tokenizer.reads_tags_ = false;
  return tokenizer;
}

Tokenizer Tokenizer::removing_ignorable() const {
  auto tokenizer = *this;
  tokenizer.model_ = filtering_ignorable(model_);
  return tokenizer;
}

std::string_view Tokenizer::language_tag(std::string_view text) const {
  if (!reads_tags_ || !text.starts_with(kTagBegin)) {
    return {};
  }
  const auto end = text.find(kTagEnd, kTagBegin.size());
  if (end == std::string_view::npos) {
    return {};
  }
  const auto tag = text.substr(0, end + kTagEnd.size());
  return model_->find(tag) ? tag : std::string_view();
}

std::vector<std::string> Tokenizer::tagged_languages() const {
  std::vector<std::string> languages;
  for (std::int64_t id = 0; id < model_->vocab_size(); ++id) {
    const std::string_view subword = model_->subword(id);
    const bool is_tag = subword.size() > kTagBegin.size() + kTagEnd.size() && subword.starts_with(kTagBegin) &&
                        subword.find(kTagEnd) == subword.size() - kTagEnd.size();
    if (!is_tag) {
      continue;
    }
    const auto language = subword.substr(kTagBegin.size(), subword.size() - kTagBegin.size() - kTagEnd.size());
    if (is_language_code(language)) {
      languages.emplace_back(language);
    }
  }
  return languages;
}

std::string language_tag_of(std::string_view language) { return fmt::format("{}{}{}", kTagBegin, language, kTagEnd); }

namespace {

/// Returns the text behind the tag at its head, without the spaces that follow the tag.
std::string_view after_tag(std::string_view text, std::string_view tag) {
  if (tag.empty()) {
    return text;
  }
  const auto rest = text.substr(tag.size());
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

}  // namespace

Tokenizer Tokenizer::from_serialized(std::string bytes, const std::string& origin) {
  try {
    return Tokenizer(make_model(std::move(bytes), origin));
  } catch (const DataError& error) {  // not the user's text: a program wrote it
    throw CheckpointError(error.what());
  }
}

const std::string& Tokenizer::serialized() const { return model_->serialized(); }

std::vector<std::int64_t> Tokenizer::encode(std::string_view text) const {
  const auto tag = language_tag(text);
  if (tag.empty()) {
    return model_->encode(text);
  }
  auto ids = model_->encode(after_tag(text, tag));
  ids.insert(ids.begin(), *model_->find(tag));
  return ids;
}

std::vector<std::int64_t> Tokenizer::encode_sampled(std::string_view text, const SampleOptions& options,
                                                    std::uint64_t seed) const {
  return std::move(encode_sampled(std::span(&text, 1), options, seed).front());
}

std::vector<std::vector<std::int64_t>> Tokenizer::encode_sampled(std::span<const std::string_view> texts,
                                                                 const SampleOptions& options,
                                                                 std::uint64_t seed) const {
  std::vector<std::string_view> without_tags;
  std::vector<std::string_view> tags;
  for (const auto text : texts) {
    tags.push_back(language_tag(text));
    without_tags.push_back(after_tag(text, tags.back()));
  }
  auto drawn = model_->encode_sampled(without_tags, options, seed);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (!tags[i].empty()) {
      drawn[i].insert(drawn[i].begin(), *model_->find(tags[i]));
    }
  }
  return drawn;
}

std::vector<std::string> Tokenizer::encode_to_subwords(std::string_view text) const {
  std::vector<std::string> subwords;
  for (const std::int64_t id : encode(text)) {
    subwords.push_back(subword(id));
  }
  return subwords;
}

std::string Tokenizer::decode(std::span<const std::int64_t> ids) const {
  for (const std::int64_t id : ids) {
    check_id(id);
  }
  return model_->decode(ids);
}

const std::string& Tokenizer::subword(std::int64_t id) const {
  check_id(id);
  return model_->subword(id);
}

std::int64_t Tokenizer::vocab_size() const { return model_->vocab_size(); }

void Tokenizer::check_id(std::int64_t id) const {
  if (id < 0 || id >= vocab_size()) {
    throw std::out_of_range(fmt::format("subword id {} is outside 0..{}", id, vocab_size() - 1));
  }
}

bool have_same_subwords(const Tokenizer& left, const Tokenizer& right) {
  if (left.vocab_size() != right.vocab_size()) {
    return false;
  }
  for (std::int64_t id = 0; id < left.vocab_size(); ++id) {
    if (left.subword(id) != right.subword(id)) {
      return false;
    }
  }
  return true;
}

const char* tokenizer_file_extension(std::string_view serialized) {
  return is_json(serialized) ? kWordLevelExtension : kSentencePieceExtension;
}

std::vector<std::int64_t> rewrite_ids(std::span<const int> ids, std::span<const IdRewrite> rewrites) {
  std::vector<std::int64_t> result;
  result.reserve(ids.size());
  for (auto position = ids.begin(); position != ids.end();) {
    const auto match = std::find_if(rewrites.begin(), rewrites.end(), [&](const IdRewrite& rewrite) {
      return std::distance(position, ids.end()) >= std::ssize(rewrite.from) &&
             std::equal(rewrite.from.begin(), rewrite.from.end(), position);
    });
    if (match == rewrites.end()) {
      result.push_back(*position++);
    } else {
      result.insert(result.end(), match->to.begin(), match->to.end());
      position += std::ssize(match->from);
    }
  }
  return result;
}

std::vector<std::int64_t> encoder_input_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special) {
  if (!special.source_sos) {
    return label_ids(subwords, special);
  }
  std::vector<std::int64_t> ids = decoder_input_ids(subwords, special);
  ids.push_back(special.eos);
  return ids;
}

std::vector<std::int64_t> encoder_input_ids(const Tokenizer& tokenizer, std::string_view text) {
  return encoder_input_ids(compact_ids(tokenizer.encode(text)), tokenizer.special_tokens());
}

std::vector<std::int64_t> decoder_input_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special) {
  std::vector<std::int64_t> ids;
  ids.reserve(subwords.size() + 2);
  ids.push_back(special.sos);
  ids.insert(ids.end(), subwords.begin(), subwords.end());
  return ids;
}

std::vector<std::int64_t> label_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special) {
  std::vector<std::int64_t> ids;
  ids.reserve(subwords.size() + 1);
  ids.insert(ids.end(), subwords.begin(), subwords.end());
  ids.push_back(special.eos);
  return ids;
}

std::vector<std::int32_t> compact_ids(std::span<const std::int64_t> ids) {
  std::vector<std::int32_t> compact;
  compact.reserve(ids.size());
  for (const std::int64_t id : ids) {
    compact.push_back(static_cast<std::int32_t>(id));
  }
  return compact;
}

}  // namespace translate
