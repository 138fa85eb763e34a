#include "checkpoint/card_license.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temporary_folder.h"

namespace translate {
namespace {

class CardLicense : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::string of(const std::string& card) const {
    std::ofstream(folder_ / "README.md", std::ios::binary) << card;
    return license_of_card(folder_);
  }
};

TEST_F(CardLicense, IsThatOfTheFrontMatter) {
  EXPECT_EQ(of("---\nlanguage:\n- en\nlicense: apache-2.0\n---\nlicense: other\n"), "apache-2.0");
  EXPECT_EQ(of("---\r\nlicense: \"MPL-2.0\" \r\n---\r\n"), "MPL-2.0");
}

TEST_F(CardLicense, IsEmptyIfNothingStatesIt) {
  EXPECT_EQ(of("license: mit\n"), "");
  EXPECT_EQ(of("---\ntags:\n---\nlicense: mit\n"), "");
  EXPECT_EQ(of("---\nlicense:\n- mit\n---\n"), "");
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(license_of_card(folder_ / "README.md"), "");
  EXPECT_EQ(license_of_card(folder_ / "nowhere"), "");
}

}  // namespace
}  // namespace translate
