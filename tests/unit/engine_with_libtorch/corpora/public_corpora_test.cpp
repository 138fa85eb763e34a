#include "corpora/public_corpora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "data/training_data.h"
#include "support/folders.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string advice(const std::vector<fs::path>& missing) { return how_to_get(missing); }

TEST(PublicCorpora, EachHasItsCommandOnce) {
  EXPECT_EQ(advice({"/x/data/multi30k-en-fr/train.en.gz", "/x/data/multi30k-en-fr/train.fr.gz"}),
            "; scripts/get-data multi30k-en-fr downloads what is missing");
  EXPECT_EQ(advice({"/x/data/tatoeba-en-fr/a", "/x/data/multi30k-en-fr-tok/a"}),
            "; scripts/get-data tatoeba-en-fr && scripts/get-data multi30k-en-fr-tok downloads what is missing");
  EXPECT_EQ(advice({"/x/data/mine/train.en", "/x/multi30k-en-fr/train.en", "train.en"}), "");
}

TEST(PublicCorpora, AllThatTheScriptKnows) {
  std::ifstream list(project_folder() / "scripts/get-data.files");
  std::set<std::string> corpora;
  for (std::string line; std::getline(list, line);) {
    std::string corpus;
    std::istringstream(line) >> corpus;
    if (!corpus.empty() && corpus.front() != '#') {
      corpora.insert(corpus);
    }
  }
  EXPECT_GE(corpora.size(), 5U);
  for (const auto& corpus : corpora) {
    EXPECT_THAT(advice({"/x/data/" + corpus + "/a"}), HasSubstr("scripts/get-data " + corpus + " "));
  }
}

class PublicCorporaFiles : public TemporaryFolderTest {};

TEST_F(PublicCorporaFiles, TheScriptOfAnotherCheckoutHasItsPath) {
  fs::create_directories(folder_ / "scripts");
  std::ofstream(folder_ / "scripts/get-data") << "";
  EXPECT_EQ(advice({folder_ / "data/wmt14-en-de/train.en.gz"}),
            "; " + (folder_ / "scripts/get-data").string() + " wmt14-en-de downloads what is missing");
}

TEST_F(PublicCorporaFiles, MissingFilesAreCounted) {
  const auto error = [&](const std::vector<CorpusFiles>& train) -> std::string {
    DataOptions data;
    data.train = train;
    try {
      trainer::check_files_are_there(data);
    } catch (const DataError& thrown) {
      return thrown.what();
    }
    return "";
  };
  std::ofstream(folder_ / "a.en") << "";
  const auto there = folder_ / "a.en";
  EXPECT_EQ(error({{.source = there, .target = there}}), "");
  EXPECT_EQ(error({{.source = there, .target = folder_ / "a.fr"}}),
            "cannot read " + (folder_ / "a.fr").string() + ": No such file or directory");
  const auto corpus = folder_ / "data/multi30k-en-fr";
  EXPECT_THAT(error({{.source = corpus / "train.en.gz", .target = corpus / "train.fr.gz"}}),
              AllOf(HasSubstr("train.en.gz: No such file or directory (2 files"), Not(HasSubstr("train.fr.gz")),
                    HasSubstr("scripts/get-data multi30k-en-fr downloads")));
}

}  // namespace
}  // namespace translate
