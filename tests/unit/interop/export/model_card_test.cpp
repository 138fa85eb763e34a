#include "interop/export/model_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/interop/export/exported_fixture.h"

namespace translate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const CardSystem kSystem{.name = "Elsewhere", .library = "elsewhere", .use = "Use it.\n", .notes = {"A note."}};

TEST(ModelCard, TellsTheHubOfLanguagesTagsAndScore) {
  auto model = tiny_model();
  model.score = {.metric = BestMetric::kBleu, .value = 41.256};
  EXPECT_THAT(model_card(model, kSystem), StartsWith(R"(---
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

A Transformer that translates English to French, for Elsewhere.)"));
}

TEST(ModelCard, TellsOfSizesUpdatesAndSignature) {
  auto model = tiny_model();
  model.step = 1234567;
  model.score = {.metric = BestMetric::kBleu, .value = 41.256, .signature = "nrefs:1|case:mixed"};
  const auto card = model_card(model, kSystem);
  EXPECT_THAT(card, HasSubstr("| model | 1 encoder and 1 decoder layers of width 4, 2 heads, feed-forward width 6, "
                              "pre-norm |\n"));
  EXPECT_THAT(card, HasSubstr("| updates | 1,234,567 |\n"));
  EXPECT_THAT(card, HasSubstr(R"(| BLEU on the validation set | 41.26 (greedy; nrefs:1\|case:mixed) |)"));
  EXPECT_THAT(card, HasSubstr("## Use\n\nUse it.\n\nA note.\n"));
}

TEST(ModelCard, NamesFilesWithoutTheirFolders) {
  auto model = tiny_model();
  model.config.data.train = {{.source = "/home/somebody/a.en.gz", .target = "/home/somebody/a.fr.gz"}};
  const auto card = model_card(model, kSystem);
  EXPECT_THAT(card, HasSubstr("| training text | `a.en.gz`, `a.fr.gz` |\n"));
  EXPECT_THAT(card, Not(HasSubstr("somebody")));
  EXPECT_THAT(card, Not(HasSubstr("validation")));  // nothing is known of it
}

TEST(ModelCard, LeavesUnknownLanguagesOut) {
  auto model = tiny_model();
  model.languages = {};
  const auto card = model_card(model, kSystem);
  EXPECT_THAT(card, Not(HasSubstr("language:\n")));
  EXPECT_THAT(card, HasSubstr("translates the source language to the target language, for Elsewhere"));
}

TEST(ModelCard, TellsOfMeans) {
  auto model = tiny_model();
  model.is_average = true;
  EXPECT_THAT(model_card(model, kSystem),
              HasSubstr("| updates | the mean of several checkpoints, the newest after 1,500 |"));
}

}  // namespace
}  // namespace translate::testing
