#include "training/event_encoding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace translate::trainer {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

constexpr EventTime kTime = {.wall_time = 1.5, .step = 300};

// The expected sums are those of RFC 3720, B.4.
TEST(EventEncodingTest, TheSumIsThatOfCastagnoli) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
}

// The bytes expected below are those of the classes of the Python package tensorboard 2.21.0.
TEST(EventEncodingTest, EventsHaveTheBytesOfTensorBoard) {
  EXPECT_EQ(hex(version_event(1.5)), "09000000000000f83f1a0d627261696e2e4576656e743a32");
  EXPECT_EQ(hex(start_event(kTime)), "09000000000000f83f10ac023a020801");
  EXPECT_EQ(hex(text_event(kTime, "t", "été")),
            "09000000000000f83f10ac022a1c0a1a0a0174420b080712004205c3a974c3a94a080a060a0474657874");
}

TEST(EventEncodingTest, AValueOfZeroIsWritten) {
  const std::array<Scalar, 2> scalars = {{{"a/b", 0.0}, {"c", -2.5}}};
  EXPECT_EQ(hex(scalars_event(kTime, scalars)),
            "09000000000000f83f10ac022a160a0a0a03612f6215000000000a080a016315000020c0");
}

TEST(EventEncodingTest, ARecordHasItsLengthAndTwoSums) {
  const std::array<Scalar, 2> scalars = {{{"a/b", 0.0}, {"c", -2.5}}};
  const auto event = scalars_event(kTime, scalars);
  EXPECT_EQ(hex(event_record(event)), "2400000000000000422b804d" + hex(event) + "f602eaea");
}

TEST(EventEncodingTest, LongTextsHaveLongLengths) {
  const std::string text(1000, 'x');
  const auto event = text_event(kTime, "t", text);
  EXPECT_NE(event.find("\x42\xe8\x07" + text), std::string::npos);  // field 8, 1000 bytes
}

}  // namespace
}  // namespace translate::trainer
