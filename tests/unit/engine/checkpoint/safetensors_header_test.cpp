#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "core/error.h"

namespace translate {
namespace {

struct DamagedHeader {
  const char* header;
  std::uint64_t data_bytes;
  const char* message;  ///< what the error says besides the file
};

class DamagedHeaderTest : public ::testing::TestWithParam<DamagedHeader> {};

TEST_P(DamagedHeaderTest, IsACheckpointErrorThatNamesFileAndTensor) {
  try {
    (void)parse_safetensors_header(GetParam().header, GetParam().data_bytes, "dir/x.safetensors");
    FAIL() << "no error";
  } catch (const CheckpointError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("dir/x.safetensors:", 0), 0U) << text;
    EXPECT_NE(text.find(GetParam().message), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Headers, DamagedHeaderTest,
    ::testing::Values(
        DamagedHeader{"", 0, "damaged"}, DamagedHeader{"{", 0, "damaged"}, DamagedHeader{"{} {}", 0, "damaged"},
        DamagedHeader{"[]", 0, "expected an object, got a list"}, DamagedHeader{"{\"\xFF\": 1}", 0, "UTF-8"},
        DamagedHeader{R"({"a": 1})", 0, "a: expected an object, got 1"},
        DamagedHeader{R"({"a": {"shape": [], "data_offsets": [0, 4]}})", 4, "a.dtype: missing"},
        DamagedHeader{R"({"a": {"dtype": "F32", "data_offsets": [0, 4]}})", 4, "a.shape: missing"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": []}})", 4, "a.data_offsets: missing"},
        DamagedHeader{R"({"a": {"dtype": 32, "shape": [], "data_offsets": [0, 4]}})", 4, "a.dtype: expected a string"},
        DamagedHeader{R"({"a": {"dtype": "F8_E5M2", "shape": [], "data_offsets": [0, 1]}})", 1,
                      "tensor \"a\": data type F8_E5M2 is not supported"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4], "x": 1}})", 4,
                      "a.x: unknown field"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}})", 4,
                      "a.shape: expected a list, got 1"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4, 8]}})", 4,
                      "expected a list of 2, got one of 3"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})", 4,
                      "a.shape[0]: expected an integer of at least 0, got -1"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}})", 4,
                      "a.shape[0]: expected an integer of at least 0, got 1.0"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, "4"]}})", 4,
                      "a.data_offsets[1]: expected an integer of at least 0, got \"4\""},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [99999999999999999999], "data_offsets": [0, 4]}})", 4,
                      "shape"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}})", 0,
                      "shape [4294967296, 4294967296] is too large"},
        DamagedHeader{R"({"a": {"dtype": "U8", "shape": [0, 4294967296, 4294967296], "data_offsets": [0, 0]}})", 0,
                      "is too large"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}})", 8,
                      "tensor \"a\": damaged: shape [3] of float32 takes 12 bytes, the header gives it 8"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", 7,
                      "tensor \"a\": its bytes 0 to 8 are outside the 7 bytes of data"},
        DamagedHeader{R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [8, 4]}})", 8, "bytes 8 to 4 are outside"},
        DamagedHeader{R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
                          "b": {"dtype": "U8", "shape": [4], "data_offsets": [3, 7]}})",
                      7, "tensor \"b\": damaged: its bytes from 3 overlap"},
        DamagedHeader{R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
                          "b": {"dtype": "U8", "shape": [4], "data_offsets": [5, 9]}})",
                      9, "tensor \"b\": damaged: the 1 bytes before it"},
        DamagedHeader{R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})", 3, "the last 2 bytes"},
        DamagedHeader{R"({})", 1, "the last 1 bytes"},
        DamagedHeader{R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
                          "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})",
                      1, "given twice"},
        DamagedHeader{R"({"__metadata__": {"k": 1}})", 0, "__metadata__.k: expected a string"},
        DamagedHeader{R"({"__metadata__": "k"})", 0, "__metadata__: expected an object, got \"k\""}));

TEST(SafetensorsHeaderTest, OrderInTheFileNeedNotBeTheOrderOfNames) {
  const SafetensorsHeader header = parse_safetensors_header(
      R"({"b": {"dtype": "U8", "shape": [3], "data_offsets": [4, 7]},
          "e": {"dtype": "U8", "shape": [0], "data_offsets": [4, 4]},
          "a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}})",
      7, "x");
  ASSERT_EQ(header.tensors.size(), 3U);
  EXPECT_EQ(header.tensors[0].name, "b");
  EXPECT_EQ(header.tensors[0].begin, 4U);
  EXPECT_EQ(header.tensors[2].name, "a");
  EXPECT_TRUE(header.tensors[2].shape.empty());
}

TEST(SafetensorsHeaderTest, WhatIsFormattedIsParsedAgain) {
  SafetensorsHeader header;
  header.metadata = {{"k", "v"}};
  header.tensors.push_back({.name = "a", .dtype = NumberType::kBfloat16, .shape = {2, 3}, .begin = 0, .end = 12});
  header.tensors.push_back({.name = "b", .dtype = NumberType::kBool, .shape = {}, .begin = 12, .end = 13});
  const std::string text = format_safetensors_header(header, "x");
  EXPECT_EQ(text.size() % 8, 0U);
  const SafetensorsHeader again = parse_safetensors_header(text, 13, "x");
  EXPECT_EQ(again.metadata, header.metadata);
  ASSERT_EQ(again.tensors.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again.tensors[i].name, header.tensors[i].name);
    EXPECT_EQ(again.tensors[i].dtype, header.tensors[i].dtype);
    EXPECT_EQ(again.tensors[i].shape, header.tensors[i].shape);
    EXPECT_EQ(again.tensors[i].begin, header.tensors[i].begin);
    EXPECT_EQ(again.tensors[i].end, header.tensors[i].end);
  }
}

}  // namespace
}  // namespace translate
