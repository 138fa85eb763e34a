// The searches of translate-infer and translate-eval: what their options do, and what is refused.
#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <set>

#include "checkpoint/shortlist.h"
#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::vector<Json> objects_of(const ProcessResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<Json> objects;
  for (const auto& line : split_lines(result.out)) {
    objects.push_back(Json::parse(line));
  }
  return objects;
}

class Search : public ::testing::Test {
 protected:
  Search() : text_(join_lines(small_corpus().source)) {}

  std::string text_;
  const std::string sentence_ = small_corpus().source[0];
  Workspace workspace_;
};

TEST_F(Search, ABeamIsFourWideUnlessToldOtherwise) {
  const auto usual = trained().infer({"--json"}, text_);
  EXPECT_EQ(trained().infer({"--json", "--beam-size", "4", "--length-penalty", "0.6"}, text_).out, usual.out);
  const auto beam = objects_of(usual);
  const auto greedy = objects_of(trained().infer({"--json", "--beam-size", "1"}, text_));
  ASSERT_EQ(beam.size(), greedy.size());
  const auto sum = [](const std::vector<Json>& objects) {
    double total = 0.0;
    for (const auto& object : objects) {
      total += object["score"].get<double>();
    }
    return total;
  };
  EXPECT_GE(sum(beam) + 1e-6, sum(greedy));
}

TEST_F(Search, WiderBeamsAreTheSameAtAnyBatchSize) {
  for (const Arguments& search : {Arguments{"--beam-size", "3", "--n-best", "2"}, Arguments{"--sampling"},
                                  Arguments{"--beam-size", "6", "--length-penalty-kind", "average"}}) {
    const auto with = [&](const Arguments& more) {
      auto arguments = search;
      arguments.insert(arguments.end(), more.begin(), more.end());
      return trained().infer(arguments, text_);
    };
    const auto usual = with({});
    EXPECT_EQ(usual.exit_code, 0) << usual.err;
    EXPECT_EQ(texts_without_scores(with({"--batch-tokens", "1", "--threads", "2"})), texts_without_scores(usual));
    EXPECT_EQ(texts_without_scores(with({"--batch-tokens", "130"})), texts_without_scores(usual));
  }
}

TEST_F(Search, NBestInJson) {
  for (const auto& object : objects_of(trained().infer({"--json", "--n-best", "3"}, text_))) {
    EXPECT_THAT(keys_of(object),
                ::testing::ElementsAre("source", "translation", "score", "tokens", "truncated", "nbest"));
    ASSERT_EQ(object["nbest"].size(), 3U);
    EXPECT_EQ(object["nbest"][0]["translation"], object["translation"]);
    EXPECT_EQ(object["nbest"][0]["score"], object["score"]);
    double previous = 0.0;
    for (const auto& candidate : object["nbest"]) {
      EXPECT_THAT(keys_of(candidate),
                  ::testing::ElementsAre("translation", "score", "normalized_score", "tokens", "truncated"));
      const double length = static_cast<double>(candidate["tokens"].size()) + (candidate["truncated"] ? 0.0 : 1.0);
      EXPECT_NEAR(candidate["normalized_score"], candidate["score"].get<double>() / std::pow((5 + length) / 6, 0.6),
                  1e-9);
      EXPECT_LE(candidate["normalized_score"], previous);
      previous = candidate["normalized_score"];
    }
  }
}

TEST_F(Search, NBestInTextIsAsMosesPrintsIt) {
  const auto result = trained().infer({"--n-best", "2", sentence_, "", sentence_});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], MatchesRegex("0 \\|\\|\\| .+ \\|\\|\\| score=-[0-9]+\\.[0-9]+ "
                                     "normalized_score=-[0-9]+\\.[0-9]+"));
  EXPECT_THAT(lines[1], StartsWith("0 ||| "));
  EXPECT_EQ(lines[2], "1 |||  ||| score=0.0000 normalized_score=0.0000");
  EXPECT_EQ(lines[3].substr(1), lines[0].substr(1));
  EXPECT_THAT(lines[4], StartsWith("2 ||| "));
}

