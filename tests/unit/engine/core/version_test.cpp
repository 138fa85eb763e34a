#include "core/version.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace translate {
namespace {

TEST(VersionTest, IsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(std::string(version()), std::regex(R"(\d+\.\d+\.\d+)"))) << version();
}

}  // namespace
}  // namespace translate
