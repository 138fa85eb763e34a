#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoints/training_state.h"
#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {

using CheckpointFixture = TemporaryFolderTest;
using testing::error_of;

/// True where both have the same type, shape and bytes (NaN equals NaN, 0 differs from -0).
inline bool same_bits(const at::Tensor& left, const at::Tensor& right) {
  if (left.scalar_type() != right.scalar_type() || left.sizes() != right.sizes()) {
    return false;
  }
  const at::Tensor a = left.contiguous();
  const at::Tensor b = right.contiguous();
  return std::string_view(static_cast<const char*>(a.const_data_ptr()), a.nbytes()) ==
         std::string_view(static_cast<const char*>(b.const_data_ptr()), b.nbytes());
}

inline void expect_same_tensors(const trainer::NamedTensors& left, const trainer::NamedTensors& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].first, right[i].first);
    EXPECT_TRUE(same_bits(left[i].second, right[i].second)) << left[i].first;
  }
}

/// Writes a file without the flushing to disk that hundreds of small changes would wait for.
inline void write_quickly(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << bytes;
  if (!stream.flush()) {
    throw std::filesystem::filesystem_error("write", file, {});
  }
}

/// Changes one byte of a file.
inline void flip_byte(const std::filesystem::path& file, std::size_t place, char mask = 1) {
  std::string bytes = read_file(file);
  bytes.at(place) = static_cast<char>(bytes.at(place) ^ mask);
  write_quickly(file, bytes);
}

/// A training state in which no field has its default.
inline trainer::TrainingState make_training_state(std::int64_t step) {
  trainer::TrainingState state;
  state.step = step;
  state.epoch = 3;
  state.batches_in_epoch = 17;
  state.target_tokens = 5'000'000'000;
  state.seconds = 12.3456789012345678;
  state.last_validation = ValidationScore{.score = 0.1, .step = 8};
  state.best_validation = ValidationScore{.score = 1.0 / 3.0, .step = 6};
  state.validations_since_best = 2;
  state.window = {.loss_sum = 123.456, .smoothed_loss_sum = 234.567, .target_tokens = 99, .seconds = 0.7};
  state.exp_avg = {{"b.weight", at::randn({4, 3})}, {"a.bias", at::randn({3})}};
  state.exp_avg_sq = {{"b.weight", at::rand({4, 3})}, {"a.bias", at::rand({3})}};
  return state;
}

/// A small checkpoint with all its parts.
inline trainer::CheckpointContents make_contents(std::int64_t step, std::optional<double> score = std::nullopt) {
  trainer::CheckpointContents contents;
  contents.weights = {{"b.weight", at::randn({4, 3})}, {"a.bias", at::randn({3})}};
  contents.config.data.train = {{"/data/train.en", "/data/train.fr"}};
  contents.config.model.d_model = 64;
  contents.config.training.best_metric = BestMetric::kBleu;
  contents.config.run_dir = "/runs/one";
  contents.source_tokenizer = std::string("source\0model", 12);
  contents.target_tokenizer = std::string("target\xFFmodel", 12);
  contents.step = step;
  contents.score = score;
  contents.training_state = make_training_state(step);
  contents.card = "# A card\n";
  return contents;
}

}  // namespace translate
