// Translating, scoring, explaining and serving on a device that is not the CPU.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "decoding/ensemble_model.h"
#include "decoding/model_source.h"
#include "explain/attention_page.h"
#include "metrics/bleu.h"
#include "operators/operator_model.h"
#include "serve/request_queue.h"
#include "tensors/device_memory.h"
#include "unit/simulated_device/device_run.h"

namespace translate {
namespace {

/// A model that was trained on the CPU, and its translations on either device.
class DecodingOnDevice : public DeviceRun {
 protected:
  DecodingOnDevice() {
    auto config = small_config("run");
    config.training.max_steps = 120;
    config.training.log_every = 60;
    config.training.validate_every = {1000};
    config.training.checkpoint_every = {60};
    trainer::train(config, /*start=*/{}, c10::kCPU);
    config_ = config;
  }

  [[nodiscard]] std::vector<LoadedModel> load(const std::string& checkpoint) const {
    CheckpointOptions options;
    options.checkpoint = checkpoint;
    options.run_dir = config_.run_dir;
    return ModelSource(options, Verify::kFull).load_all();
  }

  /// A translator over a checkpoint's model by LibTorch's operators in fp32.
  [[nodiscard]] Translator translator_on(const c10::Device& device, const std::string& checkpoint = "latest") const {
    const auto models = load(checkpoint);
    auto options = options_for_models(models);
    options.decoding = decoding_;
    options.alignments = true;
    options.word_scores = true;
    options.warn = false;
    const auto& tokenizers = models.front().tokenizers;
    return {std::make_shared<trainer::OperatorModel>(trainer::make_modules(models.front(), device), device,
                                                     Precision::kFp32),
            tokenizers.source, tokenizers.target, options};
  }

  static void expect_same(const std::vector<Translation>& found, const std::vector<Translation>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].text, expected[i].text);
      EXPECT_NEAR(found[i].score, expected[i].score, 1e-3);
      EXPECT_EQ(found[i].alignment, expected[i].alignment);
      ASSERT_EQ(found[i].nbest.size(), expected[i].nbest.size());
      for (std::size_t k = 0; k < found[i].nbest.size(); ++k) {
        EXPECT_NEAR(found[i].nbest[k].score, expected[i].nbest[k].score, 1e-3);
      }
    }
  }

  static std::vector<std::string> texts_of(const std::vector<Translation>& translations) {
    std::vector<std::string> texts;
    for (const auto& translation : translations) {
      texts.push_back(translation.text);
    }
    return texts;
  }

  Config config_;
  DecodingOptions decoding_;
  const std::vector<std::string> lines_ = sample_sentences(12, 1);  // of the training text
};

TEST_F(DecodingOnDevice, SearchesFindWhatTheyFindOnTheCpu) {
  for (const std::int64_t beam : {1, 4}) {
    decoding_.beam_size = beam;
    decoding_.n_best = beam;
    const auto expected = translator_on(c10::kCPU).translate(lines_);
    expect_same(translator_on(device_).translate(lines_), expected);
    EXPECT_GT(corpus_bleu(texts_of(expected), lines_).score, 1.0);  // it has learnt something
  }
}

TEST_F(DecodingOnDevice, SamplingDrawsTheSameTranslations) {
  decoding_.sampling = true;
  decoding_.top_k = 5;
  decoding_.beam_size = 1;
  EXPECT_EQ(texts_of(translator_on(device_).translate(lines_)), texts_of(translator_on(c10::kCPU).translate(lines_)));
}

TEST_F(DecodingOnDevice, AveragesAndScores) {
  std::vector<ScoringPair> pairs;
  for (const auto& line : lines_) {
    pairs.push_back({line, line});
  }
  for (const char* checkpoint : {"latest", "average:2"}) {
    const auto found = translator_on(device_, checkpoint).score(pairs);
    const auto expected = translator_on(c10::kCPU, checkpoint).score(pairs);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, expected[i].score, 1e-3);
    }
  }
}

TEST_F(DecodingOnDevice, InBf16ScoresAreNearThoseOfTheCpu) {
  const auto models = load("latest");
  auto options = options_for_models(models);
  options.warn = false;
  const auto& tokenizers = models.front().tokenizers;
  Translator translator(
      trainer::make_inference_model(trainer::make_modules(models.front(), device_), device_, Precision::kBf16),
      tokenizers.source, tokenizers.target, options);
  std::vector<ScoringPair> pairs;
  for (const auto& line : lines_) {
    pairs.push_back({line, line});
  }
  const auto found = translator.score(pairs);
  const auto expected = translator_on(c10::kCPU).score(pairs);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].score, expected[i].score, 0.05 * std::abs(expected[i].score));
  }
}

TEST_F(DecodingOnDevice, AnEnsembleTranslates) {
  const auto models = load("latest,step-60");
  ASSERT_EQ(models.size(), 2U);
  const auto on = [&](const c10::Device& device) {
    auto options = options_for_models(models);
    options.warn = false;
    std::vector<std::shared_ptr<const InferenceModel>> both;
    for (const auto& model : models) {
      both.push_back(trainer::make_inference_model(trainer::make_modules(model, device), device, Precision::kFp32));
    }
    const auto& tokenizers = models.front().tokenizers;
    Translator translator(std::make_shared<EnsembleModel>(std::move(both)), tokenizers.source, tokenizers.target,
                          options);
    return texts_of(translator.translate(lines_));
  };
  EXPECT_EQ(on(device_), on(c10::kCPU));
}

TEST_F(DecodingOnDevice, ExplainsAndDrawsAttention) {
  const auto translations = translator_on(c10::kCPU).translate(lines_);
  const auto view_on = [&](const c10::Device& device) {
    const auto loaded = load("latest").front();
    OutputOptions options;
    options.viewing.explain = true;
    options.viewing.layer = 1;
    options.viewing.attention = folder_ / "attention.html";
    tools::ModelViewer viewer(options,
                              {.config = loaded.config,
                               .tokenizers = loaded.tokenizers,
                               .modules = trainer::make_modules(loaded, device),
                               .device = device,
                               .precision = Precision::kFp32},
                              "a model");
    viewer.add(translations[0]);
    viewer.finish();
    return viewer.explanation_text(translations[0]);
  };
  const auto expected = view_on(c10::kCPU);
  const auto found = view_on(device_);
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_EQ(found.substr(0, found.size() / 10), expected.substr(0, expected.size() / 10));
}

TEST_F(DecodingOnDevice, ServesRequestsOfSeveralThreads) {
  const auto expected = texts_of(translator_on(c10::kCPU).translate(lines_));
  auto translator = translator_on(device_);
  tools::RequestQueue queue([&](LineSource& lines) { translator.translate(lines); }, {});
  std::vector<std::future<std::vector<tools::Candidates>>> answers;
  for (const auto& line : lines_) {
    answers.push_back(std::async(std::launch::async, [&queue, line] {
      return queue.translate({{.text = line}}, tools::RequestQueue::Clock::now() + std::chrono::minutes(5));
    }));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].get().front().front().text, expected[i]);
  }
}

}  // namespace
}  // namespace translate
