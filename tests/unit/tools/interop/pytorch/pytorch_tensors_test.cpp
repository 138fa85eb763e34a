#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"
#include "interop/pytorch/pytorch_file.h"
#include "unit/tools/interop/pytorch/pytorch_file_fixture.h"

namespace translate::tools {
namespace {

using namespace std::string_literals;

using PytorchTensorsTest = PytorchFileTest;

TEST_F(PytorchTensorsTest, ReadsEveryTypeAndLayoutInOldAndNewProtocols) {
  const SafetensorsFile expected(pytorch_golden("views.safetensors"));
  const std::map<std::string, at::ScalarType> types = {
      {"float64", at::kDouble}, {"float16", at::kHalf}, {"bfloat16", at::kBFloat16}, {"int64", at::kLong},
      {"int32", at::kInt},      {"int16", at::kShort},  {"int8", at::kChar},         {"uint8", at::kByte},
      {"bool", at::kBool},      {"whole", at::kFloat}};
  for (const std::string file : {"views.pt", "views_protocol_5.pt"}) {
    const trainer::NamedTensors tensors = weights_of(file);
    EXPECT_EQ(tensors.size(), expected.names().size());
    for (const auto& [name, tensor] : tensors) {
      const at::Tensor plain = trainer::tensor_of(expected, name);
      EXPECT_EQ(tensor.sizes(), plain.sizes()) << name;
      EXPECT_TRUE(tensor.to(plain.scalar_type()).equal(plain)) << name;
      if (types.contains(name)) {
        EXPECT_EQ(tensor.scalar_type(), types.at(name)) << name;
      }
    }
  }
}

TEST_F(PytorchTensorsTest, ContiguousTensorsShareTheirStorageAndOutliveTheFile) {
  std::filesystem::copy_file(pytorch_golden("views.pt"), path_);
  std::map<std::string, StoredArray> arrays;
  for (const auto& [name, array] : read_pytorch_file(StableFile(path_)).weights) {
    arrays[name] = array;
  }
  std::filesystem::remove(path_);
  const auto shares = [&](const char* name) {
    const auto& storage = arrays.at("whole");
    const auto* begin = static_cast<const char*>(storage.data.get());
    const auto* place = static_cast<const char*>(arrays.at(name).data.get());
    return begin <= place && place < begin + storage.bytes();
  };
  EXPECT_TRUE(shares("scalar"));
  EXPECT_FALSE(shares("transposed"));  // a copy in row-major order
  EXPECT_EQ(trainer::tensor_of(arrays.at("second_half")).sum().item<std::int64_t>(), 5 + 6 + 7 + 8 + 9);
}

TEST_F(PytorchTensorsTest, StridedTensorsAreCopiedIntoRowMajorOrder) {
  std::string floats;
  for (const float value : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F}) {
    floats += std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  const std::string huge = "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";  // 2^63 - 1
  const auto values = [&](const TensorOpcodes& opcodes) {
    write("}(" + text_opcode("w") + opcodes.opcodes() + "u", {{"x/data/0", floats}});
    const auto array = read_pytorch_file(StableFile(path_)).weights.at(0).second;
    const auto numbers = as_floats(array, "w");
    return std::vector<float>(numbers.get(), numbers.get() + array.count());
  };
  using Values = std::vector<float>;
  EXPECT_EQ(values({.sizes = "K\x03K\x02", .strides = "K\x01K\x03"}), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values({.sizes = "K\x02K\x03", .strides = "K\x03K\x01"}), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values({.offset = "K\x01", .sizes = "K\x03", .strides = "K\x02"}), (Values{1, 3, 5}));
  EXPECT_EQ(values({.offset = "K\x02", .sizes = "K\x02K\x02", .strides = "K\0K\x01"s}), (Values{2, 3, 2, 3}));
  EXPECT_EQ(values({.offset = "K\x01", .sizes = "K\x02K\x01K\x02", .strides = "K\x01" + huge + "K\x02"}),
            (Values{1, 3, 2, 4}));
  EXPECT_EQ(values({.sizes = "K\x01K\x06", .strides = huge + "K\x01"}), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values({.offset = "K\x05", .sizes = "", .strides = ""}), (Values{5}));
  EXPECT_EQ(values({.offset = "K\x06", .sizes = "K\0"s}), (Values{}));
}

// Each copy alone is as large as an expanded value may be.
TEST_F(PytorchTensorsTest, CopiesOfManyTensorsDoNotFillTheMemory) {
  const TensorOpcodes expanded{.sizes = "J\0\0\x10\0"s, .strides = "K\0"s};  // 2^20 floats, 4 MiB
  const auto pickle = [&](int tensors) {
    std::string state = "}(";
    for (int i = 0; i < tensors; ++i) {
      state += text_opcode("w" + std::to_string(i)) + expanded.opcodes();
    }
    return state + "u";
  };
  const ZipEntries storage = {{"x/data/0", std::string(24, 'x')}};
  EXPECT_EQ(refusal_of(pickle(17), storage),
            "tensor \"w16\": the tensors of this file overlap, and would take far more memory than it: save clones "
            "instead");
  write(pickle(16), storage);
  EXPECT_EQ(read_pytorch_file(StableFile(path_)).weights.size(), 16U);
}

TEST_F(PytorchTensorsTest, ReadsZip64AndStoragesAtOddPlaces) {
  const std::string floats(24, '\x40');
  const std::string state = "}(" + text_opcode("w") + TensorOpcodes{}.opcodes() + "u";
  for (const std::size_t padding : {0, 5, 6, 7, 8, 64}) {
    write("}(" + text_opcode("model") + state + text_opcode("step") + "K\x05u", {{"x/data/0", floats}},
          {.zip64 = true, .padding = padding});
    const PytorchWeights file = read_pytorch_file(StableFile(path_));
    EXPECT_EQ(file.key, "model");
    EXPECT_EQ(file.step, 5);
    ASSERT_EQ(file.weights.size(), 1U);
    EXPECT_TRUE(trainer::tensor_of(file.weights[0].second).equal(at::full({6}, std::bit_cast<float>(0x40404040))));
  }
}

TEST_F(PytorchTensorsTest, TensorsOutsideTheirStorageAreRefused) {
  const std::string huge = "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";  // 2^63 - 1
  const std::string large = "\x8A\x05" + "\0\0\0\0\x01"s;               // 2^32
  const std::string minus_one = "J\xFF\xFF\xFF\xFF";
  const std::vector<TensorOpcodes> wrong = {
      {.sizes = "K\x07"},
      {.offset = "K\x01"},
      {.offset = minus_one},
      {.offset = huge},
      {.sizes = minus_one},
      {.sizes = huge},
      {.strides = "K\x02"},
      {.strides = minus_one},
      {.strides = huge},
      {.strides = "K\x01K\x01"},
      {.sizes = large + large, .strides = "K\0K\0"s},
      {.sizes = large, .strides = "K\0"s},  // an expanded value that would fill the memory where it is copied
      {.sizes = "K\0"s + huge + huge, .strides = "K\x01K\x01K\x01"},
      {.elements = "K\x05"},
      {.elements = "K\x07"},
      {.elements = huge},
      {.elements = minus_one, .sizes = "K\0"s},
      {.type = "DoubleStorage"},
      {.key = "1"},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::string error =
        refusal_of("}(" + text_opcode("w") + wrong[i].opcodes() + "u", {{"x/data/0", std::string(24, 'x')}});
    EXPECT_NE(error.find("damaged: "), std::string::npos) << i << ": " << error;
  }
  EXPECT_EQ(refusal_of("}(" + text_opcode("w") + wrong[0].opcodes() + "u", {{"x/data/0", std::string(24, 'x')}}),
            "tensor \"w\": damaged: size [7] with strides [1] from 0 on is not within its storage of 6 elements");
  const TensorOpcodes truth{.type = "BoolStorage"};
  EXPECT_EQ(refusal_of("}(" + text_opcode("w") + truth.opcodes() + "u", {{"x/data/0", "\0\1\0\2\0\0"s}}),
            "tensor \"w\": damaged: its storage 0 holds bytes that are not booleans");
}

TEST_F(PytorchTensorsTest, ADamagedStorageIsSeen) {
  std::string bytes = read_file(pytorch_golden("state_dict.pt"));
  const std::string storage = ZipArchive(bytes, "x.pt").read("archive/data/3");
  bytes[bytes.find(storage, bytes.find("archive/data/3")) + 5] ^= 1;
  write_quickly(path_, bytes);
  EXPECT_EQ(refusal().find(path_.string() + ": damaged: the CRC-32 of its entry \"archive/data/3\" is "), 0U);
}

}  // namespace
}  // namespace translate::tools
