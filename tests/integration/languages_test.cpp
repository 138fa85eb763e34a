// One model for several languages: a tag at the head of a source says which language it is to be translated into.
#include <gmock/gmock.h>
#include <translate/translate.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The sentences of train.en, whose French is always "oui oui" and whose German is always "ja": a model learns in a
/// moment to read nothing but the tag.
void write_languages(const Workspace& workspace) {
  const auto lines = split_lines(workspace.read("train.en"));
  const auto held = split_lines(workspace.read("held.en"));
  const auto repeated = [](std::size_t count, const char* line) {
    return join_lines(std::vector<std::string>(count, line));
  };
  workspace.write("yes.fr", repeated(lines.size(), "oui oui"));
  workspace.write("yes.de", repeated(lines.size(), "ja"));
  workspace.write("held-yes.fr", repeated(held.size(), "oui oui"));
  workspace.write("held-yes.de", repeated(held.size(), "ja"));
}

Json corpus(const std::string& source, const std::string& target, const std::string& language) {
  return {{"source", source}, {"target", target}, {"source_language", "en"}, {"target_language", language}};
}

Json config_of_two() {
  auto config = tiny_config();
  auto& data = config["data"];
  data["train"] = {corpus("train.en", "yes.fr", "fr"), corpus("train.en", "yes.de", "de")};
  data["validation"] = {corpus("held.en", "held-yes.fr", "fr"), corpus("held.en", "held-yes.de", "de")};
  data["test"] = {corpus("held.en", "held-yes.de", "de"), corpus("held.en", "held-yes.fr", "fr")};
  config["model"]["dropout"] = 0.0;
  auto& training = config["training"];
  training["max_steps"] = 60;
  training["validate_every"] = 60;
  training["checkpoint_every"] = 60;
  return config;
}

/// A model of both languages; trained once, for reading only.
const Workspace& trained_in_two() {
  static const Workspace workspace;
  static const bool done = [] {
    workspace.write_corpus();
    write_languages(workspace);
    const auto result = workspace.train(config_of_two());
    if (result.exit_code != 0) {
      throw std::runtime_error("the model of two languages cannot be trained: " + result.err);
    }
    return true;
  }();
  (void)done;
  return workspace;
}

constexpr const char* kLine = "the cat. the dog.";

TEST(Languages, TheOptionChoosesTheTarget) {
  for (const auto* code : {"fr", "fra", "FR"}) {
    const auto result = trained_in_two().infer({"--target-language", code, "--no-split", kLine});
    EXPECT_EQ(result.out, "oui oui.\n") << code;
    EXPECT_THAT(result.err, Not(HasSubstr("several languages")));
  }
  EXPECT_EQ(trained_in_two().infer({"--target-language", "de", "--no-split", kLine}).out, "ja.\n");
  EXPECT_EQ(trained_in_two().infer({"--target-language", "de", kLine}).out, "ja. ja.\n") << "for each sentence";
}

TEST(Languages, ATagInTheTextComesFirst) {
  const auto result = trained_in_two().infer({"--target-language", "fr"}, ">>de<< the cat\nthe cat\n\n>>de<< a. b.\n");
  EXPECT_EQ(result.out, "ja\noui oui\n\nja ja\n");
}

TEST(Languages, AnUnknownTargetIsRefusedWithThoseThatThereAre) {
  const auto result = trained_in_two().infer({"--target-language", "it", kLine});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--target-language it: the model translates into fr (French), de (German)"));
}

TEST(Languages, WithoutATargetThereIsOneWarning) {
  const auto result = trained_in_two().infer({}, ">>de<< the cat\n\nthe cat\nthe dog\n");
  EXPECT_EQ(count_of(result.err, "translates into several languages"), 1U);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("--target-language CODE"), HasSubstr("fr (French), de (German)"), HasSubstr(">>fr<<")));
  EXPECT_THAT(trained_in_two().infer({}, ">>de<< the cat\n").err, Not(HasSubstr("several languages")));
}

