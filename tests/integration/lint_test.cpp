// translate-train --lint: what it finds in files, and how it says it.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Lint : public ProgramTest {
 protected:
  ProcessResult lint(Arguments arguments = {}) {
    arguments.insert(arguments.begin(), "--lint");
    return workspace_.train(config_, arguments);
  }

  Json config_ = tiny_config();
};

TEST_F(Lint, FindsWhatWasPutInAndMakesNothing) {
  const auto pairs = small_corpus();
  workspace_.write("train.en", workspace_.read("train.en") + pairs.source[0] + "\nsame\nb\xE9\n\n");
  workspace_.write("train.fr", workspace_.read("train.fr") + pairs.target[0] + "\nsame\nb\nx\n");
  const auto text = lint();
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("train: " + std::to_string(pairs.source.size() + 4) + " pairs"));
  EXPECT_THAT(text.out, HasSubstr("source and target are the same"));
  EXPECT_THAT(text.out, HasSubstr("train.en:61"));  // the pair that is there twice
  EXPECT_FALSE(workspace_.holds("runs"));

  const auto result = lint({"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = Json::parse(result.out);
  const auto& train = json["splits"]["train"]["findings"];
  EXPECT_EQ(train["duplicate"]["pairs"], 1);
  EXPECT_EQ(train["copied"]["pairs"], 1);
  EXPECT_EQ(train["not_utf8"]["pairs"], 1);
  EXPECT_EQ(train["empty"]["pairs"], 1);
  EXPECT_EQ(train["copied"]["examples"][0]["source"], "same");
  EXPECT_THAT(train["copied"]["examples"][0]["place"].get<std::string>(), HasSubstr("train.en:62"));
  EXPECT_NEAR(train["copied"]["share"], 1.0 / 64.0, 1e-12);
  EXPECT_GT(json["splits"]["validation"]["findings"]["pair_in_training"]["pairs"], 0);  // a tenth of the training text

  EXPECT_EQ(lint({"--strict"}).exit_code, 1);
}

TEST_F(Lint, NothingFoundIsAGoodEndAlsoWhereItIsStrict) {
  config_["data"].erase("validation");  // both are part of the training text
  config_["data"].erase("test");
  const auto result = lint({"--strict"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing found"));
  EXPECT_THAT(result.out, HasSubstr("vocabularies: trained for this check"));
}

TEST_F(Lint, TakesTheVocabulariesOfTheRun) {
  ASSERT_EQ(workspace_.train(config_, {"--set", "training.max_steps=1"}).exit_code, 0);
  workspace_.write("train.en", workspace_.read("train.en") + "a \xE6\xBC\xA2\x1B[2J\n");
  workspace_.write("train.fr", workspace_.read("train.fr") + "b\n");
  const auto result = lint();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("runs/tiny/tokenizers"));
  EXPECT_THAT(result.out, HasSubstr("not in the vocabulary:"));
  EXPECT_THAT(result.out, HasSubstr("\"\xE6\xBC\xA2\" (1)"));
  EXPECT_THAT(result.out, HasSubstr("\\u001b[2J"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1B")));
}

TEST_F(Lint, OptionsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(lint({"--check"}).exit_code, 2);
  EXPECT_EQ(workspace_.train(config_, {"--strict"}).exit_code, 2);
  EXPECT_EQ(workspace_.train(config_, {"--json"}).exit_code, 2);
  workspace_.write("train.fr", "one line\n");
  const auto unequal = lint();
  EXPECT_EQ(unequal.exit_code, 2);
  EXPECT_THAT(unequal.err, HasSubstr("line N of one must be the translation"));
}

}  // namespace
}  // namespace translate
