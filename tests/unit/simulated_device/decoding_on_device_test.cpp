// Translating, scoring, explaining and serving on a device that is not the CPU.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "decoding/model_source.h"
#include "eval/eval_program.h"
#include "explain/attention_page.h"
#include "inference/arithmetic.h"
#include "metrics/bleu.h"
#include "operators/libtorch_backend.h"
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
    run_training(config, /*start=*/{}, c10::kCPU);
    config_ = config;
  }

  [[nodiscard]] std::vector<LoadedModel> load(const ModelBackend& backend, const std::string& checkpoint) const {
    CheckpointOptions options;
    options.checkpoint = checkpoint;
    options.run_dir = config_.run_dir;
    return ModelSource(options, Verify::kFull).load_all(backend);
  }

  /// A translator over a checkpoint's model by LibTorch's operators in fp32.
  [[nodiscard]] Translator translator_on(const c10::Device& device, const std::string& checkpoint = "latest") const {
    const LibTorchBackend backend(device);
    const auto models = load(backend, checkpoint);
    auto options = options_for_models(models, kind_of(device), "fp32", /*exact=*/true);
    options.decoding = decoding_;
    options.alignments = true;
    options.word_scores = true;
    options.warn = false;
    const auto& tokenizers = models.front().tokenizers;
    return {std::make_shared<OperatorModel>(make_modules(models.front(), device), device, Precision::kFp32),
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
    for (const auto& translation : translations) texts.push_back(translation.text);
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
  for (const auto& line : lines_) pairs.push_back({line, line});
  for (const char* checkpoint : {"latest", "average:2"}) {
    const auto found = translator_on(device_, checkpoint).score(pairs);
    const auto expected = translator_on(c10::kCPU, checkpoint).score(pairs);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i].score, expected[i].score, 1e-3);
  }
}

TEST_F(DecodingOnDevice, TheBackendChoosesOperatorsAndBf16) {
  const LibTorchBackend backend(device_);
  const auto models = load(backend, "latest");
  EXPECT_EQ(arithmetic_of("auto", DeviceKind::kGpu, models.front().config.model).precision, Precision::kBf16);
  auto options = options_for_models(models, DeviceKind::kGpu, "auto", /*exact=*/false);
  options.warn = false;
  auto translator = make_translator(backend, models, options);
  std::vector<ScoringPair> pairs;
  for (const auto& line : lines_) pairs.push_back({line, line});
  const auto found = translator.score(pairs);
  const auto expected = translator_on(c10::kCPU).score(pairs);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].score, expected[i].score, 0.05 * std::abs(expected[i].score));
  }
}

TEST_F(DecodingOnDevice, AnEnsembleTranslates) {
  const LibTorchBackend backend(device_);
  const auto models = load(backend, "latest,step-60");
  ASSERT_EQ(models.size(), 2U);
  const auto on = [&](const c10::Device& device) {
    auto options = options_for_models(models, kind_of(device), "fp32", /*exact=*/true);
    options.warn = false;
    return texts_of(make_translator(LibTorchBackend(device), models, options).translate(lines_));
  };
  EXPECT_EQ(on(device_), on(c10::kCPU));
}

TEST_F(DecodingOnDevice, TheEvaluationProgramFindsTheScoresOfTheCpu) {
  const auto evaluation_on = [&](const c10::Device& device) {
    std::vector<std::string> words = {
        "translate-eval", "--run-dir", config_.run_dir, "--split", "validation",   "--precision", "fp32",
        "--json",         "--quiet",   "--beam-size",   "2",       "--checkpoint", "average:2"};
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    int starts = 0;
    ::testing::internal::CaptureStdout();
    const int code = run_eval(static_cast<int>(arguments.size()), arguments.data(), [&](const CommonOptions&) {
      ++starts;
      return std::make_unique<LibTorchBackend>(device);
    });
    const auto printed = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    EXPECT_EQ(starts, 1);
    auto report = nlohmann::json::parse(printed);
    report.erase("seconds");
    return report;
  };
  const auto expected = evaluation_on(c10::kCPU);
  EXPECT_EQ(evaluation_on(device_), expected);
  EXPECT_EQ(expected.at("sentences"), 8);
  for (const auto& metric : metric_names()) {
    EXPECT_TRUE(expected.contains(metric)) << metric;
  }
}

TEST_F(DecodingOnDevice, ExplainsAndDrawsAttention) {
  const auto translations = translator_on(c10::kCPU).translate(lines_);
  const auto view_on = [&](const c10::Device& device) {
    const LibTorchBackend backend(device);
    const auto loaded = load(backend, "latest").front();
    OutputOptions options;
    options.viewing.explain = true;
    options.viewing.layer = 1;
    options.viewing.attention = folder_ / "attention.html";
    ModelViewer viewer(options,
                       {.config = loaded.config,
                        .tokenizers = loaded.tokenizers,
                        .modules = make_modules(loaded, device),
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
  RequestQueue queue([&](LineSource& lines) { translator.translate(lines); }, {});
  std::vector<std::future<std::vector<Candidates>>> answers;
  for (const auto& line : lines_) {
    answers.push_back(std::async(std::launch::async, [&queue, line] {
      return queue.translate({line}, RequestQueue::Clock::now() + std::chrono::minutes(5));
    }));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].get().front().front().text, expected[i]);
  }
}

}  // namespace
}  // namespace translate
