#include "checkpoint/safetensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/output_file.h"
#include "tensors/tensor_file.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

/// A file by hand: eight length bytes, the header, the data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  const std::uint64_t size = header.size();
  std::memcpy(length.data(), &size, length.size());
  return length + header + data;
}

class SafetensorsTest : public CheckpointFixture {
 protected:
  std::filesystem::path path_ = folder_ / "x.safetensors";
};

TEST_F(SafetensorsTest, EveryTypeAndShapeComesBackBitForBit) {
  const std::vector<at::ScalarType> types = {at::kBool,   at::kByte, at::kHalf, at::kBFloat16,
                                             at::kDouble, at::kInt,  at::kLong, at::kFloat};
  const std::vector<std::vector<std::int64_t>> shapes = {{}, {1}, {0}, {3, 0, 2}, {5}, {2, 3}, {1, 2, 3, 4}};
  trainer::NamedTensors
      tensors;  // odd sizes of one-byte elements come first: what follows must be aligned all the same
  for (const at::ScalarType type : types) {
    for (const auto& shape : shapes) {
      tensors.emplace_back("tensor " + std::to_string(tensors.size()), (at::randn(shape) * 3).to(type));
    }
  }
  const FileDigest digest = trainer::write_safetensors(path_, tensors);
  const SafetensorsFile file(path_);
  expect_same_tensors(trainer::tensors_of(file), tensors);
  const std::string bytes = read_file(path_);
  EXPECT_EQ(digest, (FileDigest{.size = bytes.size(), .crc32 = crc32(bytes)}));
}

TEST_F(SafetensorsTest, SpecialNumbersComeBackBitForBit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor tensor =
      at::tensor(std::vector<double>{0.0, -0.0, infinity, -infinity, infinity - infinity, 5e-324});
  trainer::write_safetensors(path_,
                             {{"double", tensor}, {"float", tensor.to(at::kFloat)}, {"half", tensor.to(at::kHalf)}});
  expect_same_tensors(trainer::tensors_of(SafetensorsFile(path_)),
                      {{"double", tensor}, {"float", tensor.to(at::kFloat)}, {"half", tensor.to(at::kHalf)}});
}

TEST_F(SafetensorsTest, StridedTensorsAreStoredAsTheyLook) {
  const at::Tensor base = at::arange(24, at::kFloat).reshape({4, 6});
  trainer::write_safetensors(
      path_, {{"transposed", base.t()}, {"column", base.select(1, 2)}, {"expanded", base[0].expand({3, 6})}});
  const SafetensorsFile file(path_);
  EXPECT_TRUE(trainer::tensor_of(file, "transposed").equal(base.t()));
  EXPECT_TRUE(trainer::tensor_of(file, "column").equal(base.select(1, 2)));
  EXPECT_TRUE(trainer::tensor_of(file, "expanded").equal(base[0].expand({3, 6})));
}

TEST_F(SafetensorsTest, KeepsNamesInOrderAndMetadata) {
  const std::map<std::string, std::string> metadata = {{"format", "pt"}, {"note", "l'été \"10\"\n"}};
  trainer::write_safetensors(path_, {{"z", at::ones({1}, at::kBool)}, {"a", at::ones({2})}, {"é\"\\", at::ones({1})}},
                             metadata);
  const SafetensorsFile file(path_);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"z", "a", "é\"\\"}));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_TRUE(file.contains("a"));
  EXPECT_FALSE(file.contains("b"));
  EXPECT_FALSE(file.contains("__metadata__"));
  EXPECT_EQ(error_of<CheckpointError>([&] { (void)trainer::tensor_of(file, "b"); }),
            path_.string() + ": has no tensor \"b\"");
}

TEST_F(SafetensorsTest, AFileWithoutTensorsIsAFile) {
  trainer::write_safetensors(path_, {});
  EXPECT_TRUE(SafetensorsFile(path_).names().empty());
}

TEST_F(SafetensorsTest, DataStartsAtAMultipleOfEight) {
  for (const std::string name : {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"}) {
    trainer::write_safetensors(path_, {{name, at::ones({1}, at::kDouble)}});
    EXPECT_EQ(read_file(path_).size() % 8, 0U);
    EXPECT_EQ(trainer::tensor_of(SafetensorsFile(path_), name).item<double>(), 1.0);
  }
}

TEST_F(SafetensorsTest, AViewOutlivesReaderAndFile) {
  trainer::write_safetensors(path_, {{"a", at::arange(1000)}});
  const at::Tensor tensor = trainer::tensor_of(SafetensorsFile(path_), "a");
  std::filesystem::remove(path_);
  EXPECT_TRUE(tensor.equal(at::arange(1000)));
}

TEST_F(SafetensorsTest, WritingToAViewLeavesTheFileAlone) {
  trainer::write_safetensors(path_, {{"a", at::zeros({100})}});
  const std::string before = read_file(path_);
  trainer::tensor_of(SafetensorsFile(path_), "a").fill_(1);
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(SafetensorsTest, ReadsTheFormatAsItIsSpecified) {
  // Written out by hand: F32 [1, 2] and U8 [7], with the larger elements at an odd place and other spacing.
  const std::string header =
      R"({ "b": {"data_offsets": [0, 1], "dtype": "U8", "shape": [1]}, )"
      R"("a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [1, 9]}, "__metadata__": {"k": "v"} }   )";
  write_quickly(path_, file_of(header, std::string("\x07\x00\x00\x80\x3f\x00\x00\x00\x40", 9)));
  const SafetensorsFile file(path_);
  EXPECT_TRUE(trainer::tensor_of(file, "a").equal(at::tensor({1.0F, 2.0F}).reshape({2, 1})));
  EXPECT_TRUE(trainer::tensor_of(file, "b").equal(at::full({1}, 7, at::kByte)));
  EXPECT_EQ(file.metadata().at("k"), "v");
}

