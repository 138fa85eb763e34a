#include "text/word_level_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "text/word_level_model.h"

namespace translate {

namespace {

using Json = nlohmann::ordered_json;

struct CountedWord {
  std::string word;
  std::int64_t count = 0;
};

/// Returns the words that occur often enough, the most frequent ones first.
std::vector<CountedWord> frequent_words(const TokenizerOptions& options,
                                        const std::vector<std::span<const std::string>>& texts) {
  std::unordered_map<std::string, std::int64_t> counts;
  for (const auto& text : texts) {
    for (const std::string& sentence : text) {
      for (std::string& word : split_words(sentence, !options.pretokenized)) {
        ++counts[std::move(word)];
      }
    }
  }
  std::vector<CountedWord> words;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_frequency) {
      words.push_back({word, count});
    }
  }
  std::ranges::sort(words, [](const CountedWord& left, const CountedWord& right) {
    return std::tie(right.count, left.word) < std::tie(left.count, right.word);
  });
  return words;
}

/// An entry of added_tokens as the package writes it.
Json added_token(const std::string& content, std::size_t id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

}  // namespace

std::string train_word_level(const TokenizerOptions& options, const std::vector<std::span<const std::string>>& texts,
                             const std::vector<std::string>& tags) {
  std::vector<std::string> special = {"[UNK]", "[PAD]", "[SOS]", "[EOS]"};
  special.insert(special.end(), tags.begin(), tags.end());
  std::vector<std::string> entries = special;
  for (CountedWord& each : frequent_words(options, texts)) {
    if (std::ssize(entries) == options.vocab_size) {
      break;
    }
    if (std::ranges::find(special, each.word) == special.end()) {
      entries.push_back(std::move(each.word));
    }
  }
  if (entries.size() == special.size()) {
    throw ConfigError(
        fmt::format("tokenizer.min_frequency is {}, but no word of the training text occurs that often: "
                    "lower it",
                    options.min_frequency));
  }
  Json added = Json::array();
  for (std::size_t id = 0; id < special.size(); ++id) {
    added.push_back(added_token(special[id], id));
  }
  // Keys are appended without a search for an equal one, of which there is none.
  Json vocabulary = Json::object();
  auto& ids = vocabulary.get_ref<Json::object_t&>();
  for (std::size_t id = 0; id < entries.size(); ++id) {
    ids.emplace_back(std::move(entries[id]), id);
  }
  const Json tokenizer = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", std::move(added)},
                          {"normalizer", nullptr},
                          {"pre_tokenizer", {{"type", options.pretokenized ? "WhitespaceSplit" : "Whitespace"}}},
                          {"post_processor", nullptr},
                          {"decoder", nullptr},
                          {"model", {{"type", "WordLevel"}, {"vocab", std::move(vocabulary)}, {"unk_token", "[UNK]"}}}};
  return tokenizer.dump(/*indent=*/2);
}

}  // namespace translate
