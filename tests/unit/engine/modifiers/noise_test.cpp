#include "modifiers/noise.h"

#include <gtest/gtest.h>

#include <set>

#include "core/utf8.h"

namespace translate {
namespace {

TEST(Noise, IsOneWordOfEachKind) {
  std::set<std::string> segments;
  int addresses = 0;
  int urls = 0;
  int digits_first = 0;
  int emoji = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 random(seed);
    const auto segment = noise_segment(random);
    std::mt19937_64 again(seed);
    EXPECT_EQ(noise_segment(again), segment);
    EXPECT_FALSE(segment.empty());
    EXPECT_EQ(segment.find(' '), std::string::npos) << segment;
    EXPECT_FALSE(first_invalid_utf8(segment));
    segments.insert(segment);
    addresses += segment.find('@') != std::string::npos ? 1 : 0;
    urls += segment.starts_with("http") || segment.starts_with("www.") ? 1 : 0;
    digits_first += is_ascii(segment) && segment.find_first_of("0123456789$") == 0 ? 1 : 0;
    emoji += is_ascii(segment) ? 0 : 1;
  }
  for (const int count : {addresses, urls, digits_first, emoji}) {
    EXPECT_NEAR(count, 250, 60);
  }
  EXPECT_EQ(addresses + urls + digits_first + emoji, 1000);
  EXPECT_GT(segments.size(), 600U);
}

}  // namespace
}  // namespace translate