TEST(Languages, TheSourceIsShownWithoutTheTagThatAnOptionPutsBeforeIt) {
  const auto result =
      trained_in_two().infer({"--target-language", "fr", "--json", "--alignments", "--n-best", "2", "the cat"});
  const auto json = Json::parse(result.out);
  EXPECT_EQ(json["source"], "the cat");
  EXPECT_EQ(json["translation"], "oui oui");
  for (const auto& link : json["alignment"]) {
    EXPECT_LT(link[0].get<int>(), 2);
  }
  const auto typed = Json::parse(trained_in_two().infer({"--json", ">>fr<< the cat"}).out);
  EXPECT_EQ(typed["source"], ">>fr<< the cat");
  EXPECT_EQ(typed["score"], json["score"]);
}

TEST(Languages, AnExplanationHasTheTagAmongTheSubwords) {
  const auto result = trained_in_two().explain({"--target-language", "de", "the cat"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(">>de<<"));
}

TEST(Languages, PairsAreScoredInTheChosenDirection) {
  const auto score = [](const std::string& language, const std::string& source) {
    return std::stod(trained_in_two().infer({"--target-language", language, "--score"}, source + "\tja\n").out);
  };
  EXPECT_GT(score("de", "the cat"), score("fr", "the cat") + 1.0);
  EXPECT_DOUBLE_EQ(score("fr", ">>de<< the cat"), score("de", "the cat"));
}

TEST(Languages, EvaluationAndValidationScoreEachDirection) {
  const auto text = trained_in_two().evaluate({"--metrics", "bleu,chrf"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("direction"), HasSubstr("\nen to de"), HasSubstr("\nen to fr")));
  const auto json = Json::parse(trained_in_two().evaluate({"--metrics", "chrf", "--json"}).out);
  EXPECT_EQ(json["sentences"], 12);
  ASSERT_EQ(json["directions"].size(), 2U);
  EXPECT_EQ(json["directions"][0]["target"], "de");
  EXPECT_EQ(json["directions"][0]["sentences"], 6);
  EXPECT_EQ(json["directions"][0]["chrf"], 100.0);
  EXPECT_EQ(json["directions"][1]["chrf"], 100.0);
  const auto metrics = trained_in_two().metrics();
  EXPECT_EQ(metrics.back()["kind"], "validation");
  EXPECT_TRUE(metrics.back()["bleu_by_direction"].contains("en-fr")) << metrics.back().dump();
  EXPECT_TRUE(metrics.back()["bleu_by_direction"].contains("en-de"));
}

TEST(Languages, AFileIsEvaluatedInTheChosenDirection) {
  const auto chrf = [](const Arguments& language) {
    Arguments arguments = {"--source", "held.en", "--reference", "held-yes.de", "--metrics", "chrf", "--json"};
    arguments.insert(arguments.end(), language.begin(), language.end());
    return trained_in_two().evaluate(arguments);
  };
  EXPECT_EQ(Json::parse(chrf({"--target-language", "de"}).out)["chrf"]["score"], 100.0);
  EXPECT_LT(Json::parse(chrf({"--target-language", "fr"}).out)["chrf"]["score"], 50.0);
  EXPECT_THAT(chrf({}).err, HasSubstr("several languages"));
  EXPECT_EQ(chrf({"--target-language", "es"}).exit_code, 2);
  EXPECT_EQ(trained_in_two().evaluate({"--target-language", "fr"}).exit_code, 2) << "the test set has its own";
}

TEST(Languages, TheListOfRunsNamesAllDirections) {
  EXPECT_THAT(trained_in_two().infer({"--list"}).out, HasSubstr("en to fr, de"));
}

TEST(Languages, TheLibraryHasTheOption) {
  const auto checkpoint = (trained_in_two() / "runs/tiny").string() + "/latest";
  const auto translate = [&](const std::string& code) {
    translate_mt::Model model(checkpoint, {{"device", "cpu"}, {"target_language", code}});
    return model.translate("the cat");
  };
  EXPECT_EQ(translate("fra"), "oui oui");
  EXPECT_EQ(translate("de"), "ja");
  try {
    translate("it");
    ADD_FAILURE() << "no error";
  } catch (const translate_mt::Error& error) {
    EXPECT_TRUE(error.is_mistake());
    EXPECT_THAT(error.what(), HasSubstr("target_language it: the model translates into fr (French), de (German)"));
  }
}

class TrainedLanguages : public ProgramTest {
 protected:
  TrainedLanguages() { write_languages(workspace_); }

  /// Trains, expecting an exit code, and returns what is logged.
  std::string train(const Json& config, const std::string& run, Arguments arguments = {}, int exit_code = 0) {
    arguments.insert(arguments.begin(), {"--run-dir", run});
    const auto result = workspace_.train(config, arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return result.err + result.out;
  }

  static Json sampled(int max_steps) {
    auto config = config_of_two();
    config["data"]["train"][1]["weight"] = 2.0;
    config["tokenizer"]["sampling"] = {{"source", true}, {"target", true}, {"alpha", 0.2}};
    config["model"]["dropout"] = 0.2;
    auto& training = config["training"];
    training["max_steps"] = max_steps;
    training["validate_every"] = 1000;
    training["checkpoint_every"] = 4;
    return config;
  }
};

TEST_F(TrainedLanguages, AResumedRunWithTagsAndSamplingIsTheSame) {
  train(sampled(12), "whole");
  train(sampled(7), "resumed");
  EXPECT_THAT(train(sampled(12), "resumed"), HasSubstr("resuming from"));
  for (const auto* file : {"model.safetensors", "training_state.safetensors"}) {
    const auto name = std::string("/checkpoints/step-00000012/") + file;
    EXPECT_TRUE(workspace_.read("whole" + name) == workspace_.read("resumed" + name)) << file;
  }
}

TEST_F(TrainedLanguages, OtherTagsAreAnotherCorpus) {
  auto config = sampled(4);
  config["data"]["cache_dir"] = "cache";
  train(config, "run");
  auto swapped = config;
  for (const auto* part : {"train", "validation"}) {
    swapped["data"][part][0]["target_language"] = "de";
    swapped["data"][part][1]["target_language"] = "fr";
  }
  EXPECT_THAT(train(swapped, "run", {}, 2), HasSubstr("other values of: data.train, data.validation"));
  EXPECT_THAT(train(swapped, "other"), Not(HasSubstr("encoded training pairs in " + (workspace_ / "cache").string())));
  auto labelled = config;  // the source's label alone changes nothing
  labelled["training"]["max_steps"] = 5;
  for (auto& corpus : labelled["data"]["train"]) {
    corpus["source_language"] = "eng";
  }
  EXPECT_THAT(train(labelled, "run"), HasSubstr("resuming from"));
}

TEST_F(TrainedLanguages, EitherAllCorporaNameTheirTargetOrNone) {
  auto config = sampled(4);
  config["data"]["validation"][1].erase("target_language");
  config["data"]["test"] = {{"source", "held.en"}, {"target", "held.fr"}};
  EXPECT_THAT(train(config, "run", {}, 2),
              AllOf(HasSubstr("data.validation: the corpus "), HasSubstr("held.en names no `target_language`"),
                    HasSubstr("train.en of data.train does (\"fr\")"), HasSubstr("data.test: the corpus ")));
  EXPECT_FALSE(workspace_.holds("run"));
}

TEST_F(TrainedLanguages, ATokenizerWithoutTheTagIsRefused) {
  train(tiny_config(), "plain");
  auto config = sampled(4);
  config["tokenizer"] = {{"source_model", "plain/tokenizers/source.spm"}};
  EXPECT_THAT(train(config, "run", {}, 2),
              AllOf(HasSubstr("data.train: the tag >>fr<< of the corpus "), HasSubstr("which has no tags")));
  auto fine = config_of_two();
  fine["data"]["test"][0]["target_language"] = "it";
  EXPECT_THAT(train(fine, "other", {}, 2),
              AllOf(HasSubstr("data.test: the tag >>it<<"), HasSubstr("which has >>fr<<, >>de<<")));
  // A checkpoint's tokenizer has the tags.
  train(sampled(4), "tagged");
  EXPECT_THAT(train(sampled(8), "tuned", {"--init", "tagged/latest"}), HasSubstr("training ended"));
  EXPECT_THAT(train(sampled(8), "tuned-plain", {"--init", "plain/latest"}, 2), HasSubstr("the tag >>fr<<"));
}

TEST_F(TrainedLanguages, TheCheckShowsTheDirections) {
  EXPECT_THAT(train(config_of_two(), "run", {"--check"}),
              AllOf(HasSubstr("corpora       en to fr: 60 pairs of "), HasSubstr("train.en, tagged >>fr<<\n"),
                    HasSubstr("              en to de: 60 pairs of ")));
}

TEST_F(TrainedLanguages, BothDirectionsOfAPairInOneModelOfWordsOrCharacters) {
  for (const auto* type : {"char", "word"}) {
    auto config = config_of_two();
    const Json back = {
        {"source", "yes.fr"}, {"target", "train.en"}, {"source_language", "fr"}, {"target_language", "en"}};
    const Json there = corpus("train.en", "yes.fr", "fr");
    config["tokenizer"]["type"] = type;
    config["data"]["train"] = {there, back};
    config["data"]["validation"] = {{"fraction", 0.2}};
    config["data"].erase("test");
    config["training"]["max_steps"] = 120;
    const auto run = std::string("run-") + type;
    train(config, run);
    EXPECT_THAT(workspace_.infer({"--run-dir", run, "--target-language", "fr", "the cat"}).out, StartsWith("oui"))
        << type;
    const auto english = workspace_.infer({"--run-dir", run, "--target-language", "eng", "oui oui"});
    EXPECT_EQ(english.exit_code, 0) << english.err;
    EXPECT_THAT(english.out, Not(HasSubstr("oui")));
    EXPECT_THAT(workspace_.infer({"--run-dir", run, "--list"}).out, HasSubstr("en to fr; fr to en"));
    const auto json = Json::parse(workspace_.evaluate({"--run-dir", run, "--metrics", "chrf", "--json"}).out);
    EXPECT_EQ(json["directions"].size(), 2U) << json.dump();
  }
}

TEST_F(TrainedLanguages, AModelOfOneTargetPutsItsTagItself) {
  auto config = config_of_two();
  config["data"]["train"] = corpus("train.en", "yes.fr", "fr");
  config["data"]["validation"] = corpus("held.en", "held-yes.fr", "fr");
  config["data"]["test"] = Json::array();
  train(config, "run");
  const auto scores = [&](const Arguments& options) {
    Arguments arguments = {"--run-dir", "run", "--json", "the cat"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return workspace_.infer(arguments);
  };
  const auto plain = Json::parse(scores({}).out)["score"];
  EXPECT_EQ(Json::parse(scores({"--target-language", "fra"}).out)["score"], plain);
  EXPECT_EQ(Json::parse(workspace_.infer({"--run-dir", "run", "--json", ">>fr<< the cat"}).out)["score"], plain);
  const auto refused = scores({"--target-language", "de"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the model translates into fr (French)"));
  // So does one without tags.
  EXPECT_EQ(trained().infer({"--target-language", "fr", "the cat"}).exit_code, 0);
  EXPECT_EQ(trained().infer({"--target-language", "de", "the cat"}).exit_code, 2);
}

}  // namespace
}  // namespace translate
