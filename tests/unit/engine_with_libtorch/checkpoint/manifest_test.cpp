#include "checkpoint/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/output_file.h"
#include "core/stable_file.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

using ::testing::HasSubstr;

namespace translate {
namespace {

class ManifestTest : public CheckpointFixture {
 protected:
  ManifestTest() {
    manifest_.step = 2000;
    manifest_.metric = BestMetric::kLoss;
    manifest_.score = 1.25;
    manifest_.best = ValidationScore{.score = 1.0 / 3.0, .step = 1500};
    for (const char* name : {kModelFile, kConfigFile, "source.spm", "target.spm", kTrainingTensorsFile}) {
      manifest_.files[name] = write_digested_file(folder_ / name, std::string("content of ") + name);
    }
  }

  /// The manifest as JSON, to be changed and written again with a right checksum of its own.
  nlohmann::ordered_json json() const {
    write_manifest(folder_, manifest_);
    return nlohmann::ordered_json::parse(read_file(file_));
  }

  void write(nlohmann::ordered_json json) const {
    json.erase("manifest_crc32");
    json["manifest_crc32"] = crc32(json.dump());
    write_quickly(file_, json.dump());
  }

  std::string error() const {
    return error_of<CheckpointError>([&] { (void)read_manifest(folder_); });
  }

  std::string verify_error(Verify verify) const {
    return error_of<CheckpointError>([&] { verify_files(folder_, manifest_, verify); });
  }

