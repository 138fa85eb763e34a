#include "interop/marian/bin_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "interop/marian/quantized_matrix.h"
#include "support/error_of.h"
#include "support/marian_bin.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string float_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    bytes += little_endian(std::bit_cast<std::uint32_t>(value));
  }
  return bytes;
}

std::string bin_refusal(const std::string& file) {
  return testing::error_of<CheckpointError>([&] { (void)read_marian_bin(file, "m.bin"); });
}

std::string item_refusal(const MarianBinItem& item) { return bin_refusal(marian_bin({item})); }

/// A file with an array of floats, padded, a quantized matrix and the settings.
std::string small_file() {
  return marian_bin({{"b", 0x404, {1, 2}, float_bytes({1.5F, -2.0F}) + std::string(248, '\0')},
                     {"l_W", 0x4101, {3, 1}, "\x01\x02\xFF" + float_bytes({2.0F})},
                     {"special:model.yml", 0x101, {3}, std::string("a\n\0", 3)}});
}

TEST(MarianBin, HasItsArraysByName) {
  const auto arrays = read_marian_bin(small_file(), "m.bin");
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_THAT(arrays.at("b").shape, ElementsAre(1, 2));
  EXPECT_THAT(arrays.at("b").floats("b"), ElementsAre(1.5F, -2.0F));
  EXPECT_EQ(arrays.at("special:model.yml").bytes, std::string("a\n\0", 3));
  EXPECT_TRUE(is_quantized(arrays.at("l_W")));
  EXPECT_THAT(dequantized(arrays.at("l_W"), "l_W"), ElementsAre(0.5F, 1.0F, -0.5F));
}

TEST(MarianBin, EachTruncationIsRefused) {
  const auto whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(bin_refusal(whole.substr(0, size)), StartsWith("m.bin: ")) << size;
  }
  EXPECT_EQ(bin_refusal(whole + "x"), "m.bin: damaged: 1 bytes behind its last item");
}

TEST(MarianBin, OtherVersionsAreRefused) {
  EXPECT_EQ(bin_refusal(marian_bin({}, 2)),
            "m.bin: it is encrypted (version 2 of Marian's container), which is not supported");
  EXPECT_EQ(bin_refusal(marian_bin({}, 3)), "m.bin: not a model of Marian: it begins with the version 3, expected 1");
  EXPECT_THAT(bin_refusal("PK\x03\x04 a zip archive"), HasSubstr("not a model of Marian"));
}

TEST(MarianBin, TypesThatAreNotReadAreNamed) {
  const std::vector<std::pair<std::uint64_t, std::string>> types = {
      {0x10001, "intgemm8 of Marian (0x10001)"},  {0x10002, "intgemm16 of Marian (0x10002)"},
      {0x18001, "intgemm8ssse3 (0x18001)"},       {0x11001, "intgemm8avx2 (0x11001)"},
      {0x12001, "intgemm8avx512 (0x12001)"},      {0x13001, "intgemm8avx512vnni (0x13001)"},
      {0x14002, "intgemm16sse2 (0x14002)"},       {0x802, "packed16 of fbgemm (0x802)"},
      {0x1801, "packed8avx2 of fbgemm (0x1801)"}, {0x2801, "packed8avx512 of fbgemm (0x2801)"}};
  for (const auto& [type, name] : types) {
    EXPECT_THAT(item_refusal({"l_W", type, {1, 1}, "1"}), StartsWith("m.bin: l_W: its type is " + name + ", which"));
  }
  EXPECT_EQ(item_refusal({"l_W", 0x403, {1, 1}, "1"}), "m.bin: l_W: its type 0x403 is unknown");
}

TEST(MarianBin, SizesThatCannotBeAreRefused) {
  EXPECT_EQ(item_refusal({"w", 0x404, {2, 2}, "1234"}), "m.bin: w: damaged: 4 bytes of numbers, its shape needs 16");
  EXPECT_THAT(item_refusal({"w", 0x404, {1}, std::string(260, '\0')}), HasSubstr("damaged: 260 bytes of numbers"));
  EXPECT_THAT(item_refusal({"w", 0x4101, {4}, "1234"}), HasSubstr("its shape needs 8"));
  EXPECT_EQ(item_refusal({"w", 0x404, {-1, 4}, ""}), "m.bin: w: damaged: a negative number in its shape");
  EXPECT_EQ(item_refusal({"w", 0x404, {2147483647, 2147483647, 2147483647}, ""}),
            "m.bin: w: damaged: its shape is too large");
  EXPECT_EQ(bin_refusal(marian_bin({{"w", 0x101, {0}, ""}, {"w", 0x101, {0}, ""}})),
            "m.bin: w: damaged: it is there twice");
  EXPECT_THAT(bin_refusal(little_endian(std::uint64_t{1}) + little_endian(~std::uint64_t{0})),
              HasSubstr("truncated or damaged: 18446744073709551615 items cannot be in 0 bytes"));
}

TEST(MarianBin, LengthsBeyondTheFileAreRefused) {
  const auto whole = marian_bin({{"w", 0x404, {1}, "1234"}});
  for (const std::size_t place : {16U, 32U, 40U}) {  // the lengths of the name, of the shape and of the data
    auto damaged = whole;
    damaged.replace(place, 8, little_endian(~std::uint64_t{0} - 1));
    EXPECT_THAT(bin_refusal(damaged), HasSubstr("damaged")) << place;
  }
  auto nameless = whole;
  nameless[48] = '\0';
  EXPECT_EQ(bin_refusal(nameless), "m.bin: damaged: the name of an item does not end where it should");
}

TEST(QuantizedMatrix, OfSixteenBits) {
  const NpyArray array{
      .type = kIntgemm16, .shape = {1, 2}, .bytes = std::string("\x00\x04\x00\xFE", 4) + float_bytes({1024})};
  EXPECT_THAT(dequantized(array, "w"), ElementsAre(1.0F, -0.5F));
}

TEST(QuantizedMatrix, ItsFactorIsPositive) {
  for (const float factor : {0.0F, -1.0F, INFINITY, NAN}) {
    const NpyArray array{.type = kIntgemm8, .shape = {1}, .bytes = "1" + float_bytes({factor})};
    EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)dequantized(array, "m.bin: w"); }),
                HasSubstr("m.bin: w: damaged: its factor is"));
  }
}

}  // namespace
}  // namespace translate::tools
