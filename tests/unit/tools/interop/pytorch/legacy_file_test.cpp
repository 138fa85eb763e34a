#include "interop/pytorch/legacy_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "core/file.h"
#include "core/stable_file.h"
#include "interop/pytorch/pytorch_file.h"
#include "unit/engine_with_libtorch/checkpoint/pytorch_fixture.h"
#include "unit/tools/interop/pytorch/pytorch_file_fixture.h"

namespace translate::tools {
namespace {

/// The golden file, and copies of it that are damaged.
class LegacyFileTest : public PytorchFileTest {
 protected:
  [[nodiscard]] std::string refusal_of(const std::string& bytes) const {
    write_quickly(path_, bytes);
    return error_of<CheckpointError>([&] { (void)read_pytorch_file(StableFile(path_)); });
  }

  /// The golden file with `part` replaced by `by`, which is as long.
  [[nodiscard]] std::string replaced(const std::string& part, const std::string& by) const {
    auto bytes = bytes_;
    const auto place = bytes.find(part);
    EXPECT_NE(place, std::string::npos);
    EXPECT_EQ(part.size(), by.size());
    return bytes.replace(place, part.size(), by);
  }

  const std::string bytes_ = read_file(pytorch_golden("legacy.pt"));
};

TEST_F(LegacyFileTest, AStateDictIsRead) {
  const auto weights = weights_of("legacy.pt");
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_EQ(weights[0].first, "proj.weight");
  EXPECT_EQ(weights[0].second.sizes(), (std::vector<std::int64_t>{3, 8}));
  EXPECT_EQ(weights[0].second[0][0].item<double>(), 0.6887028813362122);  // numbers that torch.load gives
  EXPECT_EQ(weights[0].second[2][7].item<double>(), -0.33694347739219666);
  EXPECT_EQ(weights[1].first, "proj.bias");
  EXPECT_EQ(weights[1].second[2].item<double>(), 0.2933914065361023);
  EXPECT_NEAR(weights[0].second.sum().item<double>(), -3.435531921684742, 1e-6);
}

TEST_F(LegacyFileTest, DamageIsNamed) {
  EXPECT_NE(refusal_of(bytes_.substr(0, bytes_.size() - 1)).find("truncated or damaged: its storage "),
            std::string::npos);
  EXPECT_NE(refusal_of(replaced("little_endian", "middle_endian")).find("big-endian"), std::string::npos);
  EXPECT_NE(refusal_of(replaced("M\xe9\x03", "M\xea\x03")).find("its version is not 1001"), std::string::npos);
  EXPECT_NE(refusal_of(replaced("proj.bias", "proj.bia\xff")).find(path_.string()), std::string::npos);
}

TEST_F(LegacyFileTest, EveryCutIsRefused) {
  const auto cuts = every_cut(bytes_, 1);
  const auto read = [&](const std::string& bytes) {
    write_quickly(path_, bytes);
    (void)read_pytorch_file(StableFile(path_));
  };
  EXPECT_EQ(count_refusals(cuts, read), cuts.size());
}

}  // namespace
}  // namespace translate::tools
