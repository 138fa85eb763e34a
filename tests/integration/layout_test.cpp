// A run on disk: which files there are, what they hold, and that a checkpoint is complete in itself.
#include <gmock/gmock.h>
#include <zlib.h>

#include <cstring>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr const char* kRun = "runs/tiny";
const std::string kCheckpoint = "runs/tiny/checkpoints/step-00000150";

/// The header of a safetensors file: tensors by name.
Json tensors_of(const std::string& file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  auto header = Json::parse(file.substr(sizeof(length), length));
  header.erase("__metadata__");
  return header;
}

std::vector<std::string> names_of(const Json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) {
    names.push_back(item.key());
  }
  return names;
}

TEST(Layout, ARunFolderHoldsTheDocumentedFiles) {
  std::vector<std::string> visible;
  for (const auto& name : trained().list(kRun)) {
    if (!name.starts_with(".") &&
        name != "test_scorings.json") {  // the lock; and what evaluations by other tests write
      visible.push_back(name);
    }
  }
  EXPECT_THAT(visible, ElementsAre("checkpoints", "config.json", "corpus", "log.txt", "metrics.jsonl", "tensorboard",
                                   "tokenizers"));
  EXPECT_THAT(trained().list(std::string(kRun) + "/checkpoints"), ElementsAre("step-00000075", "step-00000150"));
}

TEST(Layout, ACheckpointHoldsTheDocumentedFiles) {
  EXPECT_THAT(trained().list(kCheckpoint),
              ElementsAre("README.md", "config.json", "data.json", "manifest.json", "model.safetensors", "source.spm",
                          "source_words.bin", "target.spm", "training_state.json", "training_state.safetensors"));
}

TEST(Layout, TheManifestHasSizeAndChecksumOfEachFile) {
  const auto manifest = Json::parse(trained().read(kCheckpoint + "/manifest.json"));
  const auto& files = manifest["files"];
  EXPECT_EQ(files.size(), 8U);
  for (const auto& item : files.items()) {
    const auto content = trained().read(kCheckpoint + "/" + item.key());
    const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    char text[16];
    std::snprintf(text, sizeof(text), "%08lx", sum);
    const auto& entry = item.value();
    EXPECT_EQ(entry["size"], content.size()) << item.key();
    const auto& noted = entry["crc32"];
    EXPECT_TRUE(noted == sum || noted == text) << item.key() << ": " << noted << " is not " << text;
  }
}

TEST(Layout, WeightsHaveTheReferencesNamesATiedOneOnce) {
  const auto names = names_of(tensors_of(trained().read(kCheckpoint + "/model.safetensors")));
  EXPECT_THAT(names, IsSupersetOf({"src_embed.embedding.weight", "encoder.layers.0.self_attention_block.w_q.weight",
                                   "encoder.layers.0.feed_forward_block.linear_1.weight",
                                   "encoder.layers.0.residual_connections.0.norm.alpha",
                                   "decoder.layers.0.cross_attention_block.w_o.weight", "decoder.norm.bias"}));
  EXPECT_THAT(names, Not(::testing::Contains("tgt_embed.embedding.weight")));    // tied: once
  EXPECT_THAT(names, Not(::testing::Contains("projection_layer.proj.weight")));  // likewise
  EXPECT_THAT(names, ::testing::Each(Not(HasSubstr(".pe"))));                    // sinusoidal tables
  const auto state = names_of(tensors_of(trained().read(kCheckpoint + "/training_state.safetensors")));
  EXPECT_THAT(state, IsSupersetOf({"exp_avg.src_embed.embedding.weight", "exp_avg_sq.src_embed.embedding.weight"}));
}

TEST(Layout, TheRunsConfigurationIsWholeAndItsPathsAbsolute) {
  auto config = Json::parse(trained().read(std::string(kRun) + "/config.json"));
  EXPECT_THAT(names_of(config), IsSupersetOf({"data", "tokenizer", "model", "training", "decoding"}));
  const auto train = config["data"]["train"].is_array() ? config["data"]["train"][0] : config["data"]["train"];
  EXPECT_EQ(train["source"], (trained() / "train.en").string());
  EXPECT_EQ(config["run_dir"], (trained() / kRun).string());
  EXPECT_EQ(config["model"]["dropout"], 0.0);
  EXPECT_EQ(config["training"]["label_smoothing"], 0.1);  // a default
  const auto printed = trained().run("translate-train", {"--config", "tiny.json", "--print-config"});
  // What the run has decided, and its user left open.
  config["training"]["best_metric"] = "auto";
  config["training"]["precision"] = "auto";
  config["tokenizer"]["target_normalization"] = nullptr;
  config["tokenizer"]["ignorable"] = nullptr;
  EXPECT_EQ(Json::parse(printed.out), config);
}

TEST(Layout, TheLogHasWhatStderrHad) {
  const auto log = trained().read(std::string(kRun) + "/log.txt");
  EXPECT_THAT(log, HasSubstr("training ended: max_steps = 150"));
  EXPECT_THAT(log, HasSubstr("step 50 "));
}

TEST(Layout, ACheckpointMovedElsewhereTranslatesWithTheModelFilesAlone) {
  const auto text = "the cat sees a fish .";
  const auto there = trained().infer({text});
  ASSERT_EQ(there.exit_code, 0) << there.err;
  const Workspace elsewhere;
  std::filesystem::copy(trained() / kCheckpoint, elsewhere / "model");
  for (const auto* file : {"model/training_state.json", "model/training_state.safetensors"}) {
    std::filesystem::remove(elsewhere / file);
  }
  const auto moved = elsewhere.infer({"--checkpoint", "model", text});
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_EQ(moved.out, there.out);
}

TEST(Layout, ARunWithTheTokenizersOfAnotherTranslatesTogetherWithIt) {
  for (const std::string normalization : {"nmt_nfkc", "identity"}) {
    const auto teacher = "teacher-" + normalization;
    const auto student = "student-" + normalization;
    const auto train = [&](const std::string& run, std::vector<std::string> options) {
      options.insert(options.end(), {"--config", "tiny.json", "--run-dir", run, "--set", "training.max_steps=1",
                                     "--set", "tokenizer.normalization=" + normalization});
      const auto done = trained().run("translate-train", options);
      EXPECT_EQ(done.exit_code, 0) << done.err;
    };
    train(teacher, {});
    train(student, {"--set", "tokenizer.source_model=" + teacher + "/tokenizers/source.spm", "--set",
                    "tokenizer.target_model=" + teacher + "/tokenizers/target.spm"});
    const auto both = trained().infer({"--checkpoint", teacher + "/latest," + student + "/latest", "the cat"});
    EXPECT_EQ(both.exit_code, 0) << both.err;
  }
}

TEST(Layout, TranslatingWritesNothing) {
  const auto before = trained().list(".");
  ASSERT_EQ(trained().infer({"the cat"}).exit_code, 0);
  EXPECT_EQ(trained().list("."), before);
}

}  // namespace
}  // namespace translate
