#include "interop/marian/firefox_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FirefoxFolder : public TemporaryFolderTest {
 protected:
  void make(const std::vector<std::string>& names) const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      fs::remove(entry.path());
    }
    for (const auto& name : names) {
      std::ofstream(folder_ / name) << "x";
    }
  }
  [[nodiscard]] FirefoxFiles find() const { return find_firefox_files(folder_); }
  [[nodiscard]] std::string refusal() const {
    return testing::error_of<CheckpointError>([&] { (void)find(); });
  }
};

TEST_F(FirefoxFolder, IsKnownByItsFiles) {
  make({"model.enfr.intgemm.alphas.bin", "vocab.enfr.spm", "lex.50.50.enfr.s2t.bin", "metadata.json"});
  EXPECT_TRUE(is_firefox_model(folder_));
  const auto files = find();
  EXPECT_EQ(files.decoder.model, "model.enfr.intgemm.alphas.bin");
  EXPECT_THAT(files.decoder.vocabularies, ElementsAre("vocab.enfr.spm", "vocab.enfr.spm"));
  EXPECT_EQ(files.decoder.shortlist, "lex.50.50.enfr.s2t.bin");
  EXPECT_EQ(files.source_language, "en");
  EXPECT_EQ(files.target_language, "fr");
  EXPECT_EQ(files.decoder.decoding.beam_size, 1);
  EXPECT_EQ(files.decoder.decoding.max_length_ratio, 2.0);
}

TEST_F(FirefoxFolder, MayHaveAVocabularyForEachLanguageAndPackedFiles) {
  make({"model.enja.intgemm8.bin.gz", "srcvocab.enja.spm.gz", "trgvocab.enja.spm.gz"});
  EXPECT_TRUE(is_firefox_model(folder_));
  EXPECT_EQ(find().decoder.model, "model.enja.intgemm8.bin");
  EXPECT_THAT(find().decoder.vocabularies, ElementsAre("srcvocab.enja.spm", "trgvocab.enja.spm"));
  EXPECT_EQ(find().decoder.shortlist, "");
}

TEST_F(FirefoxFolder, NamesTellLanguagesOnlyIfTheyAreCertain) {
  for (const std::string name : {"model.npz", "model.enzh_hant.bin", "model.best.npz", "model.fren.bin"}) {
    make({name, "vocab.enfr.spm"});
    EXPECT_EQ(find().decoder.model, name);
    EXPECT_EQ(find().source_language, "") << name;
  }
}

TEST_F(FirefoxFolder, OtherFoldersAreNone) {
  make({"model.bin", "config.json", "source.spm"});  // of CTranslate2
  EXPECT_FALSE(is_firefox_model(folder_));
  make({"vocab.enfr.spm"});
  EXPECT_FALSE(is_firefox_model(folder_));
  EXPECT_FALSE(is_firefox_model(folder_ / "vocab.enfr.spm"));
  EXPECT_FALSE(is_firefox_model(folder_ / "nowhere"));
}

TEST_F(FirefoxFolder, WhatIsNotOneModelIsRefused) {
  make({"model.enfr.bin", "model.fren.bin", "vocab.enfr.spm"});
  EXPECT_THAT(refusal(),
              HasSubstr("it has \"model.enfr.bin\" and \"model.fren.bin\", expected the files of one model"));
  make({"model.enfr.bin", "srcvocab.enfr.spm"});
  EXPECT_THAT(refusal(), HasSubstr("expected one file vocab.*.spm for both languages, or srcvocab.*.spm and"));
  make({"model.enfr.bin.zst", "vocab.enfr.spm.zst"});
  EXPECT_TRUE(is_firefox_model(folder_));
  EXPECT_THAT(refusal(), HasSubstr("packed by zstd, which is not supported: unpack them with zstd -d"));
  make({"model.enfr.npz", "model.enfr.npz.optimizer.npz", "vocab.enfr.spm"});
  EXPECT_EQ(find().decoder.model, "model.enfr.npz");
}

}  // namespace
}  // namespace translate::tools
