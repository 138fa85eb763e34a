#include "segments/json_glossary.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

std::shared_ptr<const Glossary> read(const std::string& json) { return read_json_glossary(parse_json(json)); }

TEST(JsonGlossary, AnObjectAndAListOfPairsAreTheSame) {
  for (const auto* json :
       {R"({"dog": "chien", "hot dog": "saucisse"})", R"([["dog", "chien"], ["hot dog", "saucisse"]])"}) {
    const auto glossary = read(json);
    ASSERT_NE(glossary, nullptr);
    EXPECT_EQ(glossary->terms(), (std::vector<GlossaryTerm>{{"dog", "chien"}, {"hot dog", "saucisse"}}));
  }
}

TEST(JsonGlossary, WithoutTermsThereIsNone) {
  for (const auto* json : {"{}", "[]", "null"}) {
    EXPECT_EQ(read(json), nullptr);
  }
}

TEST(JsonGlossary, FaultsNameTheTerm) {
  const auto error = [](const std::string& json) {
    return testing::error_of<DataError>([&] { static_cast<void>(read(json)); });
  };
  EXPECT_EQ(error(R"({"dog": "chien", "cat": ""})"), "glossary: term 2: the target term is empty");
  EXPECT_NE(error(R"({"dog": 3})").find("glossary: term 1: not a text; expected an object such as"), std::string::npos);
  EXPECT_NE(error(R"([["dog"]])").find("glossary: term 1: not a pair; expected"), std::string::npos);
  EXPECT_NE(error(R"("dog")").find("glossary: expected an object"), std::string::npos);
}

}  // namespace
}  // namespace translate
