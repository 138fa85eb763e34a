#include "interop/export/ctranslate2_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/temporary_folder.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate::tools {
namespace {

using testing::error_of;

template <class Number>
StoredArray scalar(NumberType type, Number number) {
  return {.dtype = type, .shape = {}, .data = std::make_shared<const Number>(number), .file = {}};
}

std::string bytes_of(const CTranslate2Model& model) {
  const TemporaryFolder folder;
  write_ctranslate2_file(folder.path() / "model.bin", model);
  return read_file(folder.path() / "model.bin");
}

TEST(CTranslate2File, HoldsVariablesByNameThenAliases) {
  const std::string expected =
      std::string("\x06\0\0\0", 4) +                                                // version of the format
      std::string("\x05\0Spec\0", 7) + std::string("\x07\0\0\0", 4) +               // kind and revision
      std::string("\x03\0\0\0", 4) +                                                // variables
      std::string("\x02\0a\0", 4) + std::string("\0\x01\x01\0\0\0\xff", 7) +        // int8 scalar: -1
      std::string("\x02\0b\0", 4) + std::string("\0\x02\x02\0\0\0\x04\0", 8) +      // int16 scalar: 4
      std::string("\x04\0m/w\0", 6) + std::string("\x02\x01\0\0\0\x02\0\0\0", 9) +  // a matrix (1, 2) ...
      std::string("\0\x08\0\0\0", 5) + std::string("\0\0\x80\x3f\0\0\0\xc0", 8) +   // ... of floats: 1, -2
      std::string("\x01\0\0\0", 4) + std::string("\x02\0z\0\x04\0m/w\0", 10);       // z is m/w
  EXPECT_EQ(bytes_of({.spec = "Spec",
                      .revision = 7,
                      .variables = {{"m/w", stored_floats({1, 2}, {1.0F, -2.0F})},
                                    {"b", scalar<std::int16_t>(NumberType::kInt16, 4)},
                                    {"a", scalar<std::int8_t>(NumberType::kInt8, -1)}},
                      .aliases = {{"z", "m/w"}}}),
            expected);
}

TEST(CTranslate2File, RefusesANameThatIsGivenTwice) {
  CTranslate2Model model{.spec = "Spec",
                         .revision = 1,
                         .variables = {{"a", scalar<std::int8_t>(NumberType::kInt8, 0)},
                                       {"b", scalar<std::int8_t>(NumberType::kInt8, 0)},
                                       {"a", scalar<std::int8_t>(NumberType::kInt8, 1)}},
                         .aliases = {}};
  const auto error = [&] { return error_of<CheckpointError>([&] { (void)bytes_of(model); }); };
  EXPECT_THAT(error(), ::testing::HasSubstr("model.bin: variable \"a\": this name is given twice"));
  model.variables.pop_back();
  model.aliases = {{"b", "a"}};
  EXPECT_THAT(error(), ::testing::HasSubstr("variable \"b\": this name is given twice"));
}

TEST(CTranslate2File, RefusesTypesThatItDoesNotHave) {
  const CTranslate2Model model{
      .spec = "Spec", .revision = 1, .variables = {{"a", scalar<double>(NumberType::kFloat64, 1.0)}}, .aliases = {}};
  EXPECT_THAT(error_of<CheckpointError>([&] { (void)bytes_of(model); }),
              ::testing::HasSubstr("a: model.bin cannot hold numbers of type float64"));
}

}  // namespace
}  // namespace translate::tools
