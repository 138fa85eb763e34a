#include "explain/learn/learn_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>

#include "core/error.h"
#include "explain/learn/page_tokenizer.h"
#include "support/error_of.h"
#include "text/base64.h"
#include "text/protocol_buffer.h"
#include "text/sentencepiece_file.h"
#include "text/tokenizer.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;

/// A model whose every weight is another number.
LoadedModel loaded(const ModelOptions& options = tiny_options()) {
  const auto model = tiny_model(options);
  return {.config = model.config, .tokenizers = model.tokenizers, .weights = model.weights, .origin = model.origin};
}

LearnPageOptions page_options(std::vector<std::string> sentences = {}) {
  LearnPageOptions options{.title = "en-fr/best", .sentences = std::move(sentences), .translating = {}};
  options.translating.max_source_length = 7;
  options.translating.language_tag = ">>fr<<";
  return options;
}

std::string page_of(const LoadedModel& model, const LearnPageOptions& options) {
  return learn_page(std::span(&model, 1), options);
}

/// The data that a page holds.
nlohmann::json data_of(const std::string& html) {
  const std::string opening = R"(<script type="application/json" id="data">)";
  const auto begin = html.find(opening);
  EXPECT_NE(begin, std::string::npos);
  const auto end = html.find("</script>", begin);
  return nlohmann::json::parse(html.substr(begin + opening.size(), end - begin - opening.size()));
}

TEST(LearnPageTest, HoldsEveryWeightByItsName) {
  const auto model = loaded();
  const auto data = data_of(page_of(model, page_options()));
  ASSERT_EQ(data["weights"].size(), model.weights.size());
  for (const auto& [name, array] : model.weights) {
    ASSERT_TRUE(data["weights"].contains(name)) << name;
    const auto& weight = data["weights"][name];
    EXPECT_EQ(weight["shape"].get<std::vector<std::int64_t>>(), array.shape);
    const auto numbers = as_floats(array, name);
    EXPECT_EQ(weight["values"], base64({reinterpret_cast<const char*>(numbers.get()), array.bytes()})) << name;
  }
}

TEST(LearnPageTest, HoldsConfigurationAndLimits) {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;
  options.activation = Activation::kGelu;
  const auto data = data_of(page_of(loaded(options), page_options({"the cat"})));
  EXPECT_EQ(data["title"], "en-fr/best");
  EXPECT_EQ(data["sentences"], nlohmann::json::array({"the cat"}));
  EXPECT_EQ(data["model"]["d_model"], 4);
  EXPECT_EQ(data["model"]["norm"], "post");
  EXPECT_EQ(data["model"]["layer_norm"], "torch");
  EXPECT_EQ(data["model"]["activation"], "gelu");
  EXPECT_EQ(data["limits"]["max_source_length"], 7);
  EXPECT_EQ(data["limits"]["source_sos"], true);
  EXPECT_TRUE(data["control_subwords"].empty());
  EXPECT_EQ(data["language_tag"], ">>fr<<");
  EXPECT_TRUE(data["tied"].empty());
}

TEST(LearnPageTest, NamesTheWeightsOfTiedParameters) {
  auto options = tiny_options();
  options.tie_embeddings = EmbeddingTying::kAll;
  const auto data = data_of(page_of(loaded(options), page_options()));
  EXPECT_EQ(data["tied"], (nlohmann::json{{"tgt_embed.embedding.weight", "src_embed.embedding.weight"},
                                          {"projection_layer.proj.weight", "src_embed.embedding.weight"}}));
}

TEST(LearnPageTest, HoldsASharedTokenizerOnce) {
  const auto model = loaded();
  const auto& tokenizer = model.tokenizers.source;
  const auto shared = data_of(page_of(model, page_options()))["tokenizers"];
  EXPECT_TRUE(shared["target"].is_null());
  ASSERT_EQ(shared["source"]["subwords"].size(), static_cast<std::size_t>(tokenizer.vocab_size()));
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    EXPECT_EQ(shared["source"]["subwords"][static_cast<std::size_t>(id)], tokenizer.subword(id));
  }
  EXPECT_EQ(shared["source"]["segmentation"], "bpe");
  EXPECT_EQ(shared["source"]["special"]["pad"], tokenizer.special_tokens().pad);

  const TokenizerPair two{tiny_tokenizer(), tiny_tokenizer(TokenizerType::kUnigram, "le chat dort")};
  const auto other = tiny_model(tiny_options(), two);
  const auto separate = data_of(page_of(
      {.config = other.config, .tokenizers = other.tokenizers, .weights = other.weights, .origin = other.origin},
      page_options()))["tokenizers"];
  EXPECT_EQ(separate["target"]["segmentation"], "unigram");
}

TEST(LearnPageTest, NothingInASentenceCanEndTheData) {
  const std::string hostile = "</script><script>alert(1)</script> LEARN_DATA";
  const auto html = page_of(loaded(), page_options({hostile}));
  EXPECT_EQ(data_of(html)["sentences"][0], hostile);
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
}

TEST(LearnPageTest, ThePageNeedsNothingFromOutside) {
  const auto html = page_of(loaded(), page_options());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));  // the browser refuses what the page might ask for
  for (const char* outside : {"http:", "https:", "src=", "@import", "fetch(", "stylesheet", "XMLHttpRequest"}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  EXPECT_THAT(html, Not(HasSubstr("/* include ")));  // files that the build should have put there
}

TEST(LearnPageTest, RefusesALargeModelByItsParameters) {
  auto model = loaded();
  model.config.model = ModelOptions();  // the paper's base model, before the weights are looked at
  const auto error = error_of<ConfigError>([&] { return page_of(model, page_options()); });
  EXPECT_THAT(error, HasSubstr("--learn: the model has 44"));
  EXPECT_THAT(error, HasSubstr("holds at most 4000000"));
}

TEST(LearnPageTest, RefusesDecodersThatItDoesNotCompute) {
  auto options = tiny_options();
  options.decoder = DecoderKind::kSsru;
  EXPECT_THAT(error_of<ConfigError>([&] { return page_of(loaded(options), page_options()); }),
              HasSubstr("this model's has recurrent units (model.decoder \"ssru\")"));
}

TEST(LearnPageTest, RefusesWeightsThatDoNotFit) {
  auto model = loaded();
  model.weights.pop_back();
  EXPECT_THAT(error_of<CheckpointError>([&] { return page_of(model, page_options()); }), HasSubstr("is missing"));
}

/// The tiny tokenizer with one more subword, of some kind.
Tokenizer with_subword(const std::string& text, SubwordKind kind) {
  constexpr std::uint64_t kSubwords = 1;  // keys of sentencepiece_model.proto
  constexpr std::uint64_t kText = 1;
  std::string subword;
  append_field(subword, kText, text);
  subword += {'\x18', static_cast<char>(kind)};  // the kind is field 3, a number
  std::string model = tiny_tokenizer().serialized();
  append_field(model, kSubwords, subword);
  return Tokenizer::from_serialized(model);
}

TEST(PageTokenizerTest, RefusesWhatThePageDoesNotCompute) {
  EXPECT_EQ(error_of<ConfigError>(
                [] { return page_tokenizer_json(with_subword("@@", SubwordKind::kUserDefined), "target"); }),
            "--learn: the target tokenizer has user-defined subwords, which the page does not compute");
  EXPECT_THAT(
      error_of<ConfigError>([] { return page_tokenizer_json(with_subword("@@", SubwordKind::kUnused), "source"); }),
      HasSubstr("the source tokenizer has unused subwords"));
}

}  // namespace
}  // namespace translate::tools
