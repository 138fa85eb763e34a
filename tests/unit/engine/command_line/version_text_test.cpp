#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line/program.h"
#include "core/processor.h"
#include "core/version.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(VersionTextTest, NamesLibrariesInstructionsAndPrecisions) {
  const auto text = version_text("translate-infer", Work::kTranslation, "LibTorch 2.11.0");
  EXPECT_THAT(text, StartsWith("translate-infer " + std::string(version()) + "\nLibTorch 2.11.0\ninstructions: "));
  EXPECT_THAT(text, HasSubstr("\nprecisions on the CPU: fp32, bf16"));
  EXPECT_EQ(text.find("AVX-512") != std::string::npos, has_avx512_kernels());
  EXPECT_EQ(text.find("VNNI") != std::string::npos, has_vnni_kernels());
  EXPECT_THAT(text, HasSubstr("int8"));
}

TEST(VersionTextTest, TrainingHasNoInt8) {
  EXPECT_THAT(version_text("translate-train", Work::kTraining, ""), Not(HasSubstr("int8")));
}

}  // namespace
}  // namespace translate