TEST_F(SafetensorsTest, AFileCutAnywhereIsDamagedAndSoIsOneWithMore) {
  trainer::write_safetensors(path_, {{"a", at::ones({3})}, {"b", at::ones({2}, at::kByte)}});
  const std::string whole = read_file(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_quickly(path_, whole.substr(0, size));
    EXPECT_NE(error_of<CheckpointError>([&] { SafetensorsFile{path_}; }).find(path_.string()), std::string::npos)
        << size;
  }
  write_quickly(path_, whole + "x");
  EXPECT_EQ(error_of<CheckpointError>([&] { SafetensorsFile{path_}; }),
            path_.string() + ": damaged: the last 1 bytes belong to no tensor");
}

TEST_F(SafetensorsTest, AnyChangedLengthByteIsSeen) {
  trainer::write_safetensors(path_, {{"a", at::ones({3})}});
  const std::string whole = read_file(path_);
  for (std::size_t place = 0; place < 8; ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      write_quickly(path_, whole);
      flip_byte(path_, place, static_cast<char>(1 << bit));
      error_of<CheckpointError>([&] { SafetensorsFile{path_}; });
    }
  }
}

TEST_F(SafetensorsTest, AnyChangedHeaderByteIsSeenOrHarmless) {
  trainer::write_safetensors(path_, {{"a", at::ones({3})}, {"b", at::ones({2}, at::kByte)}}, {{"k", "v"}});
  const std::string whole = read_file(path_);
  for (std::size_t place = 8; place < whole.size() - 14; ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      write_quickly(path_, whole);
      flip_byte(path_, place, static_cast<char>(1 << bit));
      try {
        const trainer::NamedTensors tensors = trainer::tensors_of(SafetensorsFile(path_));
        EXPECT_LE(tensors.size(), 2U);  // another name, another type of the same size
      } catch (const CheckpointError&) {
        continue;
      }
    }
  }
}

TEST_F(SafetensorsTest, MissingFilesAndFoldersAreNamedWithTheReason) {
  EXPECT_EQ(error_of<RuntimeError>([&] { SafetensorsFile{path_}; }),
            path_.string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of<RuntimeError>([&] { SafetensorsFile{folder_}; }),
            folder_.string() + ": cannot be read: Is a directory");
  error_of<RuntimeError>([&] { SafetensorsFile{"/dev/null"}; });
}

TEST_F(SafetensorsTest, WhatCannotBeStoredIsRefused) {
  const auto error = [&](const trainer::NamedTensors& tensors) {
    return error_of<CheckpointError>([&] { trainer::write_safetensors(path_, tensors); });
  };
  const std::string start = path_.string() + ": tensor \"a\": ";
  EXPECT_EQ(error({{"a", at::ones({1}, at::kChar)}}), start + "data type int8 cannot be stored");
  EXPECT_EQ(error({{"a", at::Tensor()}}), start + "only dense tensors can be stored");
  EXPECT_EQ(error({{"a", at::ones({2, 2}).to_sparse()}}), start + "only dense tensors can be stored");
  EXPECT_EQ(error({{"a", at::ones({1})}, {"a", at::ones({1})}}), start + "this name is reserved or given twice");
  EXPECT_NE(error({{"__metadata__", at::ones({1})}}).find("reserved"), std::string::npos);
  EXPECT_NE(error({{"\xFF", at::ones({1})}}).find("UTF-8"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SafetensorsTest, AFullDiskIsARuntimeError) {
  EXPECT_EQ(error_of<RuntimeError>([] {
              trainer::write_safetensors("/dev/full", {{"a", at::ones({4})}});
            }),
            "cannot write /dev/full: No space left on device");
  EXPECT_EQ(error_of<RuntimeError>([&] {
              trainer::write_safetensors(folder_, {{"a", at::ones({4})}});
            }),
            "cannot write " + folder_.string() + ": Is a directory");
}

}  // namespace
}  // namespace translate