TEST_F(Search, WordsHaveScoresAndAlignments) {
  const auto objects = objects_of(trained().infer({"--json", "--alignments", "--word-scores"}, text_));
  for (const auto& object : objects) {
    const auto words = 1 + count_of(object["translation"], " ");
    ASSERT_EQ(object["word_scores"].size(), words);
    const auto tokens = object["token_scores"].get<std::vector<double>>();
    EXPECT_NEAR(std::accumulate(tokens.begin(), tokens.end(), 0.0), object["score"], 1e-6);
    std::set<std::int64_t> targets;
    for (const auto& pair : object["alignment"]) {
      EXPECT_LT(pair[0], 1 + count_of(object["source"], " "));
      targets.insert(pair[1].get<std::int64_t>());
    }
    EXPECT_EQ(targets.size(), words);
  }
  const auto text = trained().infer({"--alignments", "--word-scores", sentence_, ""});
  const auto lines = split_lines(text.out);
  EXPECT_THAT(lines[0], MatchesRegex(".+ \\|\\|\\| ([0-9]+-[0-9]+ ?)+ \\|\\|\\| (-[0-9.]+ ?)+"));
  EXPECT_EQ(lines[1], " |||  ||| ");
  // Looking does not change what is found.
  EXPECT_EQ(objects[0]["translation"], objects_of(trained().infer({"--json", sentence_}))[0]["translation"]);
}

TEST_F(Search, SamplingGoesByTheSeed) {
  const Arguments sampling = {"--sampling", "--temperature", "2", "--n-best", "2", "--seed"};
  const auto draw = [&](const std::string& seed, Arguments more = {}) {
    more.insert(more.begin(), sampling.begin(), sampling.end());
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(sampling.size()), seed);
    const auto result = trained().infer(more, text_);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(draw("5"), draw("5"));
  EXPECT_NE(draw("5"), draw("6"));
  EXPECT_NE(draw("5"), draw("5", {"--top-k", "2"}));
  EXPECT_EQ(draw("5", {"--top-k", "1"}), draw("6", {"--top-p", "0.000001"}));  // the likeliest alone
  const auto greedy = split_lines(trained().infer({"--beam-size", "1", sentence_}).out);
  EXPECT_EQ(split_lines(trained().infer({"--sampling", "--top-k", "1", sentence_}).out), greedy);
}

TEST_F(Search, ConstraintsHold) {
  for (const auto& object :
       objects_of(trained().infer({"--json", "--min-length", "15", "--no-repeat-ngram", "1"}, text_))) {
    const auto tokens = object["tokens"].get<std::vector<std::string>>();
    EXPECT_GE(tokens.size(), 15U);
    EXPECT_EQ(std::set<std::string>(tokens.begin(), tokens.end()).size(), tokens.size());
  }
  const auto plain = trained().infer({"--json"}, text_);
  EXPECT_NE(trained().infer({"--json", "--repetition-penalty", "1.5"}, text_).out, plain.out);
  EXPECT_EQ(trained().infer({"--json", "--repetition-penalty", "1", "--min-length", "0"}, text_).out, plain.out);
}

TEST_F(Search, PrefixesBeginTheTranslation) {
  const auto result = trained().infer({"--prefixes"}, sentence_ + "\tmon ami\n" + sentence_ + "\t\n\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], StartsWith("mon ami "));
  EXPECT_EQ(lines[1], split_lines(trained().infer({sentence_}).out)[0]);
  EXPECT_EQ(lines[2], "");
  const auto without = trained().infer({"--prefixes"}, sentence_ + "\t\n" + sentence_ + "\n");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("line 2: no tab; --prefixes expects source<TAB>beginning"));
}

