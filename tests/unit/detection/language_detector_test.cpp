#include "detection/language_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace translate {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const LanguageDetector& detector() {
  static const LanguageDetector made({"en", "fr"});
  return made;
}

std::string detected(std::string_view text) {
  const auto found = detector().detect(text);
  return found.empty() ? "" : found.front().language;
}

TEST(LanguageDetector, SentencesOfSeveralLanguages) {
  const std::pair<const char*, const char*> sentences[] = {
      {"en", "The weather will be fine tomorrow."},     {"fr", "Il fera beau demain, je pense."},
      {"de", "Morgen wird das Wetter schön."},          {"es", "Mañana hará buen tiempo en la ciudad."},
      {"it", "Domani il tempo sarà bello in città."},   {"pt", "Amanhã não vai chover na cidade."},
      {"nl", "Morgen wordt het mooi weer in de stad."}, {"cs", "Zítra bude ve městě hezké počasí."},
      {"pl", "Jutro będzie ładna pogoda w mieście."},   {"ru", "Завтра в городе будет хорошая погода."},
      {"el", "Αύριο ο καιρός θα είναι καλός."},         {"he", "מחר יהיה מזג אוויר יפה בעיר."},
      {"ja", "明日はいい天気になるでしょう。"},         {"zh", "明天城里的天气会很好。"}};
  for (const auto& [language, sentence] : sentences) {
    EXPECT_EQ(detected(sentence), language) << sentence;
  }
}

TEST(LanguageDetector, LongerTextIsSureAndAWordIsAGuess) {
  const auto sentence = detector().detect("The weather will be fine tomorrow in the whole country.");
  ASSERT_THAT(sentence, SizeIs(1));
  EXPECT_TRUE(sentence.front().is_sure);
  EXPECT_GT(sentence.front().confidence, 80.0);
  const auto word = detector().detect("cat");
  ASSERT_THAT(word, SizeIs(1));
  EXPECT_FALSE(word.front().is_sure);
  EXPECT_LE(word.front().confidence, 50.0);
}

TEST(LanguageDetector, NothingWhereThereAreNoWords) {
  for (const std::string text : {"", " \n", "123 + 4", "?!", "\xff\xfe"}) {
    EXPECT_THAT(detector().detect(text), IsEmpty()) << text;
  }
}

TEST(LanguageDetector, TwoLanguagesInOneText) {
  const std::string english = "The weather will be fine tomorrow in the whole country, they say on the radio. ";
  const std::string russian = "Завтра в городе будет хорошая погода, так говорят по радио каждое утро. ";
  const auto found = detector().detect(english + english + russian);
  ASSERT_GE(found.size(), 2U);
  EXPECT_GE(found[0].confidence, found[1].confidence);
}

TEST(LanguageDetector, BytesThatAreNoUtf8AreLeftOut) {
  EXPECT_EQ(detected("The weather \xff will be fine \xc3( tomorrow."), "en");
}

TEST(LanguageDetector, TheScriptsOfChineseAreToldApartWhicheverIsLikely) {
  for (const auto& likely : std::vector<std::vector<std::string>>{
           {"en"}, {"en", "zh"}, {"zh-Hans", "zh-Hant"}, {"zh-Hant"}, {"zt", "en"}, {"cmn_Hans"}}) {
    const LanguageDetector chinese(likely);
    EXPECT_EQ(chinese.detect("明天城裡的天氣會很好，我們一起去學習漢語。").front().language, "zh-Hant")
        << likely.front();
    EXPECT_EQ(chinese.detect("明天城里的天气会很好，我们一起去学习汉语。").front().language, "zh") << likely.front();
  }
}

}  // namespace
}  // namespace translate
