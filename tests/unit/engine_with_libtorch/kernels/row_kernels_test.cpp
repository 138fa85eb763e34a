#include "kernels/row_kernels.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(RowKernels, ColumnSumsAreAddedToWhatIsThere) {
  const auto x = at::arange(12, at::kFloat).view({3, 4});
  const auto sums = at::ones({2});
  add_column_sums({x.const_data_ptr<float>() + 1, 4}, 3, 2, sums.mutable_data_ptr<float>());
  EXPECT_TRUE(at::equal(sums, at::tensor({16.0F, 19.0F})));
}

}  // namespace
}  // namespace translate
