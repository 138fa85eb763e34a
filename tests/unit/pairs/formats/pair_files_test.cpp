#include "pairs/formats/pair_files.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>
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

  /// Files with their contents, in their order.
  using Files = std::vector<std::pair<std::string, std::string>>;

  /// Writes an archive of files, or packed data (ARCHIVE_FORMAT_RAW).
  fs::path pack(const std::string& name, int format, int filter, const Files& files) const {
    const auto path = folder_ / name;
    const std::unique_ptr<archive, int (*)(archive*)> packed(archive_write_new(), archive_write_free);
    EXPECT_EQ(archive_write_add_filter(packed.get(), filter), ARCHIVE_OK);
    EXPECT_EQ(archive_write_set_format(packed.get(), format), ARCHIVE_OK);
    EXPECT_EQ(archive_write_open_filename(packed.get(), path.c_str()), ARCHIVE_OK);
    for (const auto& [file, content] : files) {
      const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
      archive_entry_set_pathname(entry.get(), file.c_str());
      archive_entry_set_filetype(entry.get(), AE_IFREG);
      archive_entry_set_perm(entry.get(), 0644);
      archive_entry_set_size(entry.get(), std::ssize(content));
      EXPECT_EQ(archive_write_header(packed.get(), entry.get()), ARCHIVE_OK);
      EXPECT_EQ(archive_write_data(packed.get(), content.data(), content.size()), std::ssize(content));
    }
    EXPECT_EQ(archive_write_close(packed.get()), ARCHIVE_OK);
    return path;
  }

  /// Packs a text; the name's end says how.
  fs::path pack_text(const std::string& name, const std::string& text) const {
    const auto filter = name.ends_with(".gz")    ? ARCHIVE_FILTER_GZIP
                        : name.ends_with(".xz")  ? ARCHIVE_FILTER_XZ
                        : name.ends_with(".zst") ? ARCHIVE_FILTER_ZSTD
                                                 : ARCHIVE_FILTER_BZIP2;
    return pack(name, ARCHIVE_FORMAT_RAW, filter, {{name, text}});
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
  const std::string text = "Hallo.\tHi.\nWeiter.\tGo on.\n";
  write("my.de-en.tsv", text);
  for (const std::string end : {".gz", ".xz", ".zst", ".bz2"}) {
    pack_text("my.de-en.tsv" + end, text);
  }
  for (const std::string end : {"", ".gz", ".xz", ".zst", ".bz2"}) {
    const auto found = find({folder_ / ("my.de-en.tsv" + end)});
    EXPECT_EQ(pairs(found), german_first_) << end;
    EXPECT_EQ(found.front().languages, (LanguageCodes{.source = "de", .target = "en"})) << end;
  }
}

TEST_F(PairFilesTest, CutOffPackedFilesAreNamedWithThePlace) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "Satz " + std::to_string(i * 7919 % 100'003) + "\tSentence " + std::to_string(i) + "\n";
  }
  for (const std::string end : {"xz", "zst", "bz2"}) {
    const auto path = pack_text("my.tsv." + end, text);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs(find({path})); }), HasSubstr("my.tsv." + end + ":"))
        << end;
  }
}

TEST_F(PairFilesTest, BytesThatUnpackToFarTooMuchAreNotReadOn) {
  const auto path = pack_text("bomb.tsv.bz2", std::string(80'000'000, 'a'));
  const auto error = testing::error_of<DataError>([&] {
    PackedReader reader(path);
    while (!reader.read().empty()) {
    }
  });
  EXPECT_THAT(error, HasSubstr("more than 1000 times"));
}

TEST_F(PairFilesTest, ArchivesHaveTextsAndOtherFiles) {
  const Files files = {{"README", "Licence"}, {"Corpus.de-en.en", english_}, {"Corpus.de-en.de", german_}};
  for (const auto& path : {pack("my.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, files),
                           pack("my.tar.xz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ, files),
                           pack("de-en.txt.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, files)}) {
    const auto found = find({path});
    EXPECT_EQ(pairs(found), german_first_) << path;
    EXPECT_EQ(found.front().languages, (LanguageCodes{.source = "de", .target = "en"})) << path;
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
