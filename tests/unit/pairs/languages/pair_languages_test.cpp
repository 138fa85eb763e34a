#include "pairs/languages/pair_languages.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace translate {
namespace {

constexpr const char* kGerman = "Der Hund l\u00E4uft \u00FCber die gr\u00FCne Wiese und bellt laut.";
constexpr const char* kEnglish = "The dog runs across the green meadow and barks loudly.";
constexpr const char* kFrench = "Le chien court \u00E0 travers le pr\u00E9 vert et aboie tr\u00E8s fort.";

class OnePair final : public PairSource {
 public:
  explicit OnePair(SentencePair pair) : pair_(std::move(pair)) {}
  bool next(SentencePair& pair) override {
    pair = pair_;
    return !std::exchange(has_ended_, true);
  }
  [[nodiscard]] std::string place() const override { return "here"; }

 private:
  SentencePair pair_;
  bool has_ended_ = false;
};

LanguageCheck check_for(const LanguageCodes& languages, const SentencePair& text = {}, bool are_recognised = true) {
  return check_of_languages({.codes = languages, .are_recognised = are_recognised}, [&text] {
    std::vector<std::unique_ptr<PairSource>> sources;
    sources.push_back(std::make_unique<OnePair>(text));
    return sources;
  });
}

TEST(CheckOfLanguages, TellsRightOtherAndSwappedSides) {
  const auto check = check_for({.source = "de", .target = "en"});
  EXPECT_EQ(check({kGerman, kEnglish}), SideLanguages::kRight);
  EXPECT_EQ(check({kGerman, kFrench}), SideLanguages::kOther);
  EXPECT_EQ(check({kFrench, kEnglish}), SideLanguages::kOther);
  EXPECT_EQ(check({kEnglish, kGerman}), SideLanguages::kSwapped);
}

TEST(CheckOfLanguages, WordsOfTheTextAreInItsLanguage) {
  const std::string formula = "=GAMMALN.PRECISE(2) yields 0.";  // which CLD2 takes for another language
  const std::string text = "The function GAMMALN with the argument PRECISE yields a number that is shown in the cell.";
  EXPECT_EQ(check_for({.source = "de", .target = "en"})({kGerman, formula}), SideLanguages::kOther);
  EXPECT_EQ(check_for({.source = "de", .target = "en"}, {kGerman, text})({kGerman, formula}), SideLanguages::kRight);
}

TEST(CheckOfLanguages, ThereIsNoneForATextThatDoesNotReadLikeItsLanguages) {
  EXPECT_FALSE(check_for({.source = "de", .target = "en"}, {}, /*are_recognised=*/false));
}

TEST(CheckOfLanguages, ShortTextsAndCloseLanguagesAreRight) {
  const auto check = check_for({.source = "sk", .target = "en"});
  EXPECT_EQ(check({"Ano, dobr\u00E1 pr\u00E1ce.", "Oui."}), SideLanguages::kRight);
  EXPECT_EQ(check({"\u017Dlu\u0165ou\u010Dk\u00FD k\u016F\u0148 \u00FAp\u011Bl \u010F\u00E1belsk\u00E9 \u00F3dy na "
                   "lu\u010Dn\u00EDm z\u00E1vod\u011B.",
                   kEnglish}),
            SideLanguages::kRight);
}

}  // namespace
}  // namespace translate
