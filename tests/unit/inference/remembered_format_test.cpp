#include "inference/remembered_format.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class RememberedFormatTest : public TemporaryFolderTest {
 protected:
  /// Asks, where measuring would give `format`.
  WeightFormat ask(WeightFormat format, std::int64_t d_model = 64) {
    ModelOptions options;
    options.d_model = d_model;
    return remembered_format(folder_ / "cache", options, [&](const ModelOptions&) {
      ++measured_;
      return format;
    });
  }

  int measured_ = 0;
};

TEST_F(RememberedFormatTest, MeasuresOnceForEachWidth) {
  EXPECT_EQ(ask(WeightFormat::kInt8), WeightFormat::kInt8);
  EXPECT_EQ(ask(WeightFormat::kFloat), WeightFormat::kInt8);
  EXPECT_EQ(measured_, 1);
  EXPECT_EQ(ask(WeightFormat::kFloat, 512), WeightFormat::kFloat);
  EXPECT_EQ(ask(WeightFormat::kInt8, 512), WeightFormat::kFloat);
  EXPECT_EQ(ask(WeightFormat::kFloat), WeightFormat::kInt8);
  EXPECT_EQ(measured_, 2);
  fs::remove(folder_ / "cache" / kFormatsFile);
  EXPECT_EQ(ask(WeightFormat::kFloat), WeightFormat::kFloat);
  EXPECT_EQ(measured_, 3);
}

TEST_F(RememberedFormatTest, ADamagedFileIsMeasuredAnew) {
  for (const char* content : {"", "{", "[]", "null", R"({"some processor": 7})"}) {
    fs::create_directories(folder_ / "cache");
    std::ofstream(folder_ / "cache" / kFormatsFile) << content;
    measured_ = 0;
    EXPECT_EQ(ask(WeightFormat::kInt8), WeightFormat::kInt8) << content;
    EXPECT_EQ(ask(WeightFormat::kFloat), WeightFormat::kInt8) << content;
    EXPECT_EQ(measured_, 1) << content;
  }
}

TEST_F(RememberedFormatTest, WhatCannotBeRememberedIsSinglePrecision) {
  std::ofstream(folder_ / "cache") << "a file, no folder";
  EXPECT_EQ(ask(WeightFormat::kInt8), WeightFormat::kFloat);
  EXPECT_EQ(remembered_format({}, {}, [](const ModelOptions&) { return WeightFormat::kInt8; }), WeightFormat::kFloat);
}

}  // namespace
}  // namespace translate
