#include "interop/export/argos_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/libraries/loaded_libraries.h"
#include "interop/export/zip_writing.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/interop/export/exported_fixture.h"

namespace translate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The content of an archive: names, and the text of the entry `of_name`.
struct Content {
  std::vector<std::string> names;
  std::string text;
};

Content read_zip(const std::filesystem::path& path, const std::string& of_name) {
  Content content;
  zip_error_t error = {};
  zip_source_t* const source = libzip().source_file_create(path.c_str(), 0, -1, &error);
  zip_t* const archive = libzip().open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  if (archive == nullptr) throw RuntimeError("not an archive");
  const auto count = static_cast<std::uint64_t>(libzip().get_num_entries(archive, 0));
  for (std::uint64_t i = 0; i < count; ++i) {
    content.names.emplace_back(libzip().get_name(archive, i, 0));
    if (content.names.back() != of_name) continue;
    zip_file_t* const entry = libzip().fopen_index(archive, i, 0);
    content.text.resize(1U << 20U);
    content.text.resize(static_cast<std::size_t>(libzip().fread(entry, content.text.data(), content.text.size())));
    libzip().fclose(entry);
  }
  libzip().discard(archive);
  return content;
}

using ArgosExportTest = TemporaryFolderTest;

TEST_F(ArgosExportTest, IsAnArchiveOfOneFolder) {
  const auto file = folder_ / "en-fr.argosmodel";
  const auto model = tiny_model();
  export_argos(model, StoredPrecision::kFp32, folder_, file);
  const auto content = read_zip(file, "translate-en_fr-1_0/metadata.json");
  EXPECT_THAT(content.names, ElementsAre("translate-en_fr-1_0/README.md", "translate-en_fr-1_0/metadata.json",
                                         "translate-en_fr-1_0/model/config.json", "translate-en_fr-1_0/model/model.bin",
                                         "translate-en_fr-1_0/model/shared_vocabulary.json",
                                         "translate-en_fr-1_0/sentencepiece.model"));
  EXPECT_EQ(nlohmann::json::parse(content.text), nlohmann::json::parse(R"({
      "package_version": "1.0", "argos_version": "1.9.0", "from_code": "en", "from_name": "English",
      "to_code": "fr", "to_name": "French"})"));
  EXPECT_EQ(read_zip(file, "translate-en_fr-1_0/sentencepiece.model").text, model.tokenizers.target.serialized());
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
}  // namespace translate::testing