TEST_F(Search, ScoresWhatIsGiven) {
  const auto corpus = small_corpus();
  const auto found = objects_of(trained().infer(
      {"--json", "--score", corpus.source[0] + "\t" + corpus.target[0], corpus.source[0] + "\t" + corpus.target[7]}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(keys_of(found[0]), ::testing::ElementsAre("source", "translation", "score", "tokens", "token_scores"));
  EXPECT_EQ(found[0]["translation"], corpus.target[0]);
  EXPECT_GT(found[0]["score"], found[1]["score"]);  // the right one is likelier
  EXPECT_EQ(found[0]["token_scores"].size(), found[0]["tokens"].size() + 1);

  const auto run = (trained() / "runs/tiny").string();
  workspace_.write_corpus();
  const auto lines = workspace_.infer(
      {"--run-dir", run, "--score", "--input", "train.en", "--target", "train.fr", "--batch-tokens", "60"});
  EXPECT_EQ(lines.exit_code, 0) << lines.err;
  const auto scores = split_lines(lines.out);
  ASSERT_EQ(scores.size(), corpus.source.size());
  EXPECT_THAT(scores, Each(MatchesRegex("-[0-9]+\\.[0-9]{4}")));
  EXPECT_NEAR(std::stod(scores[0]), found[0]["score"], 2e-4);

  workspace_.write("short.fr", "le chat\n");
  const auto unequal = workspace_.infer({"--run-dir", run, "--score", "--input", "train.en", "--target", "short.fr"});
  EXPECT_EQ(unequal.exit_code, 2);
  EXPECT_THAT(unequal.err, HasSubstr("short.fr ends with line 1, but train.en goes on"));
  const auto no_tab = trained().infer({"--score"}, "the cat\n");
  EXPECT_EQ(no_tab.exit_code, 2);
  EXPECT_THAT(no_tab.err, HasSubstr("line 1: no tab; --score expects source<TAB>translation"));
}

TEST_F(Search, AveragesAndEnsembles) {
  const auto run = [&](const std::string& checkpoint) {
    return objects_of(trained().infer({"--json", "--checkpoint", checkpoint, sentence_}))[0];
  };
  const auto alone = run("step-150");
  const auto average = run("average");
  EXPECT_EQ(run("average:2"), average);
  EXPECT_EQ(run("average:1"), alone);
  EXPECT_NE(average["score"], alone["score"]);
  const auto twice = run("step-150,latest");
  EXPECT_EQ(twice["translation"], alone["translation"]);
  EXPECT_NEAR(twice["score"], alone["score"], 1e-4);
  const auto ensemble = run("step-75,step-150");
  EXPECT_NE(ensemble["score"], alone["score"]);
  EXPECT_NE(ensemble["score"], average["score"]);

  const auto evaluation =
      objects_of(trained().evaluate({"--json", "--checkpoint", "average:2", "--metrics", "bleu"}))[0];
  EXPECT_EQ(evaluation["checkpoint"], (trained() / "runs/tiny/checkpoints/average:2").string());
  EXPECT_EQ(evaluation["step"], 150);
  const auto both =
      objects_of(trained().evaluate({"--json", "--checkpoint", "step-75,average", "--metrics", "bleu"}))[0];
  EXPECT_TRUE(both["step"].is_null());

  const auto few = trained().infer({"--checkpoint", "average:9", sentence_});
  EXPECT_EQ(few.exit_code, 0);
  EXPECT_EQ(few.out, trained().infer({"--checkpoint", "average:2", sentence_}).out);
  EXPECT_THAT(few.err, AllOf(HasSubstr("warning: checkpoint \"average:9\""), HasSubstr("holds 2 whole checkpoints"),
                             HasSubstr("keep_last")));
  EXPECT_EQ(trained().infer({"--checkpoint", "latest,", sentence_}).exit_code, 2);
  const auto inside = trained().explain({"--checkpoint", "latest,step-75", sentence_});
  EXPECT_EQ(inside.exit_code, 2);
  EXPECT_THAT(inside.err, HasSubstr("--explain and --attention look into one model"));
}

TEST_F(Search, ModelsOfAnEnsembleShareTheirTokenizers) {
  workspace_.write_corpus();
  auto config = tiny_config();
  config["tokenizer"]["vocab_size"] = 80;
  config["training"]["max_steps"] = 1;
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const auto other = (trained() / "runs/tiny/checkpoints/step-00000150").string();
  const auto result = workspace_.infer({"--checkpoint", "latest," + other, sentence_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--checkpoint"), HasSubstr("same tokenizers")));
}

TEST_F(Search, ExplainsAWiderSearchWhereAsked) {
  const auto result = trained().explain({"--json", "--beam-size", "4", sentence_});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto usual = objects_of(trained().infer({"--json", sentence_}))[0];
  EXPECT_EQ(Json::parse(result.out)["translation"], usual["translation"]);
  EXPECT_EQ(trained().explain({"--n-best", "2", "--beam-size", "4", sentence_}).exit_code, 2);
}

TEST_F(Search, EvaluationTakesTheSameSearches) {
  const auto bleu = [&](const Arguments& search) {
    Arguments arguments = {"--metrics", "bleu", "--json", "--source", "held.en", "--reference", "held.fr"};
    arguments.insert(arguments.end(), search.begin(), search.end());
    return objects_of(trained().evaluate(arguments))[0]["bleu"]["score"].get<double>();
  };
  EXPECT_EQ(bleu({}), bleu({"--beam-size", "4"}));
  EXPECT_EQ(bleu({"--beam-size", "1"}), bleu({"--sampling", "--top-k", "1"}));
  EXPECT_LT(bleu({"--max-length", "2"}), bleu({}));
}

TEST_F(Search, TheConfigurationsSearchCounts) {
  workspace_.write_corpus();
  auto config = tiny_config();
  config["decoding"] = {{"beam_size", 3}, {"n_best", 2}};
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  EXPECT_EQ(objects_of(workspace_.infer({"--json", sentence_}))[0]["nbest"].size(), 2U);
  const auto narrow = workspace_.infer({"--beam-size", "1", sentence_});
  EXPECT_EQ(narrow.exit_code, 2);
  EXPECT_THAT(narrow.err, HasSubstr("decoding.n_best (--n-best): a search with beam_size 1"));
  config["decoding"] = {{"top_k", 5}};
  const auto wrong = workspace_.train(config, {"--run-dir", "other"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("decoding.top_k"));
}

/// Has translate-data learn a shortlist for the trained model, of its text.
ProcessResult learn_shortlist(const Workspace& workspace, const std::string& list) {
  return workspace.run(
      "translate-data",
      {"shortlist", (trained() / "train.en").string(), (trained() / "train.fr").string(), "--checkpoint",
       (trained() / "runs/tiny/checkpoints/step-00000150").string(), "--most", "20", "--output", list});
}

/// A translation depends on its own source's list alone, not on those of the lines beside it.
TEST_F(Search, AShortlistOfTheTextGivesTheSameAtAnyBatchSize) {
  const auto list = (workspace_ / "lex.bin").string();
  const auto made = learn_shortlist(workspace_, list);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, AllOf(HasSubstr("of whose target subwords"), HasSubstr("of 90 subwords each")));
  const auto bytes = workspace_.read("lex.bin");
  const auto number = [&](std::size_t place) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + 8 * place, sizeof(value));
    return value;
  };
  EXPECT_LT(number(6 + number(4) - 2), number(5)) << "the last list is not empty, or Marian would refuse the file";
  const auto listed = trained().infer({"--shortlist", list}, text_);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(split_lines(listed.out).size(), small_corpus().source.size());
  EXPECT_EQ(trained().infer({"--shortlist", list, "--batch-tokens", "1", "--threads", "2"}, text_).out, listed.out);
  EXPECT_EQ(trained().infer({"--shortlist", list + ".missing"}, text_).exit_code, 2);
  const auto evaluated = trained().evaluate({"--source", "held.en", "--reference", "held.fr", "--shortlist", list});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
}

TEST_F(Search, AShortlistOfAnotherVocabularyIsRefused) {
  const auto list = (workspace_ / "lex.bin").string();
  const auto made = learn_shortlist(workspace_, list);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  workspace_.write_corpus();
  for (const std::string name : {"train.en", "train.fr"}) {  // written backwards, it has as many subwords, but others
    const auto text = workspace_.read(name);
    workspace_.write(name, std::string(text.rbegin() + 1, text.rend()) + "\n");
  }
  const auto trained_backwards = workspace_.train(tiny_config());
  ASSERT_EQ(trained_backwards.exit_code, 0) << trained_backwards.err;
  const auto other = workspace_.infer({"--shortlist", list, sentence_});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("of the same size, but with other subwords"));
}

TEST_F(Search, AShortlistLeavesNoOtherSubwords) {
  constexpr std::uint32_t kSubword = 40;  // on the list of every source subword
  workspace_.write("lex.bin", shortlist_file(std::vector<std::vector<std::uint32_t>>(90, {kSubword}), 1));
  const auto list = (workspace_ / "lex.bin").string();
  std::set<std::string> others;  // than the source's own, which may be copied
  for (const auto& object : objects_of(trained().infer({"--json", "--min-length", "9", "--shortlist", list}, text_))) {
    const auto source = " " + object["source"].get<std::string>();
    for (auto token : object["tokens"].get<std::vector<std::string>>()) {
      if (token.starts_with("▁")) {
        token.replace(0, std::string("▁").size(), " ");
      }
      if (source.find(token) == std::string::npos) {
        others.insert(token);
      }
    }
  }
  EXPECT_LE(others.size(), 1U) << ::testing::PrintToString(others);
  workspace_.write("lex.bin", shortlist_file(std::vector<std::vector<std::uint32_t>>(89, {kSubword}), 1));
  const auto other = trained().infer({"--shortlist", list}, sentence_);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("it is for a vocabulary of 89 source subwords, but the model's has 90"));
}

