#include "languages/language_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CorpusFiles tagged_corpus(const char* source, const char* language) {
  return {.source = source, .target = "t", .target_language = language};
}

TEST(LanguageTags, StandAtTheHeadOfASource) {
  EXPECT_EQ(with_language_tag("fr", "le chat"), ">>fr<< le chat");
  EXPECT_EQ(with_language_tag("fr", ">>de<< le"), ">>fr<< >>de<< le");
  EXPECT_EQ(with_language_tag("", "le chat"), "le chat");
  EXPECT_EQ(with_language_tag("fr", " "), " ");
}

TEST(LanguageTags, AreThoseOfTheTrainingCorpora) {
  DataOptions data;
  data.train = {tagged_corpus("a", "fr"), tagged_corpus("b", "de"), tagged_corpus("c", "fr")};
  data.test = {tagged_corpus("d", "it")};
  EXPECT_THAT(language_tags(data), ElementsAre(">>fr<<", ">>de<<"));
  data.train = {tagged_corpus("a", "")};
  EXPECT_THAT(language_tags(data), IsEmpty());
}

TEST(LanguageTags, AreRefusedWhereTheTokenizerHasNone) {
  const auto with = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200)}, {">>fr<<"});
  const auto without = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200)});
  DataOptions data;
  data.train = {tagged_corpus("a", "fr")};
  EXPECT_NO_THROW(check_language_tags(data, with));
  const auto error = [&](const Tokenizer& tokenizer) {
    return testing::error_of<ConfigError>([&] { check_language_tags(data, tokenizer); });
  };
  EXPECT_THAT(error(without),
              AllOf(HasSubstr("data.train: the tag >>fr<< of the corpus a is not"), HasSubstr("has no tags")));
  data.validation.files = {tagged_corpus("b", "de")};
  EXPECT_THAT(error(with),
              AllOf(HasSubstr("data.validation: the tag >>de<< of the corpus b"), HasSubstr("has >>fr<<:")));
}

}  // namespace
}  // namespace translate
