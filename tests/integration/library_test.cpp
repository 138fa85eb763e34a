// The interface for other programs, include/translate, against translate-infer.
#include <gmock/gmock.h>
#include <translate/translate.h>

#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/temporary_folder.h"
#include "core/threads.h"
#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using translate_mt::Model;
using translate_mt::Options;

std::string run_folder() { return (trained() / "runs/tiny").string(); }

/// The options of translate-infer that give the same results.
const Options kPlain = {{"precision", "fp32"}, {"device", "cpu"}};

std::string message_of(const auto& work) {
  try {
    work();
  } catch (const translate_mt::Error& error) {
    return (error.is_mistake() ? "mistake: " : "failure: ") + std::string(error.what());
  }
  return "no error";
}

TEST(Library, TranslatesAsTheProgramDoes) {
  auto lines = small_corpus().source;
  lines.resize(5);
  lines.push_back("");
  lines.push_back(lines[0] + ". " + lines[1] + ".");
  const auto program = trained().infer(
      {"--precision", "fp32", "--device", "cpu", "--json", "--n-best", "3", "--alignments", "--word-scores"},
      join_lines(lines));
  ASSERT_EQ(program.exit_code, 0) << program.err;
  const auto wanted = split_lines(program.out);

  Options options = {{"precision", "fp32"}, {"device", "cpu"}, {"n_best", "3"}, {"alignments", "true"}};
  options.set("word_scores", "true");
  Model model(run_folder() + "/latest", options);
  const auto found = model.translate(lines);
  ASSERT_EQ(found.size(), lines.size());
  ASSERT_EQ(wanted.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto json = Json::parse(wanted[i]);
    EXPECT_EQ(found[i].text, json["translation"]);
    EXPECT_EQ(found[i].score, json["score"]);
    EXPECT_EQ(found[i].is_truncated, json["truncated"]);
    EXPECT_EQ(found[i].word_scores.size(), json["word_scores"].size());
    EXPECT_EQ(found[i].alignment.size(), json["alignment"].size());
    ASSERT_EQ(found[i].candidates.size(), std::max<std::size_t>(json["nbest"].size(), 1));
    for (std::size_t n = 0; n < json["nbest"].size(); ++n) {
      EXPECT_EQ(found[i].candidates[n].text, json["nbest"][n]["translation"]);
      EXPECT_EQ(found[i].candidates[n].normalized_score, json["nbest"][n]["normalized_score"]);
    }
  }
  EXPECT_EQ(model.translate(lines[0]), found[0].text);
  EXPECT_TRUE(model.translate(std::vector<std::string>()).empty());
}

TEST(Library, ScoresTranslations) {
  const auto corpus = small_corpus();
  Model model(run_folder() + "/latest", kPlain);
  const auto translation = model.translate(std::vector{corpus.source[0]}).front();
  const auto scored = model.score({corpus.source[0], corpus.source[1]}, {translation.text, corpus.target[1]});
  ASSERT_EQ(scored.size(), 2U);
  EXPECT_EQ(scored[1].text, corpus.target[1]);
  EXPECT_LT(scored[1].score, 0.0);
  EXPECT_THAT(message_of([&] { (void)model.score({"a"}, {}); }), HasSubstr("mistake"));
}

