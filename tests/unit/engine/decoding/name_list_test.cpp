#include <gmock/gmock.h>

#include <set>

#include "decoding/model_source.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> split(const std::string& list, const std::set<std::string>& there) {
  return split_names(list, [&](const std::string& name) { return there.contains(name); });
}

TEST(NameList, ACommaSeparates) {
  EXPECT_THAT(split("a", {}), ElementsAre("a"));
  EXPECT_THAT(split("a,b,c", {}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split("a,b,c", {"a", "b", "c"}), ElementsAre("a", "b", "c"));
}

TEST(NameList, ANameThatExistsMayHoldCommas) {
  EXPECT_THAT(split("a,b", {"a,b"}), ElementsAre("a,b"));
  EXPECT_THAT(split("a,b,c", {"a,b"}), ElementsAre("a,b", "c"));
  EXPECT_THAT(split("c,a,b", {"a,b"}), ElementsAre("c", "a,b"));
  EXPECT_THAT(split("a,b/x,a,b/y", {"a,b/x", "a,b/y"}), ElementsAre("a,b/x", "a,b/y"));
  EXPECT_THAT(split("a,b", {"a", "b", "a,b"}), ElementsAre("a,b"));  // the longest
  EXPECT_THAT(split(",a", {",a"}), ElementsAre(",a"));
}

TEST(NameList, EmptyNamesAreKeptForTheCallerToRefuse) {
  EXPECT_THAT(split("", {}), ElementsAre(""));
  EXPECT_THAT(split("a,", {"a"}), ElementsAre("a", ""));
  EXPECT_THAT(split(",a", {}), ElementsAre("", "a"));
  EXPECT_THAT(split("a,,b", {}), ElementsAre("a", "", "b"));
}

}  // namespace
}  // namespace translate
