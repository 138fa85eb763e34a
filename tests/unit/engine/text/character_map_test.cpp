#include "text/character_map.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/error.h"
#include "text/sentencepiece_file.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

TEST(CharacterMap, TheLongestSequenceCounts) {
  const CharacterMap map(compile_rules({{"a", "1"}, {"ab", "2"}, {"abcd", "3"}, {"x", ""}, {"\u00bd", "1/2"}}));
  EXPECT_EQ(map.apply("a ab abc abcd abcdx x\u00bdy"), "1 2 2c 3 3 1/2y");
  EXPECT_EQ(map.apply(""), "");
  EXPECT_EQ(map.apply(std::string("a\0b", 3)), std::string("1\0b", 3));
}

TEST(CharacterMap, WithoutRulesNothingChanges) {
  EXPECT_EQ(compile_rules({}), "");
  EXPECT_EQ(CharacterMap("").apply("a\u00bd"), "a\u00bd");
  EXPECT_TRUE(CharacterMap("").rules().empty());
}

TEST(CharacterMap, GivesItsRulesBack) {
  std::mt19937_64 random(3);
  CharacterRules rules;
  for (int i = 0; i < 3000; ++i) {
    std::string sequence;
    for (auto size = 1 + random() % 5; size > 0; --size) {
      sequence += static_cast<char>(1 + random() % 254);
    }
    rules[sequence] = std::string(random() % 4, static_cast<char>('a' + random() % 26));
  }
  const CharacterMap map(compile_rules(rules));
  EXPECT_EQ(map.rules(), rules);
  for (const auto& [sequence, replacement] : rules) {
    EXPECT_EQ(map.apply(sequence), replacement);
  }
}

TEST(CharacterMap, IsReadAndWrittenAsSentencePieceDoes) {
  auto options = small_tokenizer(TokenizerType::kChar);
  options.ignorable = IgnorableCharacters::kKeep;
  const auto tokenizer = train_tokenizer(options, {sample_sentences(100)});
  const auto file = parse_sentencepiece_file(tokenizer.serialized());
  ASSERT_TRUE(file);
  const CharacterMap map(file->character_map);
  EXPECT_EQ(map.apply("\ufb01n \u00bd \uff0c e\u0301"), "fin 1\u20442 , \u00e9");
  EXPECT_EQ(CharacterMap(compile_rules(map.rules())).rules(), map.rules());
}

TEST(CharacterMap, MalformedRulesAreRefused) {
  const auto whole = compile_rules({{"a", "1"}});
  EXPECT_THROW(CharacterMap("abc"), DataError);
  EXPECT_THROW(CharacterMap(whole.substr(0, 100)), DataError);
  EXPECT_THROW((void)CharacterMap(whole.substr(0, whole.size() - 1)).apply("a"), DataError);
}

}  // namespace
}  // namespace translate