  std::filesystem::path file_ = folder_ / kManifestFile;
  Manifest manifest_;
};

void expect_same(const Manifest& left, const Manifest& right) {
  EXPECT_EQ(left.step, right.step);
  EXPECT_EQ(left.metric, right.metric);
  EXPECT_EQ(left.score, right.score);
  EXPECT_EQ(left.loss, right.loss);
  EXPECT_EQ(left.best, right.best);
  EXPECT_EQ(left.files, right.files);
  ASSERT_EQ(left.confidence.has_value(), right.confidence.has_value());
  if (left.confidence) {
    EXPECT_EQ(left.confidence->bins(), right.confidence->bins());
  }
}

TEST_F(ManifestTest, ComesBackAsItWas) {
  write_manifest(folder_, manifest_);
  expect_same(read_manifest(folder_), manifest_);
  manifest_.metric = BestMetric::kChrf;
  manifest_.loss = 1.0 / 7.0;
  manifest_.confidence.emplace(std::vector<Confidence::Bin>{{-1.0 / 3.0, 0.25}, {-0.1, 0.75}});
  write_manifest(folder_, manifest_);
  expect_same(read_manifest(folder_), manifest_);
  manifest_.metric = BestMetric::kBleu;
  manifest_.score.reset();
  manifest_.loss.reset();
  manifest_.best.reset();
  write_manifest(folder_, manifest_);
  expect_same(read_manifest(folder_), manifest_);
}

TEST_F(ManifestTest, AConfidenceRisesWithTheProbability) {
  manifest_.confidence.emplace(std::vector<Confidence::Bin>{{-0.5, 0.25}, {-0.1, 0.75}});
  const auto whole = json();
  const auto error_with = [&](const char* list, std::size_t place, const nlohmann::json& value) {
    auto changed = whole;
    changed["confidence"][list][place] = value;
    write(changed);
    return error();
  };
  EXPECT_THAT(error_with("log_probability", 1, -0.6), HasSubstr("confidence.log_probability[1]"));
  EXPECT_THAT(error_with("share", 1, 0.2), HasSubstr("confidence.share[1]"));
  EXPECT_THAT(error_with("share", 1, 1.5), HasSubstr("confidence.share[1]"));
  EXPECT_THAT(error_with("share", 2, 0.9), HasSubstr("confidence.share"));
}

TEST_F(ManifestTest, AScoreThatIsNotFiniteIsNone) {
  manifest_.score = std::numeric_limits<double>::quiet_NaN();
  manifest_.best = ValidationScore{.score = std::numeric_limits<double>::infinity(), .step = 3};
  write_manifest(folder_, manifest_);
  EXPECT_FALSE(read_manifest(folder_).score);
  EXPECT_FALSE(read_manifest(folder_).best);
}

TEST_F(ManifestTest, HoldsTheDocumentedFields) {
  const auto root = json();
  EXPECT_EQ(root.at("format"), 1);
  EXPECT_EQ(root.at("step"), 2000);
  EXPECT_EQ(root.at("score"), 1.25);
  EXPECT_EQ(root.at("best_score"), 1.0 / 3.0);
  EXPECT_EQ(root.at("best_step"), 1500);
  EXPECT_EQ(root.at("files").at(kConfigFile).at("size"), manifest_.files.at(kConfigFile).size);
  EXPECT_EQ(root.at("files").at(kConfigFile).at("crc32"), manifest_.files.at(kConfigFile).crc32);
}

TEST_F(ManifestTest, ChangedContentIsSeenWhateverByteChanges) {
  write_manifest(folder_, manifest_);
  const std::string whole = read_file(file_);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    if (std::string_view(" \n").find(whole[place]) != std::string_view::npos) {
      continue;  // spacing
    }
    write_quickly(file_, whole);
    flip_byte(file_, place);
    EXPECT_NE(error().find(file_.string()), std::string::npos) << place;
  }
}

TEST_F(ManifestTest, UnknownFormatsMissingAndOddFieldsAreNamed) {
  auto root = json();
  root["format"] = 2;
  write(root);
  EXPECT_EQ(error(),
            file_.string() + ": format 2 is unknown: this version reads format 1; use the version that wrote it");
  root = json();
  root.erase("step");
  write(root);
  EXPECT_EQ(error(), file_.string() + ": damaged: step: missing");
  root = json();
  for (const std::string metric : {"ter", "auto"}) {
    root["metric"] = metric;
    write(root);
    EXPECT_NE(error().find("expected bleu, chrf or loss, got \"" + metric + "\""), std::string::npos);
  }
  root = json();
  root["files"].erase(kModelFile);
  write(root);
  EXPECT_EQ(error(), file_.string() + ": damaged: \"files.model.safetensors\" is missing");
  root = json();
  root["files"].erase("source.spm");
  write(root);
  EXPECT_EQ(error(),
            file_.string() + ": damaged: expected \"files.source.spm\" or \"files.source.json\", found neither");
  root = json();
  root["files"]["target.json"] = root["files"]["target.spm"];
  write(root);
  EXPECT_EQ(error(), file_.string() + ": damaged: expected \"files.target.spm\" or \"files.target.json\", found both");
  root = json();
  root["files"]["../x"] = {{"size", 1}, {"crc32", 1}};
  write(root);
  EXPECT_NE(error().find("files.../x: not the name of a file"), std::string::npos);
  root = json();
  root["files"][kModelFile]["crc32"] = std::uint64_t{1} << 32;
  write(root);
  EXPECT_NE(error().find("files.model.safetensors.crc32"), std::string::npos);
  root = json();
  root["more"] = 1;
  write(root);
  EXPECT_NE(error().find("more: unknown field"), std::string::npos);
}

TEST_F(ManifestTest, KnowsWordLevelTokenizersByTheirEnding) {
  write_quickly(folder_ / "target.json", "{}");
  manifest_.files.erase("target.spm");
  manifest_.files["target.json"] = {.size = 2, .crc32 = crc32("{}")};
  write_manifest(folder_, manifest_);
  const Manifest manifest = read_manifest(folder_);
  EXPECT_EQ(tokenizer_file(manifest, kSourceTokenizer), "source.spm");
  EXPECT_EQ(tokenizer_file(manifest, kTargetTokenizer), "target.json");
  EXPECT_NO_THROW(verify_files(folder_, manifest, Verify::kInference));
  write_quickly(folder_ / "target.json", "[]");
  EXPECT_THROW(verify_files(folder_, manifest, Verify::kInference), CheckpointError);
}

TEST_F(ManifestTest, MissingManifestSaysSo) {
  EXPECT_EQ(error(), file_.string() + ": missing: " + folder_.string() + " is not a whole checkpoint");
}

TEST_F(ManifestTest, UntouchedFilesPassAndOtherFilesDoNotMatter) {
  write_quickly(folder_ / "notes.txt", "mine");
  for (const Verify verify : {Verify::kSizes, Verify::kInference, Verify::kFull}) {
    EXPECT_NO_THROW(verify_files(folder_, manifest_, verify));
  }
}

TEST_F(ManifestTest, EachChangedFileIsNamedWithTheDifference) {
  for (const auto& [name, digest] : manifest_.files) {
    const std::string path = (folder_ / name).string();
    const std::string whole = read_file(path);
    flip_byte(path, whole.size() / 2);
    EXPECT_EQ(verify_error(Verify::kFull).rfind(path + ": damaged: its bytes have CRC-32 ", 0), 0U);
    EXPECT_NO_THROW(verify_files(folder_, manifest_, Verify::kSizes));
    write_quickly(path, whole + "x");
    EXPECT_EQ(verify_error(Verify::kSizes), path + ": damaged: " + std::to_string(whole.size() + 1) +
                                                " bytes, expected " + std::to_string(whole.size()) +
                                                " by the checkpoint's manifest.json; copy the checkpoint again from a "
                                                "place where it is whole, or use another one (translate-infer --list)");
    std::filesystem::remove(path);
    EXPECT_EQ(verify_error(Verify::kFull).rfind(path + ": missing, though the checkpoint's manifest.json names it", 0),
              0U);
    write_quickly(path, whole);
  }
}

TEST_F(ManifestTest, InferenceReadsTheModelFilesAndNoTrainingState) {
  std::filesystem::remove(folder_ / kTrainingTensorsFile);
  for (const Verify verify : {Verify::kListing, Verify::kInference, Verify::kServing}) {
    EXPECT_EQ(verify_files(folder_, manifest_, verify).size(), 4U);
    for (const char* name : {kModelFile, kConfigFile, "source.spm", "target.spm"}) {
      flip_byte(folder_ / name, 3);
      EXPECT_NE(verify_error(verify).find(std::string(name) + ": damaged: its bytes"), std::string::npos);
      flip_byte(folder_ / name, 3);
    }
  }
  write_quickly(folder_ / kModelFile, "short");
  EXPECT_NE(verify_error(Verify::kInference).find(kModelFile), std::string::npos);
}

TEST_F(ManifestTest, ALoneFileIsComparedWithTheManifestBesideIt) {
  write_manifest(folder_, manifest_);
  const auto verify = [&](const std::filesystem::path& path) { verify_lone_file(StableFile(path)); };
  EXPECT_NO_THROW(verify(folder_ / kModelFile));
  flip_byte(folder_ / kModelFile, 3);
  EXPECT_NE(error_of<CheckpointError>([&] { verify(folder_ / kModelFile); }).find("damaged: its bytes"),
            std::string::npos);
  std::filesystem::copy_file(folder_ / kModelFile, folder_ / "other.safetensors");
  EXPECT_NO_THROW(verify(folder_ / "other.safetensors"));  // not one of the manifest's
  std::filesystem::remove(file_);
  EXPECT_NO_THROW(verify(folder_ / kModelFile));
}

TEST(IsBetterTest, BleuAndChrfRiseAndLossFalls) {
  for (const auto metric : {BestMetric::kBleu, BestMetric::kChrf}) {
    EXPECT_TRUE(is_better(metric, {.score = 2}, {.score = 1}));
    EXPECT_FALSE(is_better(metric, {.score = 1}, {.score = 2}));
    EXPECT_FALSE(is_better(metric, {.score = 1}, {.score = 1}));
  }
  EXPECT_TRUE(is_better(BestMetric::kLoss, {.score = 1}, {.score = 2}));
  EXPECT_FALSE(is_better(BestMetric::kLoss, {.score = 1}, {.score = 1}));
}

TEST(IsBetterTest, TheLossDecidesBetweenEqualScores) {
  const ValidationScore low{.score = 1, .loss = 2.0};
  const ValidationScore high{.score = 1, .loss = 3.0};
  const ValidationScore of_older_version{.score = 1};
  EXPECT_TRUE(is_better(BestMetric::kBleu, low, high));
  EXPECT_FALSE(is_better(BestMetric::kBleu, high, low));
  EXPECT_FALSE(is_better(BestMetric::kBleu, low, low));
  EXPECT_FALSE(is_better(BestMetric::kBleu, low, of_older_version));
  EXPECT_TRUE(is_better(BestMetric::kBleu, {.score = 2, .loss = 3.0}, low));
}

}  // namespace
}  // namespace translate
