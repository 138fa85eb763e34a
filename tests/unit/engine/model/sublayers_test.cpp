#include "model/sublayers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace translate {
namespace {

TEST(Sublayers, AreCalledInTheOrderOfTheList) {
  std::vector<std::string> calls;
  const auto run = [&](std::size_t i, const char* name) { calls.push_back(std::to_string(i) + name); };
  for_each_sublayer(kEncoderSublayers, "self", /*cross_attention=*/nullptr, "feed", run);
  EXPECT_THAT(calls, ::testing::ElementsAre("0self", "1feed"));
  calls.clear();
  for_each_sublayer(kDecoderSublayers, "self", "cross", "feed", run);
  EXPECT_THAT(calls, ::testing::ElementsAre("0self", "1cross", "2feed"));
  calls.clear();
  for_each_sublayer(decoder_sublayers(DecoderKind::kSsru), "unit", "cross", "feed", run);
  EXPECT_THAT(calls, ::testing::ElementsAre("0unit", "1cross", "2feed"));
}

}  // namespace
}  // namespace translate
