#include "explain/attention_page.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "decoding/translator.h"
#include "model/memory_need.h"
#include "operators/operator_model.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AttentionPageTest : public ::testing::Test {
 protected:
  AttentionPageTest() {
    const auto sentences = sample_sentences(200, 1);
    const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
    Config config;
    config.model.d_model = 16;
    config.model.encoder_layers = 2;
    config.model.decoder_layers = 1;
    config.model.num_heads = 2;
    config.model.d_ff = 32;
    config.decoding.max_length = 6;
    const TokenizerPair tokenizers{tokenizer, tokenizer};
    at::manual_seed(4);
    auto model = trainer::build_transformer(config.model, vocabulary_sizes(tokenizers));
    model->eval();
    observed_ = std::make_unique<trainer::ObservedModel>(
        trainer::ObservedModel{.config = config, .tokenizers = tokenizers, .modules = std::move(model)});
  }

  [[nodiscard]] std::vector<Translation> translate(const std::vector<std::string>& lines) const {
    auto options = translator_options(observed_->config);
    options.warn = false;
    options.decoding = greedy_options(options.decoding);
    return Translator(trainer::make_inference_model(observed_->modules, c10::kCPU, Precision::kFp32),
                      observed_->tokenizers.source, observed_->tokenizers.target, options)
        .translate(lines);
  }

  /// The data that a page holds.
  [[nodiscard]] static nlohmann::json data_of(const std::string& html) {
    const std::string opening = R"(<script type="application/json" id="data">)";
    const auto begin = html.find(opening);
    EXPECT_NE(begin, std::string::npos);
    const auto end = html.find("</script>", begin);
    return nlohmann::json::parse(html.substr(begin + opening.size(), end - begin - opening.size()));
  }

  std::unique_ptr<trainer::ObservedModel> observed_;
};

TEST_F(AttentionPageTest, HoldsEveryHeadOfEveryLayer) {
  AttentionPage page(*observed_, "a model");
  const auto lines = sample_sentences(3, 7);
  for (const auto& translation : translate(lines)) {
    page.add(translation);
  }
  const auto data = data_of(page.html());
  EXPECT_EQ(data["title"], "a model");
  EXPECT_EQ(data["model"]["num_heads"], 2);
  ASSERT_EQ(data["sentences"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& sentence = data["sentences"][i];
    EXPECT_EQ(sentence["source"], lines[i]);
    const auto source = sentence["source_pieces"].size();
    const auto target = sentence["decoder_input"].size();
    EXPECT_EQ(sentence["output_pieces"].size(), target);
    EXPECT_EQ(sentence["probabilities"].size(), target);
    EXPECT_EQ(sentence["encoder"].size(), 2U);
    EXPECT_EQ(sentence["decoder"].size(), 1U);
    const auto& cross = sentence["cross"][0];
    ASSERT_EQ(cross.size(), 2U);
    for (const auto& head : cross) {
      ASSERT_EQ(head.size(), target);
      for (const auto& row : head) {
        ASSERT_EQ(row.size(), source);
        double sum = 0.0;
        for (const double weight : row) {
          sum += weight;
        }
        EXPECT_NEAR(sum, 1.0, 1e-3 * static_cast<double>(source));
      }
    }
    EXPECT_EQ(sentence["decoder"][0][0][0][target - 1], target == 1 ? 1.0 : 0.0);
  }
  EXPECT_EQ(data["positions"]["kind"], "sinusoidal");
  EXPECT_EQ(data["positions"]["values"].size(), 64U);
  EXPECT_EQ(data["positions"]["values"][0].size(), 16U);
}

TEST_F(AttentionPageTest, NothingInASentenceCanEndTheData) {
  AttentionPage page(*observed_, "</script><script>alert(1)</script>");
  page.add(translate({"a </script> b ATTENTION_DATA"}).front());
  const auto html = page.html();
  const auto data = data_of(html);
  EXPECT_EQ(data["title"], "</script><script>alert(1)</script>");
  EXPECT_EQ(data["sentences"][0]["source"], "a </script> b ATTENTION_DATA");
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
}

TEST_F(AttentionPageTest, ThePageNeedsNothingFromOutside) {
  const auto html = AttentionPage(*observed_, "a model").html();
  EXPECT_TRUE(data_of(html)["sentences"].empty());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));  // the browser refuses what the page might ask for
  for (const char* outside : {"http:", "https:", "src=", "@import", "fetch(", "stylesheet", "XMLHttpRequest"}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
}

TEST_F(AttentionPageTest, BlankLinesAddNothingAndAFullPageSaysSo) {
  AttentionPage page(*observed_, "a model");
  page.add(translate({"  "}).front());
  EXPECT_TRUE(data_of(page.html())["sentences"].empty());
  const auto one = translate({"a"}).front();
  for (std::int64_t i = 0; i < AttentionPage::kMostSentences; ++i) {
    page.add(one);
  }
  EXPECT_FALSE(page.is_overfull());
  page.add(one);
  EXPECT_TRUE(page.is_overfull());
  EXPECT_EQ(data_of(page.html())["sentences"].size(), static_cast<std::size_t>(AttentionPage::kMostSentences));
}

}  // namespace
}  // namespace translate::tools
