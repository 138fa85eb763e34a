#include "pairs/formats/pair_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "pairs/formats/packed_reader.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class PairFilesTest : public TemporaryFolderTest {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }

  /// Runs a command in the folder, as that which packs a file.
  void run(const std::string& command) const {
    ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && " + command).c_str()), 0) << command;
  }

  static std::vector<SentencePair> pairs(const std::vector<PairFiles>& found) {
    std::vector<SentencePair> all;
    for (const auto& files : found) {
      const auto source = open_pairs(files);
      for (SentencePair pair; source->next(pair);) {
        all.push_back(pair);
      }
    }
    return all;
  }

  static std::vector<PairFiles> find(const std::vector<fs::path>& paths, const LanguageCodes& wanted = {}) {
    return find_pair_files(paths, wanted);
  }

  const std::string english_ = "Hi.\nGo on.\n";
  const std::string german_ = "Hallo.\nWeiter.\n";
  const std::vector<SentencePair> german_first_ = {{"Hallo.", "Hi."}, {"Weiter.", "Go on."}};
};

TEST_F(PairFilesTest, TwoTextsAreSourceAndTarget) {
  const auto found = find({write("a.de", german_), write("b.en", english_)});
  EXPECT_EQ(pairs(found), german_first_);
  EXPECT_EQ(found.front().languages, (LanguageCodes{.source = "de", .target = "en"}));
  EXPECT_EQ(
      find({write("one.txt", german_), write("other.txt", english_)}, {.source = "de", .target = ""}).front().languages,
      (LanguageCodes{.source = "de", .target = ""}));
}

TEST_F(PairFilesTest, TextsOfUnequalLengthAreRefused) {
  const auto found = find({write("a.de", german_), write("b.en", english_ + "More.\n")});
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs(found); }), HasSubstr("b.en has 3"));
}

TEST_F(PairFilesTest, FilesMayBePacked) {
  const auto table = write("my.de-en.tsv", "Hallo.\tHi.\nWeiter.\tGo on.\n");
  for (const std::string packer : {"gzip -k", "xz -k", "zstd -q", "bzip2 -k"}) {
    run(packer + " my.de-en.tsv");
  }
  for (const std::string end : {"", ".gz", ".xz", ".zst", ".bz2"}) {
    const auto found = find({table.string() + end});
    EXPECT_EQ(pairs(found), german_first_) << end;
    EXPECT_EQ(found.front().languages, (LanguageCodes{.source = "de", .target = "en"})) << end;
  }
}

TEST_F(PairFilesTest, CutOffPackedFilesAreNamedWithThePlace) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    text += "Satz " + std::to_string(i * 7919 % 100'003) + "\tSentence " + std::to_string(i) + "\n";
  }
  write("my.tsv", text);
  for (const std::string end : {"xz", "zst", "bz2"}) {
    run((end == "xz" ? "xz -k" : end == "zst" ? "zstd -q" : "bzip2 -k") + std::string(" my.tsv"));
    const auto path = folder_ / ("my.tsv." + end);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs(find({path})); }), HasSubstr("my.tsv." + end + ":"))
        << end;
  }
}

TEST_F(PairFilesTest, BytesThatUnpackToFarTooMuchAreNotReadOn) {
  run("head -c 80000000 /dev/zero | tr '\\0' a | bzip2 > bomb.tsv.bz2");
  const auto error = testing::error_of<DataError>([&] {
    PackedReader reader(folder_ / "bomb.tsv.bz2");
    while (!reader.read().empty()) {
    }
  });
  EXPECT_THAT(error, HasSubstr("more than 1000 times"));
}

TEST_F(PairFilesTest, ArchivesHaveTextsAndOtherFiles) {
  write("Corpus.de-en.de", german_);
  write("Corpus.de-en.en", english_);
  write("README", "Licence");
  run("tar -cf my.tar README Corpus.de-en.en Corpus.de-en.de && xz -k my.tar && python3 -m zipfile -c de-en.txt.zip "
      "README "
      "Corpus.de-en.en Corpus.de-en.de");
  for (const std::string name : {"my.tar", "my.tar.xz", "de-en.txt.zip"}) {
    const auto found = find({folder_ / name});
    EXPECT_EQ(pairs(found), german_first_) << name;
    EXPECT_EQ(found.front().languages, (LanguageCodes{.source = "de", .target = "en"})) << name;
  }
}

TEST_F(PairFilesTest, FoldersAreReadAsAWhole) {
  write("all/a.en", english_);
  write("all/a.de", german_);
  write("all/notes.txt", "nothing");
  write("all/b.tsv", "en\tde\nYes.\tJa.\n");
  const auto found = find({folder_ / "all"}, {.source = "de", .target = "en"});
  EXPECT_THAT(pairs(found), ElementsAre(SentencePair{"Ja.", "Yes."}, german_first_[0], german_first_[1]));
}

TEST_F(PairFilesTest, OfSeveralLanguagesTwoAreChosen) {
  const auto tmx =
      write("my.tmx",
            "<tmx><header srclang=\"en\"/><body><tu><tuv xml:lang=\"en\"><seg>Hi.</seg></tuv><tuv "
            "xml:lang=\"de\"><seg>Hallo.</seg></tuv><tuv xml:lang=\"fr\"><seg>Salut.</seg></tuv></tu></body></tmx>");
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)find({tmx}); }), HasSubstr("en, de, fr"));
  EXPECT_THAT(pairs(find({tmx}, {.source = "fr", .target = "de"})), ElementsAre(SentencePair{"Salut.", "Hallo."}));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)find({tmx}, {.source = "fr", .target = "it"}); }),
              HasSubstr("not what"));
}

TEST_F(PairFilesTest, WhatHasNoPairsIsRefused) {
  const auto text = write("train.de", german_);
  EXPECT_THAT(testing::error_of<ConfigError>([&] { (void)find({text}); }), HasSubstr("other side"));
  EXPECT_THAT(testing::error_of<ConfigError>([&] { (void)find({text, text, text}); }), HasSubstr("only two"));
  EXPECT_THAT(testing::error_of<ConfigError>([&] { (void)find({folder_ / "missing"}); }), HasSubstr("no such file"));
  EXPECT_THAT(testing::error_of<ConfigError>([&] { (void)find({folder_}); }), HasSubstr("no pairs"));
}

}  // namespace
}  // namespace translate
