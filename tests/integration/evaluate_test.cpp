// translate-eval: what is evaluated on what, and how it is told.
#include <gmock/gmock.h>

#include <algorithm>

#include "core/file.h"
#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Evaluate : public ProgramTest {};

TEST_F(Evaluate, JsonHasTheDocumentedFields) {
  const auto result = trained().evaluate({"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto object = Json::parse(result.out);
  EXPECT_THAT(keys_of(object), ElementsAre("checkpoint", "step", "raw", "times_scored", "sentences", "bootstrap",
                                           "bleu", "chrf", "chrf++", "ter", "cer", "wer", "seconds"));
  EXPECT_EQ(object["raw"], true);
  EXPECT_EQ(object["checkpoint"], (trained() / "runs/tiny/checkpoints/step-00000150").string());
  EXPECT_EQ(object["step"], 150);
  EXPECT_EQ(object["sentences"], 6);
  for (const auto* metric : {"chrf", "chrf++", "ter", "cer", "wer"}) {
    EXPECT_THAT(keys_of(object[metric]), ElementsAre("score", "signature", "interval"));
  }
  EXPECT_THAT(keys_of(object["bleu"]), ElementsAre("score", "signature", "interval", "precisions", "brevity_penalty",
                                                   "hypothesis_length", "reference_length", "length_ratio"));
  EXPECT_THAT(object["bleu"]["signature"].get<std::string>(), AllOf(HasSubstr("tok:13a"), HasSubstr("smooth:exp")));
  EXPECT_EQ(object["ter"]["signature"].get<std::string>().find("nrefs:1|case:lc|tok:tercom|"), 0U);
  EXPECT_TRUE(object["cer"]["score"].is_number());
  EXPECT_GT(object["seconds"], 0.0);
}

TEST_F(Evaluate, ValidationScoresAreThoseOfTraining) {
  const auto result = trained().evaluate({"--split", "validation", "--beam-size", "1", "--metrics", "bleu", "--json"});
  const auto object = Json::parse(result.out);
  EXPECT_THAT(keys_of(object), ElementsAre("checkpoint", "step", "raw", "sentences", "bootstrap", "bleu", "seconds"));
  EXPECT_NEAR(object["bleu"]["score"], trained().metrics().back()["bleu"], 1e-9);
}

TEST_F(Evaluate, WithoutATestSetTheValidationSetIsTaken) {
  auto config = tiny_config();
  config["data"].erase("test");
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const auto result = workspace_.evaluate({"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("names no test set"), HasSubstr("validation set")));
  const auto watched = workspace_.evaluate({"--json", "--split", "validation"});
  EXPECT_THAT(watched.err, Not(HasSubstr("names no test set")));
  EXPECT_EQ(Json::parse(result.out)["bleu"], Json::parse(watched.out)["bleu"]);

  const auto wanted = workspace_.evaluate({"--split", "test"});  // the user has asked for it
  EXPECT_EQ(wanted.exit_code, 2);
  EXPECT_THAT(wanted.err, AllOf(HasSubstr("data.test"), HasSubstr("--source FILE --reference FILE")));

  config["data"]["validation"] = {{"fraction", 0.1}};
  ASSERT_EQ(workspace_.train(config, {"--run-dir", "held-out"}).exit_code, 0);
  const auto share = workspace_.evaluate({"--json", "--run-dir", "held-out"});
  EXPECT_EQ(share.exit_code, 0) << share.err;
  EXPECT_EQ(Json::parse(share.out)["sentences"], 6);

  config["data"]["validation"] = Json::array();
  ASSERT_EQ(workspace_.train(config, {"--run-dir", "blind"}).exit_code, 0);
  const auto nothing = workspace_.evaluate({"--run-dir", "blind"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_THAT(nothing.err, HasSubstr("--source FILE --reference FILE"));
}

TEST_F(Evaluate, AWrongChoiceOfTextOrTokenizationIsRefused) {
  for (const std::string text : {"--source", "--hypotheses"}) {
    const auto split = trained().evaluate({"--split", "test", text, "held.en", "--reference", "held.fr"});
    EXPECT_EQ(split.exit_code, 2);
    EXPECT_THAT(split.err, AllOf(HasSubstr("--split"), HasSubstr("--reference")));
  }
  const auto mecab = trained().evaluate({"--tokenize", "ja-mecab"});
  EXPECT_EQ(mecab.exit_code, 2);
  EXPECT_THAT(mecab.err, AllOf(HasSubstr("\"ja-mecab\" needs"), HasSubstr("MeCab"), HasSubstr("\"char\"")));
  const auto unknown = trained().evaluate({"--tokenize", "14a"});
  EXPECT_THAT(unknown.err, HasSubstr("13a,intl,none,char,zh"));
  const auto chinese = trained().evaluate({"--tokenize", "zh", "--metrics", "bleu"});
  EXPECT_THAT(chinese.out, HasSubstr("|tok:zh|"));
}

TEST_F(Evaluate, TextShowsEachMetricOnALine) {
  const auto result = trained().evaluate({"--metrics", "chrf,wer"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("step 150"), HasSubstr("chrF "), HasSubstr("WER ")));
  EXPECT_EQ(count_of(result.out, "BLEU"), 0U);
}

/// The first lines of a list of golden texts as a file. (Some of the later ones have ends of lines within.)
std::string as_file(const Json& texts, std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text += texts[i].get<std::string>() + "\n";
  }
  return text;
}

TEST_F(Evaluate, BrevityPenaltyAndLengthsAreThoseOfSacrebleu) {
  constexpr std::size_t kLines = 25;
  const auto golden = Json::parse(read_file(project_folder() / "tests/golden/metrics/expected.json"));
  workspace_.write("golden.ref", as_file(golden["references"], kLines));
  double shortest = 1.0;
  for (const std::string system : {"dropped words", "first half", "said twice", "identical", "empty"}) {
    SCOPED_TRACE(system);
    const auto& parts = golden["scores: " + system];
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [](const Json& each) { return each["first"] == 0 && each["count"] == kLines; });
    ASSERT_NE(part, parts.end());
    const auto& expected = (*part)["bleu"];
    workspace_.write("golden.hyp", as_file(golden["hypotheses: " + system], kLines));
    const auto result = workspace_.evaluate({"--hypotheses", "golden.hyp", "--reference", "golden.ref", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto bleu = Json::parse(result.out)["bleu"];
    for (const auto* field : {"score", "brevity_penalty", "hypothesis_length", "reference_length"}) {
      EXPECT_NEAR(bleu[field], expected[field], 1e-9) << field;
    }
    const double ratio = expected["hypothesis_length"].get<double>() / expected["reference_length"].get<double>();
    EXPECT_NEAR(bleu["length_ratio"], ratio, 1e-12);
    for (std::size_t n = 0; n < 4; ++n) {
      EXPECT_NEAR(bleu["precisions"][n], expected["precisions"][n], 1e-9) << n;
    }
    if (system != "empty") {
      shortest = std::min(shortest, bleu["brevity_penalty"].get<double>());
    }
  }
  EXPECT_LT(shortest, 0.5);
}

TEST_F(Evaluate, TextAlignsNumbersOnTheRight) {
  workspace_.write("ours.fr", "le chat\nun chien noir court\n");
  workspace_.write("right.fr", "le chat dort ici\nun chien noir court vite\n");
  const auto result = workspace_.evaluate({"--hypotheses", "ours.fr", "--reference", "right.fr"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // 6 tokens of 9: exp(1 - 9/6).
  EXPECT_THAT(result.out, HasSubstr("  brevity penalty     0.607\n"
                                    "  length ratio        0.667  6 tokens in the hypotheses, 9 in the references\n"
                                    "  precisions                 100.0 / 100.0 / 100.0 / 100.0 % of the n-grams"));
  for (const auto& line : split_lines(result.out)) {
    if (line.find("precisions") != std::string::npos) {
      continue;
    }
    EXPECT_THAT(line.substr(0, 27), ContainsRegex(" [0-9.]+$"));
    EXPECT_EQ(line.substr(27, 2), line.size() > 27 ? "  " : "");
  }
}

TEST_F(Evaluate, ScoresHaveTheirConfidenceIntervals) {
  // Sentences of eight words, of which two in six have no word right: a share that the intervals are about.
  workspace_.write("right.fr",
                   "a b c d e f g h\na b c d e f g h\na b c d e f g h\na b c d e f g h\na b c d e f g h\n"
                   "a b c d e f g h\n");
  workspace_.write("ours.fr",
                   "a b c d e f g h\nr s t u v w x y\na b c d e f g h\nr s t u v w x y\na b c d e f g h\n"
                   "a b c d e f g h\n");
  const Arguments files = {"--hypotheses", "ours.fr", "--reference", "right.fr"};
  auto as_json = files;
  as_json.insert(as_json.end(), {"--json"});
  const auto object = Json::parse(workspace_.evaluate(as_json).out);
  EXPECT_EQ(object["bootstrap"], Json::parse(R"({"resamples": 1000, "seed": 12345})"));
  for (const auto* name : {"bleu", "chrf", "chrf++", "ter", "cer", "wer"}) {
    SCOPED_TRACE(name);
    const auto& interval = object[name]["interval"];
    EXPECT_LT(interval["low"], object[name]["score"]);
    EXPECT_GT(interval["high"], object[name]["score"]);
    EXPECT_NEAR(interval["mean"], object[name]["score"], 5.0);
  }
  // The number of wrong sentences of six is binomial with p = 1/3: 0 with a probability of 8.8 %, 5 or 6 with 1.8 %.
  EXPECT_EQ(object["wer"]["interval"]["low"], 0.0);
  EXPECT_NEAR(object["wer"]["interval"]["high"], 400.0 / 6.0, 1e-9);

  const auto text = workspace_.evaluate(files).out;
  EXPECT_THAT(text, AllOf(HasSubstr("6  [ ] is the 95 % confidence interval: 1000 bootstrap resamples, seed 12345\n"),
                          HasSubstr("\nWER                   33.33  [0.00, 66.67]    nrefs:1|case:mixed\n")));
  auto seeded = as_json;
  seeded.insert(seeded.end(), {"--seed", "5"});
  EXPECT_EQ(Json::parse(workspace_.evaluate(seeded).out)["bootstrap"]["seed"], 5);
}

TEST_F(Evaluate, OneSentenceHasNoInterval) {
  workspace_.write("one.fr", "le chat dort\n");
  const auto text = workspace_.evaluate({"--hypotheses", "one.fr", "--reference", "one.fr"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, Not(HasSubstr("[")));
  const auto object =
      Json::parse(workspace_.evaluate({"--hypotheses", "one.fr", "--reference", "one.fr", "--json"}).out);
  EXPECT_FALSE(object.contains("bootstrap"));
  EXPECT_FALSE(object["bleu"].contains("interval"));
}

TEST_F(Evaluate, LengthsOfEmptyFilesAreNumbers) {
  workspace_.write("blank.fr", "\n\n");
  const auto result = workspace_.evaluate({"--hypotheses", "blank.fr", "--reference", "blank.fr", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["bleu"]["length_ratio"], 0.0);
}

TEST_F(Evaluate, HypothesesNeedNoModel) {
  workspace_.write("theirs.fr", workspace_.read("held.fr"));
  const auto perfect = workspace_.evaluate({"--hypotheses", "theirs.fr", "--reference", "held.fr", "--json"});
  EXPECT_EQ(perfect.exit_code, 0) << perfect.err;
  const auto object = Json::parse(perfect.out);
  EXPECT_TRUE(object["checkpoint"].is_null());
  EXPECT_TRUE(object["step"].is_null());
  EXPECT_NEAR(object["bleu"]["score"], 100.0, 1e-9);
  EXPECT_NEAR(object["chrf"]["score"], 100.0, 1e-9);
  for (const auto* rate : {"ter", "cer", "wer"}) {
    EXPECT_EQ(object[rate]["score"], 0.0);
  }
}

TEST_F(Evaluate, TokensAndCaseAreAsTheOptionsSay) {
  workspace_.write("a.fr", "Le chat «dort» ici\n");
  workspace_.write("b.fr", "le chat « dort » ICI\n");
  const auto bleu = [this](Arguments more) {
    more.insert(more.end(), {"--hypotheses", "a.fr", "--reference", "b.fr", "--metrics", "bleu,cer", "--json"});
    return Json::parse(workspace_.evaluate(more).out);
  };
  EXPECT_LT(bleu({})["bleu"]["score"], 50.0);
  EXPECT_LT(bleu({"--lowercase"})["bleu"]["score"], 70.0);
  EXPECT_LT(bleu({"--tokenize", "intl"})["bleu"]["score"], 100.0);
  const auto both = bleu({"--tokenize", "intl", "--lowercase"});
  EXPECT_NEAR(both["bleu"]["score"], 100.0, 1e-9);
  EXPECT_THAT(both["bleu"]["signature"].get<std::string>(), AllOf(HasSubstr("case:lc"), HasSubstr("tok:intl")));
  EXPECT_EQ(both["cer"]["signature"], "nrefs:1|case:lc");
  EXPECT_THAT(bleu({"--tokenize", "char"})["bleu"]["signature"].get<std::string>(), HasSubstr("tok:char"));
}

TEST_F(Evaluate, AnUnknownTokenizationIsRefused) {
  for (const auto& [name, reason] : {std::pair("words", "intl"), std::pair("ja-mecab", "MeCab")}) {
    const auto result = workspace_.evaluate({"--hypotheses", "held.fr", "--reference", "held.fr", "--tokenize", name});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("--tokenize"), HasSubstr(reason)));
  }
}

TEST_F(Evaluate, SeveralReferencesCountTogether) {
  workspace_.write("ours.fr", "le chat dort\nun chien noir court vite\n");
  workspace_.write("one.fr", "le chat dort\nx\n");
  workspace_.write("two.fr", "x\nun chien noir court vite\n");
  for (const Arguments& references :
       {Arguments{"--reference", "one.fr", "two.fr"}, Arguments{"--reference", "one.fr", "--reference", "two.fr"}}) {
    Arguments arguments = {"--hypotheses", "ours.fr", "--json"};
    arguments.insert(arguments.end(), references.begin(), references.end());
    const auto result = workspace_.evaluate(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto object = Json::parse(result.out);
    EXPECT_NEAR(object["bleu"]["score"], 100.0, 1e-9);
    EXPECT_NEAR(object["chrf++"]["score"], 100.0, 1e-9);
    EXPECT_EQ(object["wer"]["score"], 0.0);
    EXPECT_EQ(object["bleu"]["signature"].get<std::string>().find("nrefs:2|"), 0U);
  }
}

TEST_F(Evaluate, ReferencesOfUnequalLengthAreNamed) {
  workspace_.write("short.fr", "x\n");
  const auto result =
      workspace_.evaluate({"--hypotheses", "held.fr", "--reference", "held.fr", "short.fr", "--metrics", "bleu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("short.fr has 1 line,"), HasSubstr("held.fr has 6")));
}

TEST_F(Evaluate, KeptTranslationsScoreTheSameAgain) {
  const auto run = (trained() / "runs/tiny").string();
  const Arguments files = {"--reference", "held.fr", "--json", "--metrics", "bleu,cer"};
  auto translate = files;
  translate.insert(translate.end(), {"--run-dir", run, "--source", "held.en", "--output", "out.fr", "--checkpoint",
                                     "step-75", "--precision", "fp32"});
  const auto translated = workspace_.evaluate(translate);
  EXPECT_EQ(translated.exit_code, 0) << translated.err;
  auto score = files;
  score.insert(score.end(), {"--hypotheses", "out.fr"});
  const auto scored = workspace_.evaluate(score);
  EXPECT_EQ(Json::parse(scored.out)["bleu"], Json::parse(translated.out)["bleu"]);
  EXPECT_EQ(Json::parse(scored.out)["cer"], Json::parse(translated.out)["cer"]);

  const auto inferred = workspace_.infer(
      {"--run-dir", run, "--checkpoint", "step-75", "--precision", "fp32", "--raw", "--input", "held.en"});
  EXPECT_EQ(workspace_.read("out.fr"), inferred.out);
}

TEST_F(Evaluate, GzipFilesAndOddEndsOfLinesMakeNoDifference) {
  const auto usual = workspace_.evaluate({"--hypotheses", "train.fr", "--reference", "train.fr", "--metrics", "bleu"});
  std::string odd = "\xEF\xBB\xBF";
  for (const char c : workspace_.read("train.fr")) {
    odd += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  workspace_.write("odd.fr.gz", gzip(odd));
  const auto result =
      workspace_.evaluate({"--hypotheses", "odd.fr.gz", "--reference", "train.fr", "--metrics", "bleu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, usual.out);
  EXPECT_THAT(result.out, HasSubstr("100.00"));
}

}  // namespace
}  // namespace translate
