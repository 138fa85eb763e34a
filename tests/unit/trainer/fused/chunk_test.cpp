#include "fused/chunk.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace translate::trainer {
namespace {

TEST(Chunks, HaveAllRowsOnceAndWholeSentences) {
  constexpr std::array<std::int64_t, 4> kQueryLengths = {40, 1, 70, 25};
  constexpr std::array<std::int64_t, 4> kKeyLengths = {33, 7, 12, 50};
  const auto chunks = chunks_of_sentences({std::make_shared<UnpaddedLayout>(kQueryLengths, 70),
                                           std::make_shared<UnpaddedLayout>(kKeyLengths, 50), /*is_causal=*/false});
  ASSERT_EQ(chunks.size(), 2U);  // a sentence more once there are kChunkRows rows
  EXPECT_EQ(chunks[0].rows.end, 111);
  EXPECT_EQ(chunks[0].keys.end, 52);
  EXPECT_EQ(chunks[1].rows.begin, 111);
  EXPECT_EQ(chunks[1].rows.end, 136);
  EXPECT_EQ(chunks[1].keys.end, 102);
  EXPECT_EQ(chunks[1].sentences.count(), 1);
  const auto rows = chunks_of_rows(kChunkRows + 1);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].index, 1);
  EXPECT_EQ(rows[1].rows.count(), 1);
}

}  // namespace
}  // namespace translate::trainer
