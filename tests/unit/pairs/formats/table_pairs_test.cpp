#include "pairs/formats/table_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TablePairs : public TemporaryFolderTest {
 protected:
  TableReader open(const std::string& text, TableFormat format) const {
    const auto path = folder_ / "table";
    std::ofstream(path) << text;
    return {LineReader(path), format};
  }

  std::vector<std::vector<std::string>> rows(const std::string& text, TableFormat format) const {
    auto reader = open(text, format);
    std::vector<std::vector<std::string>> all;
    for (std::vector<std::string> row; reader.next(row);) {
      all.push_back(row);
    }
    return all;
  }

  std::vector<SentencePair> pairs(const std::string& text, TableFormat format, const LanguageCodes& wanted = {}) const {
    std::vector<std::string> row;
    auto head = open(text, format);
    EXPECT_TRUE(head.next(row));
    const auto columns = columns_of(row, wanted, head.place());
    const auto source = table_pairs(open(text, format), columns);
    std::vector<SentencePair> all;
    for (SentencePair pair; source->next(pair);) {
      all.push_back(pair);
    }
    return all;
  }
};

TEST_F(TablePairs, TabsSeparateAndNothingIsQuoted) {
  EXPECT_THAT(rows("a\t\"b\n\nc\t\n", TableFormat::kTsv), ElementsAre(ElementsAre("a", "\"b"), ElementsAre("c", "")));
}

TEST_F(TablePairs, FieldsOfCsvMayBeQuoted) {
  EXPECT_THAT(rows("a,\"b, \"\"c\"\"\nd\",\n;,\"\",x\n", TableFormat::kCsv),
              ElementsAre(ElementsAre("a", "b, \"c\" d", ""), ElementsAre(";", "", "x")));
  EXPECT_THAT(rows("a;b,c;\"d;e\"\n", TableFormat::kCsv), ElementsAre(ElementsAre("a", "b,c", "d;e")));
}

TEST_F(TablePairs, AnOddQuoteIsNamedWithItsLine) {
  const auto open_quote = testing::error_of<DataError>([&] { (void)rows("a,b\n\"c,d\ne,f\n", TableFormat::kCsv); });
  EXPECT_THAT(open_quote, HasSubstr("table:2: "));
  const auto inside = testing::error_of<DataError>([&] { (void)rows("a,b\n\"c\" d,e\n", TableFormat::kCsv); });
  EXPECT_THAT(inside, HasSubstr("table:2: column 1 "));
}

TEST_F(TablePairs, TwoColumnsWithoutAHeaderAreSourceAndTarget) {
  EXPECT_THAT(pairs("Hi.\tSalut.\nGo on.\tContinue.\n", TableFormat::kTsv),
              ElementsAre(SentencePair{"Hi.", "Salut."}, SentencePair{"Go on.", "Continue."}));
}

TEST_F(TablePairs, AHeaderNamesTheColumns) {
  EXPECT_THAT(pairs("id,Target,Source\n7,Salut.,Hi.\n", TableFormat::kCsv), ElementsAre(SentencePair{"Hi.", "Salut."}));
  EXPECT_THAT(pairs("id\ten\tFrench\n7\tHi.\tSalut.\n", TableFormat::kTsv), ElementsAre(SentencePair{"Hi.", "Salut."}));
  EXPECT_THAT(pairs("en\tfr\tde\nHi.\tSalut.\tHallo.\n", TableFormat::kTsv, {.source = "de", .target = "en"}),
              ElementsAre(SentencePair{"Hallo.", "Hi."}));
}

TEST_F(TablePairs, OtherNumbersOfColumnsAreRefusedWithTheirLine) {
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs("1\tHi.\tSalut.\n", TableFormat::kTsv); }),
              HasSubstr("table:1: 3 columns"));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs("Hi.\tSalut.\nGo.\n", TableFormat::kTsv); }),
              HasSubstr("table:2: 1 column, where the first row has 2"));
}

}  // namespace
}  // namespace translate
