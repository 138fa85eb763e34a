#include "interop/export/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

class ExportTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] ExportRequest request(const std::string& name) const {
    return {.format = ExportFormat::kCTranslate2, .precision = StoredPrecision::kFp32, .output = folder_ / name};
  }
  /// The number of files and folders, temporary ones included.
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }
};

TEST_F(ExportTest, LeavesTheFolderAlone) {
  export_model(tiny_model(), request("out/"));
  EXPECT_EQ(entries(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "model.bin"));
}

TEST_F(ExportTest, MoreLayersThanTensorsAreRefusedBeforeTheyTakeMemory) {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;  // both formats support it
  auto model = tiny_model(options);
  model.config.model.encoder_layers = 2'000'000'000;
  for (const auto format : {ExportFormat::kCTranslate2, ExportFormat::kHuggingFace}) {
    auto wanted = request("out");
    wanted.format = format;
    EXPECT_THAT(error_of<CheckpointError>([&] { export_model(model, wanted); }),
                HasSubstr("tensors cannot be 2000000000 layers"));
    EXPECT_EQ(entries(), 0);
  }
}

TEST_F(ExportTest, ATableOfPositionsThatCannotFitInMemoryIsRefused) {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;
  options.positions = PositionKind::kNone;  // both formats then store a table of zeros
  auto model = tiny_model(options);
  model.config.data.max_length = 1'000'000'000'000'000;
  for (const auto format : {ExportFormat::kCTranslate2, ExportFormat::kHuggingFace}) {
    auto wanted = request("out");
    wanted.format = format;
    EXPECT_THAT(error_of<ConfigError>([&] { export_model(model, wanted); }),
                HasSubstr("a table of 1000000000000002 positions, as many as the configuration's data.max_length"));
    EXPECT_EQ(entries(), 0);
  }
}

TEST_F(ExportTest, ReplacesAnEarlierExportOnlyIfAsked) {
  const auto model = tiny_model();
  auto again = request("out");
  export_model(model, again);
  EXPECT_THAT(error_of<ConfigError>([&] { export_model(model, again); }),
              HasSubstr("out exists already: choose another name, or replace it with --force"));
  write_file_synced(folder_ / "out" / "leftover", "");
  again.replace = true;
  export_model(model, again);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "leftover"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(ExportTest, NeverReplacesWhatIsNoExport) {
  make_folder(folder_ / "letters");
  write_file_synced(folder_ / "letters" / "config.json", "{}");
  write_file_synced(folder_ / "file", "");
  make_folder(folder_ / "empty");
  for (const std::string name : {"letters", "file"}) {
    auto other = request(name);
    other.replace = true;
    EXPECT_THAT(error_of<ConfigError>([&] { export_model(tiny_model(), other); }),
                HasSubstr("is not an earlier export, so --force does not replace it"))
        << name;
  }
  auto empty = request("empty");
  empty.replace = true;
  export_model(tiny_model(), empty);
  EXPECT_EQ(entries(), 3);
}

TEST_F(ExportTest, RefusesAPlaceThatIsNotThere) {
  EXPECT_THAT(error_of<ConfigError>([&] { export_model(tiny_model(), request("no/out")); }),
              HasSubstr("no: there is no such folder; create it first"));
  auto nameless = request("");
  nameless.output = "/";
  EXPECT_THAT(error_of<ConfigError>([&] { check_export(nameless); }), HasSubstr("\"/\" is not the name of an output"));
}

TEST_F(ExportTest, WritesPackagesOfArgosAsFiles) {
  auto package = request("en-fr.argosmodel");
  package.format = ExportFormat::kArgos;
  export_model(tiny_model(), package);
  EXPECT_TRUE(std::filesystem::is_regular_file(package.output));
  EXPECT_THAT(error_of<ConfigError>([&] { export_model(tiny_model(), package); }), HasSubstr("exists already"));
  package.replace = true;
  export_model(tiny_model(), package);
  EXPECT_EQ(entries(), 1);
  package.output = folder_ / "en-fr";
  EXPECT_THAT(error_of<ConfigError>([&] { check_export(package); }),
              HasSubstr("en-fr: the name of a package of Argos ends in .argosmodel"));
}

TEST_F(ExportTest, ReplacesPackagesOfArgosAlone) {
  auto package = request("letters.argosmodel");
  package.format = ExportFormat::kArgos;
  package.replace = true;
  for (const std::string content : {"not an archive", ""}) {
    write_file_synced(package.output, content);
    EXPECT_THAT(error_of<ConfigError>([&] { export_model(tiny_model(), package); }),
                HasSubstr("letters.argosmodel is not an earlier export, so --force does not replace it"));
    EXPECT_EQ(read_file(package.output), content);
  }
}

TEST_F(ExportTest, WeightsThatAreNotFiniteAreRefused) {
  for (const auto format : {ExportFormat::kCTranslate2, ExportFormat::kHuggingFace, ExportFormat::kArgos}) {
    auto options = tiny_options();
    options.norm = NormPlacement::kPost;
    auto model = tiny_model(options);
    auto& [name, array] = model.weights.front();
    array = stored_floats(array.shape, std::vector<float>(static_cast<std::size_t>(array.count()), NAN));
    auto wanted = request("out.argosmodel");
    wanted.format = format;
    EXPECT_THAT(error_of<CheckpointError>([&] { export_model(model, wanted); }),
                HasSubstr(name + " has the number nan at place 0, expected finite numbers"));
    EXPECT_EQ(entries(), 0);
  }
}

TEST_F(ExportTest, KnowsWhichFormatsHaveEightBits) {
  auto other = request("out");
  other.format = ExportFormat::kHuggingFace;
  other.precision = StoredPrecision::kInt8;
  EXPECT_THAT(error_of<ConfigError>([&] { check_export(other); }),
              HasSubstr("--precision int8 is not supported by --format huggingface"));
  other.format = ExportFormat::kMarian;
  EXPECT_THAT(error_of<ConfigError>([&] { check_export(other); }),
              HasSubstr("--precision int8 is not supported by --format marian"));
}

TEST_F(ExportTest, RefusesDecodersWithRecurrentUnits) {
  auto options = tiny_options();
  options.decoder = DecoderKind::kSsru;
  options.norm = NormPlacement::kPost;
  const auto model = tiny_model(options);
  for (const auto format : {ExportFormat::kCTranslate2, ExportFormat::kHuggingFace, ExportFormat::kArgos}) {
    auto wanted = request("out.argosmodel");
    wanted.format = format;
    EXPECT_THAT(error_of<ConfigError>([&] { export_model(model, wanted); }),
                HasSubstr("cannot hold this model: its decoder has recurrent units (model.decoder \"ssru\")"));
    EXPECT_EQ(entries(), 0);
  }
}

TEST_F(ExportTest, LeavesNothingBehindIfItFails) {
  auto model = tiny_model();
  model.config.model.layer_norm = LayerNormKind::kReference;
  model.config.model.layer_norm_epsilon = 0.1;
  EXPECT_THAT(error_of<ConfigError>([&] { export_model(model, request("out")); }), HasSubstr("cannot hold this model"));
  EXPECT_EQ(entries(), 0);
}

}  // namespace
}  // namespace translate::tools
