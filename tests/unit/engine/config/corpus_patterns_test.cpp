#include "config/corpus_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;

class CorpusPatterns : public TemporaryFolderTest {
 protected:
  void make(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      make_folder((folder_ / name).parent_path());
      write_file_synced(folder_ / name, "");
    }
  }

  [[nodiscard]] std::vector<CorpusFiles> expand(const std::string& source, const std::string& target) const {
    return expand_patterns(std::vector<CorpusFiles>{{folder_ / source, folder_ / target}});
  }

  /// What the star of the source stands for in each pair.
  [[nodiscard]] std::vector<std::string> stars(const std::string& source, const std::string& target) const {
    std::vector<std::string> found;
    for (const auto& files : expand(source, target)) {
      const auto begin = (folder_ / source).string().find('*');
      const auto length = files.source.string().size() + 1 - (folder_ / source).string().size();
      found.push_back(files.source.string().substr(begin, length));
      EXPECT_EQ(found.size() > 1, files.continues);
      auto expected = (folder_ / target).string();
      EXPECT_EQ(files.target, expected.replace(expected.find('*'), 1, found.back()));
    }
    return found;
  }

  [[nodiscard]] std::string error(const std::string& source, const std::string& target) const {
    const auto text = testing::error_of<ConfigError>([&] { (void)expand(source, target); });
    std::string shorter;
    for (std::size_t begin = 0; begin < text.size();) {  // without the folder
      const auto found = std::min(text.find(folder_.string() + "/", begin), text.size());
      shorter += text.substr(begin, found - begin);
      begin = found == text.size() ? found : found + folder_.string().size() + 1;
    }
    return shorter;
  }
};

TEST_F(CorpusPatterns, PairFilesByWhatTheStarStandsFor) {
  make({"c/part-01.en.gz", "c/part-2.en.gz", "c/part-10.en.gz", "c/part-.en.gz", "c/part-1.en", "c/xpart-1.en.gz",
        "c/part-01.fr.gz", "c/part-2.fr.gz", "c/part-10.fr.gz", "c/part-.fr.gz", "c/part-1.fr.gz.tmp"});
  EXPECT_THAT(stars("c/part-*.en.gz", "c/part-*.fr.gz"), ElementsAre("", "01", "10", "2"));
}

TEST_F(CorpusPatterns, AStarMayStandForAFolder) {
  make({"news/train.en", "news/train.fr", "web/train.en", "web/train.fr", "other/else.en"});
  fs::create_directories(folder_ / "folder/train.en");
  EXPECT_THAT(stars("*/train.en", "*/train.fr"), ElementsAre("news", "web"));
}

TEST_F(CorpusPatterns, LeaveOtherCorporaAndHiddenFilesAlone) {
  make({"a.en", "a.fr", ".hidden.en", ".hidden.fr"});
  EXPECT_THAT(stars("*.en", "*.fr"), ElementsAre("a"));
  EXPECT_THAT(stars(".hid*.en", ".hid*.fr"), ElementsAre("den"));
  const std::vector<CorpusFiles> plain = {{"/none.en", "/none.fr", 2.0}, {"/none2.en", "/none2.fr", 2.0, true}};
  EXPECT_EQ(expand_patterns(plain), plain);
  make({"odd*.en", "odd*.fr"});  // files of this name
  EXPECT_EQ(expand("odd*.en", "odd*.fr"), (std::vector<CorpusFiles>{{folder_ / "odd*.en", folder_ / "odd*.fr"}}));
}

TEST_F(CorpusPatterns, KeepWeightAndCorpus) {
  make({"1.en", "1.fr", "2.en", "2.fr"});
  const auto files = expand_patterns(std::vector<CorpusFiles>{
      {"/a", "/b", 3.0}, {folder_ / "*.en", folder_ / "*.fr", 3.0, /*continues=*/true}, {"/c", "/d"}});
  EXPECT_EQ(files, (std::vector<CorpusFiles>{{"/a", "/b", 3.0},
                                             {folder_ / "1.en", folder_ / "1.fr", 3.0, true},
                                             {folder_ / "2.en", folder_ / "2.fr", 3.0, true},
                                             {"/c", "/d"}}));
}

TEST_F(CorpusPatterns, WhatDoesNotFitIsNamed) {
  make({"1.en", "2.en", "3.en", "1.fr", "4.fr"});
  EXPECT_EQ(error("*.en", "*.fr"), "2.en has no counterpart: there is no 2.fr (2 files lack theirs)");
  make({"2.fr", "3.fr"});
  EXPECT_EQ(error("*.en", "*.fr"), "4.fr has no counterpart: there is no 4.en");
  EXPECT_EQ(error("*.de", "*.fr"), "*.de: matches no file");
  EXPECT_EQ(error("none/*.en", "*.fr"), "none/*.en: matches no file: No such file or directory");
  EXPECT_EQ(error("*.en", "all.fr"),
            "*.en has a star and all.fr has none: expected one on both sides, which stands for the same text");
  EXPECT_EQ(error("all.en", "*.fr"),
            "*.fr has a star and all.en has none: expected one on both sides, which stands for the same text");
  EXPECT_EQ(error("*/*.en", "*/*.fr"), "*/*.en: has several stars; expected one, which tells the files apart");
}

}  // namespace
}  // namespace translate
