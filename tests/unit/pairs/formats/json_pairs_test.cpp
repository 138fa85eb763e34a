#include "pairs/formats/json_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JsonPairs : public TemporaryFolderTest {
 protected:
  std::vector<SentencePair> pairs(const std::string& text, const LanguageCodes& wanted = {}) const {
    const auto path = folder_ / "pairs.jsonl";
    std::ofstream(path) << text;
    const auto keys = keys_of(text.substr(0, text.find('\n')), wanted, "pairs.jsonl:1");
    const auto source = json_pairs(LineReader(path), keys);
    std::vector<SentencePair> all;
    for (SentencePair pair; source->next(pair);) {
      all.push_back(pair);
    }
    return all;
  }
};

TEST_F(JsonPairs, SidesAreNamedOrLanguages) {
  EXPECT_THAT(pairs("{\"id\": 1, \"target\": \"Salut.\", \"source\": \"Hi.\"}\n"),
              ElementsAre(SentencePair{"Hi.", "Salut."}));
  EXPECT_THAT(pairs("{\"translation\": {\"en\": \"Hi.\", \"fr\": \"Sa\\nlut.\"}}\n\n"),
              ElementsAre(SentencePair{"Hi.", "Sa lut."}));
  EXPECT_THAT(pairs("{\"translation\": {\"en\": \"Hi.\", \"fr\": \"Salut.\"}}\n", {.source = "fr", .target = ""}),
              ElementsAre(SentencePair{"Salut.", "Hi."}));
}

TEST_F(JsonPairs, OtherLinesAreRefusedWithTheirPlace) {
  const std::string first = "{\"source\": \"a\", \"target\": \"b\"}\n";
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs(first + "[1]\n"); }), HasSubstr("pairs.jsonl:2: "));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs(first + "{\"source\": 1,}\n"); }),
              HasSubstr("pairs.jsonl:2:"));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs(first + "{\"source\": \"a\"}\n"); }),
              HasSubstr("\"target\""));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs("{\"text\": \"a\"}\n"); }), HasSubstr("it has text"));
}

}  // namespace
}  // namespace translate