TEST_F(Search, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<Arguments, std::string>> mistakes = {
      {{"--beam-size", "0"}, "--beam-size"},
      {{"--beam-size", "two"}, "--beam-size"},
      {{"--n-best", "5"}, "--n-best"},
      {{"--n-best", "0"}, "--n-best"},
      {{"--length-penalty", "nan"}, "--length-penalty"},
      {{"--length-penalty", "11"}, "--length-penalty"},
      {{"--length-penalty-kind", "short"}, "--length-penalty-kind"},
      {{"--min-length", "9", "--max-length", "8"}, "--min-length"},
      {{"--no-repeat-ngram", "-1"}, "--no-repeat-ngram"},
      {{"--repetition-penalty", "0"}, "--repetition-penalty"},
      {{"--temperature", "0.5"}, "--temperature"},
      {{"--sampling", "--temperature", "0"}, "--temperature"},
      {{"--sampling", "--top-p", "1.5"}, "--top-p"},
      {{"--top-k", "3"}, "--top-k"},
      {{"--sampling", "--beam-size", "2"}, "--beam-size"},
      {{"--seed", "-1"}, "--seed"},
      {{"--target", "held.fr"}, "--target"},
      {{"--score", "--prefixes"}, "--score"},
      {{"--score", "--n-best", "2"}, "--score"}};
  for (const auto& [arguments, name] : mistakes) {
    auto all = arguments;
    all.push_back(sentence_);
    const auto result = trained().infer(all);
    EXPECT_EQ(result.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(name));
  }
}

}  // namespace
}  // namespace translate
