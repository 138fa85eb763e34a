#include "training/data_parallel/gradient_buckets.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

namespace translate::trainer {
namespace {

NamedTensors tensors(const std::vector<std::vector<std::int64_t>>& shapes) {
  NamedTensors tensors;
  for (const auto& shape : shapes) {
    tensors.emplace_back("parameter_" + std::to_string(tensors.size()), at::zeros(shape));
  }
  return tensors;
}

/// Returns, for each parameter, the part of each of its rows. Expects that each row is in one part.
std::map<std::size_t, std::vector<std::size_t>> parts_of_rows(const NamedTensors& parameters,
                                                              const std::vector<GradientBucket>& buckets) {
  std::map<std::size_t, std::vector<std::size_t>> parts;
  for (const auto& bucket : buckets) {
    for (std::size_t part = 0; part < bucket.parts.size(); ++part) {
      for (const auto& slice : bucket.parts[part].slices) {
        auto& rows = parts[slice.parameter];
        EXPECT_EQ(static_cast<std::size_t>(slice.first_row), rows.size()) << "rows follow one another";
        rows.insert(rows.end(), static_cast<std::size_t>(slice.rows), part);
      }
    }
  }
  for (const auto& [i, rows] : parts) {
    EXPECT_EQ(std::ssize(rows), row_count(parameters[i].second));
  }
  EXPECT_EQ(parts.size(), parameters.size());
  return parts;
}

TEST(GradientBuckets, BeginWithTheLastParameterAndHoldAtMostTheirBytes) {
  const auto parameters = tensors({{10, 10}, {6}, {4, 5}, {5}});
  const auto buckets = divide_into_buckets(parameters, {.bytes = 100, .parts = 1, .undivided = {}});
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].members, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(buckets[1].members, (std::vector<std::size_t>{1}));
  EXPECT_EQ(buckets[2].members, (std::vector<std::size_t>{0})) << "larger than a bucket";
  EXPECT_EQ(buckets[0].part_size, 25 + 2) << "with a flag for each";
}

TEST(GradientBuckets, FollowTheOrderOfAForwardPass) {
  const auto parameters = tensors({{20}, {10}, {5}});
  const auto buckets = divide_into_buckets(
      parameters, {.bytes = 80, .parts = 1, .forward_order = {"parameter_2", "parameter_0", "parameter_1"}});
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].members, (std::vector<std::size_t>{1}));
  EXPECT_EQ(buckets[1].members, (std::vector<std::size_t>{0}));
  EXPECT_EQ(buckets[2].members, (std::vector<std::size_t>{2})) << "its gradient comes last";
}

TEST(GradientBuckets, PartsHaveAboutTheSameSize) {
  const auto parameters = tensors({{100, 7}, {31}, {3, 50}, {2, 2, 2}, {}});
  for (const int parts : {1, 2, 3, 7}) {
    const auto buckets = divide_into_buckets(parameters, {.bytes = 1 << 20, .parts = parts, .undivided = {}});
    parts_of_rows(parameters, buckets);
    ASSERT_EQ(buckets.size(), 1U);
    const auto total = 700 + 31 + 150 + 8 + 1;
    for (const auto& part : buckets[0].parts) {
      EXPECT_NEAR(static_cast<double>(part.values), static_cast<double>(total) / parts, 50) << "within the widest row";
    }
  }
}

TEST(GradientBuckets, UndividedParametersStayTogetherAndAreSharedOut) {
  const auto parameters = tensors({{8, 8}, {8, 8}, {8, 8}, {8, 8}, {64}});
  const std::set<std::string> undivided = {"parameter_0", "parameter_1", "parameter_2", "parameter_3"};
  for (const std::int64_t bytes : {1, 600, 1 << 20}) {
    const auto buckets = divide_into_buckets(parameters, {.bytes = bytes, .parts = 4, .undivided = undivided});
    const auto parts = parts_of_rows(parameters, buckets);
    std::vector<int> matrices(4);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(parts.at(i).front(), parts.at(i).back());
      ++matrices[parts.at(i).front()];
    }
    EXPECT_EQ(matrices, (std::vector<int>{1, 1, 1, 1}));
    EXPECT_NE(parts.at(4).front(), parts.at(4).back());
  }
}

TEST(GradientBuckets, ThereMayBeMorePartsThanRows) {
  const auto parameters = tensors({{2, 3}});
  const auto buckets = divide_into_buckets(parameters, {.bytes = 1, .parts = 5, .undivided = {}});
  parts_of_rows(parameters, buckets);
  EXPECT_EQ(buckets[0].parts.size(), 5U);
  EXPECT_EQ(buckets[0].part_size, 3 + 1);
}

}  // namespace
}  // namespace translate::trainer
