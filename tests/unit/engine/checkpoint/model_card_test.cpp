#include "checkpoint/model_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const CardSystem kSystem{.name = "Elsewhere", .library = "elsewhere", .use = "Use it.\n", .notes = {"A note."}};

/// What a card is made of.
struct Model {
  Config config;
  TokenizerPair tokenizers;
  ModelFacts facts;
};

Model tiny_model() {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(100)});
  Model model{.config = {},
              .tokenizers = {tokenizer, tokenizer},
              .facts = {.title = "en-fr/best",
                        .directions = {{.source = "en", .target = "fr", .tag = {}}},
                        .step = 1500,
                        .score = {},
                        .is_average = false}};
  auto& options = model.config.model;
  options.encoder_layers = 1;
  options.decoder_layers = 1;
  options.d_model = 4;
  options.num_heads = 2;
  options.d_ff = 6;
  return model;
}

std::string card(const Model& model) { return model_card(model.config, model.tokenizers, model.facts, kSystem); }

TEST(ModelCard, TellsTheHubOfLanguagesTagsAndScore) {
  auto model = tiny_model();
  model.facts.score = {.metric = BestMetric::kBleu, .value = 41.256, .signature = {}};
  EXPECT_THAT(card(model), StartsWith(R"(---
language:
- "en"
- "fr"
library_name: elsewhere
pipeline_tag: translation
tags:
- translation
- elsewhere
model-index:
- name: "en-fr/best"
  results:
  - task:
      type: translation
      name: Translation en-fr
    dataset:
      type: text
      name: the validation set of the training
    metrics:
    - type: bleu
      value: 41.26
      name: BLEU
---

# en-fr/best

A Transformer that translates English to French, for Elsewhere, written by translate )"));
}

TEST(ModelCard, TellsOfTheLicenceIfItIsKnown) {
  auto model = tiny_model();
  EXPECT_THAT(card(model), Not(HasSubstr("licen")));
  model.facts.license = "CC-BY-4.0";
  EXPECT_THAT(card(model), HasSubstr("- \"fr\"\nlicense: \"CC-BY-4.0\"\nlibrary_name"));
  EXPECT_THAT(card(model), HasSubstr("| licence | CC-BY-4.0 |"));
}

TEST(ModelCard, TellsOfSizesUpdatesAndSignature) {
  auto model = tiny_model();
  model.facts.step = 1234567;
  model.facts.score = {.metric = BestMetric::kBleu, .value = 41.256, .signature = "nrefs:1|case:mixed"};
  EXPECT_THAT(card(model), HasSubstr("| model | 1 encoder and 1 decoder layers of width 4, 2 heads, feed-forward width "
                                     "6, pre-norm |\n"));
  EXPECT_THAT(card(model), HasSubstr("| updates | 1,234,567 |\n"));
  EXPECT_THAT(card(model), HasSubstr(R"(| BLEU on the validation set | 41.26 (greedy; nrefs:1\|case:mixed) |)"));
  EXPECT_THAT(card(model), HasSubstr("## Use\n\nUse it.\n\nA note.\n"));
  model.facts.score = {.metric = BestMetric::kLoss, .value = 1.5, .signature = {}};
  EXPECT_THAT(card(model), HasSubstr("| loss on the validation set | 1.5000 |\n"));
  model.facts.score = {.metric = BestMetric::kChrf, .value = 55.5, .signature = "nrefs:1|eff:yes"};
  EXPECT_THAT(card(model), HasSubstr(R"(| chrF on the validation set | 55.50 (greedy; nrefs:1\|eff:yes) |)"));
  EXPECT_THAT(card(model), HasSubstr("    - type: chrf\n      value: 55.50\n      name: chrF\n"));
}

TEST(ModelCard, NamesFilesWithoutTheirFolders) {
  auto model = tiny_model();
  model.config.data.train = {{.source = "/home/somebody/a.en.gz", .target = "/home/somebody/a.fr.gz"}};
  EXPECT_THAT(card(model), HasSubstr("| training text | `a.en.gz`, `a.fr.gz` |\n"));
  EXPECT_THAT(card(model), Not(HasSubstr("somebody")));
  EXPECT_THAT(card(model), Not(HasSubstr("validation")));  // nothing is known of it
}

TEST(ModelCard, LeavesUnknownLanguagesOut) {
  auto model = tiny_model();
  model.facts.directions = {};
  EXPECT_THAT(card(model), Not(HasSubstr("language:\n")));
  EXPECT_THAT(card(model), HasSubstr("translates the source language to the target language, for Elsewhere"));
}

TEST(ModelCard, TellsOfAllDirectionsAndTheirTags) {
  auto model = tiny_model();
  model.facts.score = {.metric = BestMetric::kBleu, .value = 41.256, .signature = {}};
  model.facts.directions = {
      {"en", "fr", ">>fr<<"}, {"en", "de", ">>de<<"}, {"fr", "en", ">>en<<"}, {"de", "en", ">>en<<"}};
  EXPECT_THAT(card(model), StartsWith("---\nlanguage:\n- \"en\"\n- \"fr\"\n- \"de\"\nlibrary_name"));
  EXPECT_THAT(card(model), HasSubstr("name: Translation\n"));
  EXPECT_THAT(card(model), HasSubstr("translates English to French and German, and French to English, and German to "
                                     "English, for Elsewhere"));
  EXPECT_THAT(card(model), HasSubstr("\nA text begins with the tag of the language that it is translated into: "
                                     "`>>fr<<`, `>>de<<` and `>>en<<`.\n\n## Use"));
}

TEST(ModelCard, TellsOfMeans) {
  auto model = tiny_model();
  model.facts.is_average = true;
  EXPECT_THAT(card(model), HasSubstr("| updates | the mean of several checkpoints, the newest after 1,500 |"));
}

TEST(ModelCard, OfACheckpointShowsTheseProgramsAndTheExports) {
  auto model = tiny_model();
  const auto own_card = [&] { return checkpoint_card(model.config, model.tokenizers, model.facts); };
  EXPECT_THAT(own_card(), HasSubstr("translates English to French, written by"));
  EXPECT_THAT(own_card(), HasSubstr("\ntranslate-infer --checkpoint . \"The cat sat.\"\n"));
  EXPECT_THAT(own_card(), HasSubstr("\ntranslate-export --format huggingface . "));
  model.facts.directions = {{"en", "fr", ">>fr<<"}, {"en", "de", ">>de<<"}};
  EXPECT_THAT(own_card(), HasSubstr("translate-infer --checkpoint . --target-language fr \"The cat sat.\"\n"));
}

TEST(ModelCard, KnowsOnlyDirectionsOfKnownLanguages) {
  EXPECT_THAT(known_directions({{"source", "target", ""}}), ::testing::IsEmpty());
  EXPECT_THAT(known_directions({{"source", "fr", ""}, {"en", "fr", ""}}), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace translate::testing
