#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "core/temporary_folder.h"
#include "tensors/tensor_file.h"
#include "training/training.h"
#include "unit/engine/text/sample_text.h"
#include "unit/simulated_device/device_test.h"

namespace translate {

/// A fixture that trains small models in this process, on the simulated device or on the CPU by LibTorch's operators.
class DeviceRun : public DeviceTest {
 private:
  TemporaryFolder temporary_;

 protected:
  static constexpr std::size_t kPairs = 80;

  const std::filesystem::path folder_ = std::filesystem::canonical(temporary_.path());

  DeviceRun() {
    // The model learns to copy; the last pair differs, because equal sides are refused.
    const auto write_pairs = [&](const std::string& name, std::vector<std::string> sentences) {
      write(name + ".src", sentences);
      sentences.back() += " .";
      write(name + ".tgt", sentences);
    };
    write_pairs("train", sample_sentences(kPairs, 1));
    write_pairs("held", sample_sentences(8, 3));
  }

  /// A model of some thousand weights without dropout, in fp32, eight steps, reported every second one.
  [[nodiscard]] Config small_config(const std::string& run) const {
    Config config;
    config.data.train = {{folder_ / "train.src", folder_ / "train.tgt"}};
    config.data.validation.files = {{folder_ / "held.src", folder_ / "held.tgt"}};
    config.tokenizer.vocab_size = 90;
    config.model.d_model = 16;
    config.model.encoder_layers = 2;
    config.model.decoder_layers = 2;
    config.model.num_heads = 2;
    config.model.d_ff = 32;
    config.model.dropout = 0.0;
    config.model.layer_norm = LayerNormKind::kTorch;
    config.model.tie_embeddings = EmbeddingTying::kAll;
    auto& training = config.training;
    training.batch_tokens = 200;
    training.max_steps = 8;
    training.schedule = ScheduleKind::kConstant;
    training.warmup_steps = 4;
    training.learning_rate = 0.01;
    training.log_every = 2;
    training.validate_every = {4};
    training.checkpoint_every = {4};
    training.precision = Precision::kFp32;
    training.fused_kernels = false;
    config.run_dir = folder_ / run;
    return config;
  }

  /// Trains, or resumes the run in its folder, and returns the weights of the newest checkpoint by name.
  static std::map<std::string, at::Tensor> train(const Config& config, const c10::Device& device) {
    const auto outcome = trainer::train(config, /*start=*/{}, device);
    const auto weights = trainer::tensors_of(Checkpoint(outcome.checkpoint, Verify::kFull).weights());
    return {weights.begin(), weights.end()};
  }

  /// The numbers of a field in the reports of a kind: "train" or "validation".
  static std::vector<double> reported(const Config& config, const std::string& kind, const std::string& field) {
    std::vector<double> values;
    std::ifstream file(config.run_dir / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) {
      const auto report = nlohmann::json::parse(line);
      if (report.at("kind") == kind) {
        values.push_back(report.at(field));
      }
    }
    return values;
  }

  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double relative) {
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_FALSE(expected.empty());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], relative * std::abs(expected[i])) << "report " << i;
    }
  }

  static void expect_near(const std::map<std::string, at::Tensor>& found,
                          const std::map<std::string, at::Tensor>& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      EXPECT_TRUE(at::allclose(found.at(name), tensor, /*rtol=*/tolerance, /*atol=*/tolerance)) << name;
    }
  }

  void write(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream file(folder_ / name);
    for (const auto& line : lines) {
      file << line << '\n';
    }
  }
};

}  // namespace translate
