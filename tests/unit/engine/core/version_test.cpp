#include "core/version.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace translate {
namespace {

TEST(VersionTest, IsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(std::string(version()), std::regex(R"(\d+\.\d+\.\d+)"))) << version();
}

TEST(VersionTest, LibTorchIsTheOneCompiledAgainst) {
  EXPECT_TRUE(std::regex_search(std::string(libtorch_version()), std::regex(R"(^2\.\d+)"))) << libtorch_version();
}

}  // namespace
}  // namespace translate