TEST(Library, ThreadsMayShareAModel) {
  auto lines = small_corpus().source;
  lines.resize(6);
  Model model(run_folder() + "/latest", kPlain);
  const auto wanted = model.translate(lines);
  std::vector<std::string> found(lines.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    threads.emplace_back([&, i] { found[i] = model.translate(lines[i]); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(found[i], wanted[i].text);
  }
}

TEST(Library, ErrorsSayWhoseFaultItIs) {
  const auto open = [](const std::string& checkpoint, const Options& options = kPlain) {
    return message_of([&] { (void)Model(checkpoint, options); });
  };
  EXPECT_THAT(open("/nowhere/at/all"), HasSubstr("mistake: "));
  EXPECT_THAT(open(run_folder() + "/step-7"), HasSubstr("mistake: "));
  EXPECT_THAT(open(run_folder() + "/latest", {{"device", "nonsense"}}), HasSubstr("nonsense"));
  EXPECT_THAT(open(run_folder() + "/latest", {{"n_best", "9"}, {"beam_size", "2"}, {"device", "cpu"}}),
              HasSubstr("n_best"));

  Options options;
  const auto set = [&](const std::string& name, const std::string& value) {
    return message_of([&] { options.set(name, value); });
  };
  EXPECT_THAT(set("beam_sise", "5"), HasSubstr("did you mean `beam_size`"));
  EXPECT_THAT(set("beam_size", "0"),
              HasSubstr("option: decoding.beam_size: expected an integer from 1 to 1000, got 0"));
  EXPECT_THAT(set("beam_size", ""), HasSubstr("option: decoding.beam_size"));
  EXPECT_THAT(set("precision", "fp8"), HasSubstr("expected one of auto, fp32, bf16, int8, got \"fp8\""));
  EXPECT_THAT(set("threads", "-1"), HasSubstr("an integer from 0 to 4096"));
  EXPECT_THAT(set("threads", "2x"), HasSubstr("an integer from 0 to 4096"));
  EXPECT_THAT(set("alignments", "1"), HasSubstr("expected true or false"));
  EXPECT_EQ(set("beam_size", "2"), "no error");
  EXPECT_THAT(message_of([] { translate_mt::set_log_level("loud"); }), HasSubstr("debug, info, warning"));
}

TEST(Library, LoadsTheOperatorsIfItNeedsThem) {
  const auto sentence = small_corpus().source[0];
  const auto threads = kernel_threads();
  const auto before = Model(run_folder() + "/latest", kPlain).translate(sentence);
  EXPECT_FALSE(before.empty());
  Model bf16(run_folder() + "/latest", {{"precision", "bf16"}, {"device", "cpu"}});
  EXPECT_FALSE(bf16.translate(sentence).empty());
  EXPECT_EQ(translate_mt::version(), "0.1.0");
  set_kernel_threads(threads);
}

TEST(Library, TheCInterfaceNeedsNoPlaceForErrors) {
  EXPECT_EQ(translate_open("/nowhere", nullptr, nullptr), nullptr);
  translate_error_free(nullptr);
  translate_result_free(nullptr);
  translate_close(nullptr);
  translate_options_free(nullptr);
  translate_model* model = translate_open((run_folder() + "/latest").c_str(), kPlain.get(), nullptr);
  ASSERT_NE(model, nullptr);
  const char* const lines[] = {"caf\xE9"};
  translate_error* error = nullptr;
  translate_result* result = translate_lines(model, lines, 1, &error);
  ASSERT_NE(result, nullptr) << translate_error_message(error);
  EXPECT_EQ(translate_result_candidates(result, 0), 1U);
  EXPECT_EQ(translate_result_candidates(result, 1), 0U);
  EXPECT_EQ(translate_result_text(result, 0, 1), nullptr);
  EXPECT_EQ(translate_result_score(result, 7, 0), 0.0);
  std::size_t count = 9;
  EXPECT_EQ(translate_result_alignment(result, 0, 0, &count), nullptr);
  EXPECT_EQ(count, 0U);
  translate_close(model);
  EXPECT_NE(translate_result_text(result, 0, 0), nullptr) << "results outlive their model";
  translate_result_free(result);
}

/// The message of the error that a function of the C interface reports, which must return NULL or 0.
std::string refusal(const auto& call) {
  translate_error* error = nullptr;
  EXPECT_FALSE(call(&error));
  if (error == nullptr) {
    return "no error";
  }
  EXPECT_EQ(translate_error_is_mistake(error), 1);
  const std::string message = translate_error_message(error);
  translate_error_free(error);
  return message;
}

/// The same, to be changed.
Options plain_options() { return {{"precision", "fp32"}, {"device", "cpu"}}; }

TEST(Library, TranslationsHaveTheTermsOfAGlossary) {
  const std::string line = "The cat sat.";
  const auto plain = Model(run_folder() + "/latest", kPlain).translate(line);
  EXPECT_EQ(Model(run_folder() + "/latest", plain_options().add_term("dog", "chat")).translate(line), plain);
  EXPECT_THAT(Model(run_folder() + "/latest", plain_options().add_term("cat", "table").add_term("cat", "chien"))
                  .translate(line),
              HasSubstr("table"));
  const TemporaryFolder folder;
  const auto file = (folder.path() / "terms.tsv").string();
  std::ofstream(file) << "cat\ttable\nsat\tchien\n";
  EXPECT_THAT(
      Model(run_folder() + "/latest", plain_options().set("glossary", file).add_term("cat", "jardin")).translate(line),
      AllOf(HasSubstr("jardin"), HasSubstr("chien")));
  EXPECT_THAT(message_of([] { Options().add_term("cat", " "); }), HasSubstr("the target term is empty"));
  EXPECT_THAT(message_of([&] { Model(run_folder() + "/latest", plain_options().set("glossary", "missing.tsv")); }),
              HasSubstr("missing.tsv"));
  EXPECT_THAT(message_of([&] {
                Model(run_folder() + "/latest", plain_options().set("sampling", "true").add_term("cat", "chat"));
              }),
              HasSubstr("samples are drawn freely"));
}

TEST(Library, TermsThatATranslationLacksAreNamed) {
  const std::vector<std::string> lines = {"The cat sat.", "A dog slept."};
  const std::string target = "jardin table jardin table jardin table";
  auto options = plain_options();
  options.set("max_length", "3").set("n_best", "2").add_term("cat", target);
  const auto found = Model(run_folder() + "/latest", options).translate(lines);
  EXPECT_THAT(found[0].missing_terms, ElementsAre(target));
  for (const auto& candidate : found[0].candidates) {
    EXPECT_THAT(candidate.missing_terms, ElementsAre(target));
  }
  EXPECT_THAT(found[1].missing_terms, IsEmpty());
}

TEST(Library, NullIsAMistakeOfTheCaller) {
  const auto model = std::unique_ptr<translate_model, decltype(&translate_close)>(
      translate_open((run_folder() + "/latest").c_str(), kPlain.get(), nullptr), &translate_close);
  ASSERT_NE(model, nullptr);
  auto* const options = translate_options_new();
  const char* const lines[] = {"a", nullptr};
  const auto expected = [](const std::string& name) { return name + ": expected a pointer, got NULL"; };
  EXPECT_EQ(refusal([](auto e) { return translate_set_log_level(nullptr, e); }),
            expected("translate_set_log_level: level"));
  EXPECT_EQ(refusal([](auto e) { return translate_options_set(nullptr, "seed", "1", e); }),
            expected("translate_options_set: options"));
  EXPECT_EQ(refusal([&](auto e) { return translate_options_set(options, nullptr, "1", e); }),
            expected("translate_options_set: name"));
  EXPECT_EQ(refusal([&](auto e) { return translate_options_set(options, "seed", nullptr, e); }),
            expected("option seed"));
  EXPECT_EQ(refusal([&](auto e) { return translate_options_add_term(options, nullptr, "b", e); }),
            expected("translate_options_add_term: source"));
  EXPECT_EQ(refusal([&](auto e) { return translate_options_add_term(options, "a", nullptr, e); }),
            expected("translate_options_add_term: target"));
  EXPECT_EQ(refusal([](auto e) { return translate_open(nullptr, nullptr, e); }),
            expected("translate_open: checkpoint"));
  EXPECT_EQ(refusal([&](auto e) { return translate_lines(nullptr, lines, 1, e); }), expected("translate_lines: model"));
  EXPECT_EQ(refusal([&](auto e) { return translate_lines(model.get(), nullptr, 1, e); }),
            expected("translate_lines: lines"));
  EXPECT_EQ(refusal([&](auto e) { return translate_lines(model.get(), lines, 2, e); }),
            expected("translate_lines: lines[1]"));
  EXPECT_EQ(refusal([&](auto e) { return translate_score(nullptr, lines, lines, 1, e); }),
            expected("translate_score: model"));
  EXPECT_EQ(refusal([&](auto e) { return translate_score(model.get(), nullptr, lines, 1, e); }),
            expected("translate_score: sources"));
  EXPECT_EQ(refusal([&](auto e) { return translate_score(model.get(), lines, nullptr, 1, e); }),
            expected("translate_score: targets"));
  EXPECT_EQ(refusal([&](auto e) { return translate_score(model.get(), lines, lines, 2, e); }),
            expected("translate_score: sources[1]"));
  translate_options_free(options);
}

TEST(Library, NullIsNothingWhereNothingCanFail) {
  EXPECT_STREQ(translate_error_message(nullptr), "");
  EXPECT_EQ(translate_error_is_mistake(nullptr), 0);
  EXPECT_EQ(translate_result_lines(nullptr), 0U);
  EXPECT_EQ(translate_result_candidates(nullptr, 0), 0U);
  EXPECT_EQ(translate_result_text(nullptr, 0, 0), nullptr);
  EXPECT_EQ(translate_result_score(nullptr, 0, 0), 0.0);
  EXPECT_EQ(translate_result_normalized_score(nullptr, 0, 0), 0.0);
  EXPECT_EQ(translate_result_is_truncated(nullptr, 0, 0), 0);
  std::size_t count = 9;
  EXPECT_EQ(translate_result_alignment(nullptr, 0, 0, &count), nullptr);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(translate_result_alignment(nullptr, 0, 0, nullptr), nullptr);
  EXPECT_EQ(translate_result_word_scores(nullptr, 0, 0, nullptr), nullptr);
  count = 9;
  EXPECT_EQ(translate_result_missing_terms(nullptr, 0, 0, &count), nullptr);
  EXPECT_EQ(count, 0U);
}

TEST(Library, CountsThatCannotBeRightAreRefused) {
  const auto model = std::unique_ptr<translate_model, decltype(&translate_close)>(
      translate_open((run_folder() + "/latest").c_str(), kPlain.get(), nullptr), &translate_close);
  ASSERT_NE(model, nullptr);
  const char* const lines[] = {"a"};
  for (const auto count : {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 8}) {
    EXPECT_THAT(refusal([&](auto e) { return translate_lines(model.get(), lines, count, e); }),
                AllOf(HasSubstr("translate_lines: lines: expected a count of at most"),
                      HasSubstr("got " + std::to_string(count))));
    EXPECT_THAT(refusal([&](auto e) { return translate_score(model.get(), lines, lines, count, e); }),
                HasSubstr("translate_score: sources: expected a count"));
  }
  translate_error* error = nullptr;
  auto* const nothing = translate_lines(model.get(), nullptr, 0, &error);
  ASSERT_NE(nothing, nullptr) << translate_error_message(error);
  EXPECT_EQ(translate_result_lines(nothing), 0U);
  translate_result_free(nothing);
}

TEST(Library, ANulByteDoesNotEndATextInSilence) {
  const std::string text("the\0cat", 7);
  Model model(run_folder() + "/latest", kPlain);
  EXPECT_EQ(message_of([&] {
              (void)model.translate(std::vector<std::string>{"a", text});
            }),
            "mistake: line 2: expected text without NUL bytes, found one at byte 4");
  EXPECT_THAT(message_of([&] { (void)model.translate(text); }), HasSubstr("line 1: expected text without NUL bytes"));
  EXPECT_THAT(message_of([&] { (void)model.score({text}, {"a"}); }), HasSubstr("source 1: expected text without NUL"));
  EXPECT_THAT(message_of([&] { (void)model.score({"a"}, {text}); }), HasSubstr("target 1: expected text without NUL"));
  EXPECT_THAT(message_of([&] { (void)Model(run_folder() + text); }),
              HasSubstr("checkpoint: expected text without NUL"));
  Options options;
  EXPECT_THAT(message_of([&] { options.set("seed", std::string("1\0", 2)); }), HasSubstr("option seed: expected text"));
  EXPECT_THAT(message_of([&] { options.set(std::string("seed\0", 5), "1"); }),
              HasSubstr("name of an option: expected"));
  EXPECT_THAT(message_of([] { translate_mt::set_log_level(std::string("info\0", 5)); }),
              HasSubstr("log level: expected"));
}

}  // namespace
}  // namespace translate
