#include "interop/marian/npz_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A .npy file of version 1.
std::string npy(const std::string& header, const std::string& numbers) {
  std::string content = "\x93NUMPY";
  content += '\x01';
  content += '\x00';
  content += static_cast<char>(header.size());
  content += '\x00';
  return content + header + numbers;
}

std::string npz_refusal(const std::string& content) {
  return testing::error_of<CheckpointError>([&] { (void)parse_npy(content, "Wemb"); });
}

TEST(Npy, NumbersTypeAndShapeAreRead) {
  const auto array = parse_npy(
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n", std::string("\0\0\x80\x3f\0\0\0\x40", 8)),
      "Wemb");
  EXPECT_THAT(array.shape, ElementsAre(2, 1));
  EXPECT_EQ(array.count(), 2);
  EXPECT_THAT(array.floats("Wemb"), ElementsAre(1.0F, 2.0F));
}

TEST(Npy, OneDimensionAndNoneAreShapesToo) {
  EXPECT_THAT(parse_npy(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", "abc"), "x").shape,
              ElementsAre(3));
  const auto scalar = parse_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "a"), "x");
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.count(), 1);
}

TEST(Npy, AnArrayWithoutElementsHasNoNumbers) {
  const auto array = parse_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1, 16)}", ""), "x");
  EXPECT_EQ(array.count(), 0);
  EXPECT_TRUE(array.floats("x").empty());  // with the sanitizers: no null pointer is copied from
}

TEST(Npy, DamageIsNamed) {
  EXPECT_EQ(npz_refusal("no"), "Wemb: damaged: not a NumPy array");
  EXPECT_EQ(npz_refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "1234")),
            "Wemb: damaged: 4 bytes of numbers, its header says 8");
  EXPECT_THAT(npz_refusal(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "1234")),
              HasSubstr("Fortran's order"));
  EXPECT_THAT(npz_refusal(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 1), }", "1234")),
              HasSubstr("its type >f4 is not supported"));
  EXPECT_THAT(npz_refusal(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "1234")),
              HasSubstr("is not supported"));
  EXPECT_THAT(npz_refusal(npy("{'descr': '<f4', 'shape': (1,), }", "1234")), HasSubstr("lacks 'fortran_order'"));
  EXPECT_THAT(npz_refusal(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "1234")),
              HasSubstr("its shape is too large"));
  EXPECT_THAT(npz_refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
              HasSubstr("in its shape"));
  auto cut = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "1234");
  EXPECT_EQ(npz_refusal(cut.substr(0, 30)), "Wemb: damaged: its header is cut");
}

}  // namespace
}  // namespace translate::tools
