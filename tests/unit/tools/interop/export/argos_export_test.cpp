#include "interop/export/argos_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"
#include "interop/archive/zip_writing.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

ZipArchive read_zip(const std::filesystem::path& path) {
  return ZipArchive(std::make_shared<const StableFile>(path), ZipContent::kDeflated);
}

using ArgosExportTest = TemporaryFolderTest;

TEST_F(ArgosExportTest, IsAnArchiveOfOneFolder) {
  const auto file = folder_ / "en-fr.argosmodel";
  const auto model = tiny_model();
  export_argos(model, StoredPrecision::kFp32, folder_, file);
  const auto archive = read_zip(file);
  EXPECT_THAT(
      archive.names(),
      ElementsAre("translate-en_fr-1_0/README.md", "translate-en_fr-1_0/metadata.json",
                  "translate-en_fr-1_0/model/config.json", "translate-en_fr-1_0/model/model.bin",
                  "translate-en_fr-1_0/model/shared_vocabulary.json", "translate-en_fr-1_0/sentencepiece.model"));
  EXPECT_EQ(nlohmann::json::parse(archive.read("translate-en_fr-1_0/metadata.json")), nlohmann::json::parse(R"({
      "package_version": "1.0", "argos_version": "1.9.0", "from_code": "en", "from_name": "English",
      "to_code": "fr", "to_name": "French"})"));
  EXPECT_EQ(archive.read("translate-en_fr-1_0/sentencepiece.model"), model.tokenizers.target.serialized());
}

TEST_F(ArgosExportTest, NeedsOneTokenizerAndBothLanguages) {
  auto model = tiny_model();
  model.facts.directions = {};
  EXPECT_THAT(error_of<ConfigError>([&] { check_argos(model); }),
              HasSubstr("give them with --source-language and --target-language"));
  const TokenizerPair two{tiny_tokenizer(), tiny_tokenizer(TokenizerType::kBpe, "le chat dort")};
  EXPECT_THAT(error_of<ConfigError>([&] { check_argos(tiny_model(tiny_options(), two)); }),
              HasSubstr("one SentencePiece model serves both; export to ctranslate2, or train with tokenizer.shared"));
}

TEST_F(ArgosExportTest, RefusesACodeThatLeadsElsewhere) {
  auto model = tiny_model();
  model.facts.directions.front().source = "../../x";
  EXPECT_THAT(error_of<ConfigError>([&] { check_argos(model); }), HasSubstr("\"../../x\" is not a language code"));
}

TEST_F(ArgosExportTest, TheSourcesNormaliserServesBoth) {
  TokenizerOptions options;
  options.vocab_size = 24;
  const auto tokenizers = train_tokenizers(options, {.source = {"the cat sat"}, .target = {"a cat"}});
  ASSERT_NE(tokenizers.source.serialized(), tokenizers.target.serialized());
  const auto file = folder_ / "en-fr.argosmodel";
  export_argos(tiny_model(tiny_options(), tokenizers), StoredPrecision::kFp32, folder_, file);
  EXPECT_EQ(read_zip(file).read("translate-en_fr-1_0/sentencepiece.model"), tokenizers.source.serialized());
}

TEST_F(ArgosExportTest, HasNoPlaceForALanguageTag) {
  const auto tagged = tiny_tokenizer(TokenizerType::kBpe, "the cat sat", {">>fr<<"});
  EXPECT_THAT(error_of<ConfigError>([&] {
                check_argos(tiny_model(tiny_options(), {tagged, tagged}));
              }),
              HasSubstr("its vocabulary has language tags"));
}

TEST_F(ArgosExportTest, NamesAnArchiveThatCannotBeWritten) {
  make_folder(folder_ / "in");
  write_file_synced(folder_ / "in" / "file", "text");
  EXPECT_THAT(error_of<RuntimeError>([&] { write_zip(folder_ / "no" / "a.zip", folder_ / "in"); }),
              HasSubstr("no/a.zip: "));
}

}  // namespace
}  // namespace translate::tools
