#include "checkpoint/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "checkpoint/model_card.h"
#include "core/file.h"
#include "core/output_file.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public CheckpointFixture {
 protected:
  std::set<std::string> names_in(const fs::path& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  /// The folder, with a checkpoint in it.
  static fs::path saved_in(const fs::path& folder) {
    fs::create_directories(folder.parent_path());
    trainer::write_checkpoint(folder, make_contents(10));
    return folder;
  }

  fs::path path_ = folder_ / "step-00000010";
};

/// While it lives, this process cannot make a file longer than `bytes`: a disk that fills up in the middle.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(CheckpointTest, EverythingComesBack) {
  const trainer::CheckpointContents contents = make_contents(10, 31.5);
  trainer::write_checkpoint(path_, contents);
  const Checkpoint checkpoint(path_, Verify::kFull);
  EXPECT_EQ(checkpoint.folder(), path_);
  EXPECT_EQ(checkpoint.step(), 10);
  EXPECT_EQ(checkpoint.manifest().score, 31.5);
  EXPECT_EQ(checkpoint.manifest().best, contents.training_state->best_validation);
  expect_same_tensors(trainer::tensors_of(checkpoint.weights()), contents.weights);
  EXPECT_EQ(checkpoint.config(), contents.config);
  EXPECT_EQ(checkpoint.serialized_tokenizer(kSourceTokenizer), contents.source_tokenizer);
  EXPECT_EQ(checkpoint.serialized_tokenizer(kTargetTokenizer), contents.target_tokenizer);
  ASSERT_TRUE(checkpoint.has_training_state());
  expect_same_tensors(trainer::read_training_state(checkpoint).exp_avg_sq, contents.training_state->exp_avg_sq);
  EXPECT_EQ(trainer::read_training_state(checkpoint).window, contents.training_state->window);
}

TEST_F(CheckpointTest, TheFolderHoldsTheDocumentedFilesAndNothingIsLeftBesideIt) {
  trainer::write_checkpoint(path_, make_contents(10));
  EXPECT_EQ(names_in(path_),
            (std::set<std::string>{"model.safetensors", "config.json", "source.spm", "target.spm",
                                   "training_state.safetensors", "training_state.json", "manifest.json", "README.md"}));
  EXPECT_EQ(names_in(folder_), std::set<std::string>{"step-00000010"});
}

TEST_F(CheckpointTest, TheCardMayBeEditedOrDeleted) {
  trainer::write_checkpoint(path_, make_contents(10));
  EXPECT_EQ(read_file(path_ / kCardFile), "# A card\n");
  write_quickly(path_ / kCardFile, "# Another name\n");
  EXPECT_NO_THROW(Checkpoint(path_, Verify::kFull));
  std::filesystem::remove(path_ / kCardFile);
  EXPECT_NO_THROW(Checkpoint(path_, Verify::kFull));
}

TEST_F(CheckpointTest, TellsWhichTextItWasTrainedOnWhereItKnows) {
  trainer::CheckpointContents contents = make_contents(10);
  trainer::write_checkpoint(path_, contents);
  EXPECT_FALSE(Checkpoint(path_, Verify::kFull).text_sums());
  contents.text = TextSums{.train = {{.source = {.path = "/a.en", .size = 5, .crc32 = 7},
                                      .target = {.path = "/a.fr", .size = 6, .crc32 = 0xFFFFFFFF}}},
                           .validation = {},
                           .test = {}};
  trainer::write_checkpoint(path_, contents);
  EXPECT_TRUE(names_in(path_).contains("data.json"));
  EXPECT_EQ(Checkpoint(path_, Verify::kFull).text_sums(), contents.text);
  write_quickly(path_ / "data.json", "{}");
  EXPECT_NE(
      error_of<CheckpointError>([&] { (void)Checkpoint(path_, Verify::kInference).text_sums(); }).find("data.json"),
      std::string::npos);
  std::filesystem::remove(path_ / "data.json");
  EXPECT_FALSE(Checkpoint(path_, Verify::kInference).text_sums());
}

TEST_F(CheckpointTest, HasTheWordsOfItsTrainingUntilTheyAreDeleted) {
  auto contents = make_contents(10);
  trainer::write_checkpoint(path_, contents);
  EXPECT_EQ(Checkpoint(path_, Verify::kFull).source_words(), nullptr);
  const auto hashes = word_hashes("the cat");
  contents.source_words = SeenWords({hashes.begin(), hashes.end()}).serialized();
  trainer::write_checkpoint(path_, contents);
  EXPECT_EQ(Checkpoint(path_, Verify::kInference).source_words()->serialized(), contents.source_words);
  flip_byte(path_ / kSourceWordsFile, contents.source_words.size() - 1);
  EXPECT_NE(error_of<CheckpointError>([&] { Checkpoint(path_, Verify::kInference); }).find("words.bin: damaged"),
            std::string::npos);
  std::filesystem::remove(path_ / kSourceWordsFile);
  for (const auto verify : {Verify::kSizes, Verify::kInference, Verify::kFull}) {
    EXPECT_EQ(Checkpoint(path_, verify).source_words(), nullptr);
  }
}

TEST_F(CheckpointTest, KnowsTheRunThatItStandsIn) {
  EXPECT_EQ(Checkpoint(saved_in(folder_ / "run" / "checkpoints" / "step-1"), Verify::kSizes).run_folder(),
            folder_ / "run");
  EXPECT_EQ(Checkpoint(folder_ / "run" / "checkpoints" / "step-1" / "", Verify::kSizes).run_folder(), folder_ / "run");
  EXPECT_EQ(Checkpoint(saved_in(folder_ / "model"), Verify::kSizes).run_folder(), "");
}

TEST_F(CheckpointTest, AWordLevelTokenizerKeepsItsKindInItsName) {
  trainer::CheckpointContents contents = make_contents(10);
  contents.source_tokenizer = R"({"model": {"type": "WordLevel"}})";
  trainer::write_checkpoint(path_, contents);
  const Checkpoint checkpoint(path_, Verify::kFull);
  EXPECT_EQ(checkpoint.tokenizer_path(kSourceTokenizer), path_ / "source.json");
  EXPECT_EQ(checkpoint.tokenizer_path(kTargetTokenizer), path_ / "target.spm");
  EXPECT_EQ(read_file(path_ / "source.json"), contents.source_tokenizer);
  EXPECT_FALSE(names_in(path_).contains("source.spm"));
  write_quickly(path_ / "source.json", "{}");
  EXPECT_NE(error_of<CheckpointError>([&] { Checkpoint(path_, Verify::kInference); }).find("source.json: damaged"),
            std::string::npos);
}

TEST_F(CheckpointTest, CanBeMoved) {
  const trainer::CheckpointContents contents = make_contents(10);
  trainer::write_checkpoint(path_, contents);
  fs::rename(path_, folder_ / "elsewhere");
  expect_same_tensors(trainer::tensors_of(Checkpoint(folder_ / "elsewhere", Verify::kFull).weights()),
                      contents.weights);
}

TEST_F(CheckpointTest, WeightsAloneMakeACheckpointThatCannotBeResumed) {
  trainer::CheckpointContents contents = make_contents(10);
  contents.training_state.reset();
  trainer::write_checkpoint(path_, contents);
  const Checkpoint checkpoint(path_, Verify::kFull);
  EXPECT_FALSE(checkpoint.has_training_state());
  const std::string error = error_of<CheckpointError>([&] { (void)trainer::read_training_state(checkpoint); });
  EXPECT_NE(error.find(path_.string() + ": holds weights only"), std::string::npos);
  EXPECT_NE(error.find("--init " + (path_ / "model.safetensors").string()), std::string::npos);
}

TEST_F(CheckpointTest, AnyChangedByteIsSeen) {
  trainer::write_checkpoint(path_, make_contents(10));
  for (const std::string& name : names_in(path_)) {
    if (name == kCardFile) {
      continue;
    }
    const fs::path file = path_ / name;
    const std::size_t size = fs::file_size(file);
    for (std::size_t place = 0; place < size; place += 7) {
      const std::string whole = read_file(file);
      if (name == "manifest.json" && std::string_view(" \n").find(whole[place]) != std::string_view::npos) {
        continue;
      }
      flip_byte(file, place);
      const std::string error = error_of<CheckpointError>([&] { Checkpoint(path_, Verify::kFull); });
      EXPECT_EQ(error.rfind(file.string(), 0), 0U) << error;
      write_quickly(file, whole);
    }
  }
  EXPECT_NO_THROW(Checkpoint(path_, Verify::kFull));
}

TEST_F(CheckpointTest, AnyMissingFileIsNamed) {
  trainer::write_checkpoint(path_, make_contents(10));
  for (const std::string& name : names_in(path_)) {
    if (name == kCardFile) {
      continue;
    }
    fs::rename(path_ / name, folder_ / "aside");
    const std::string error = error_of<CheckpointError>([&] { Checkpoint(path_, Verify::kFull); });
    EXPECT_EQ(error.rfind((path_ / name).string() + ": missing", 0), 0U) << error;
    fs::rename(folder_ / "aside", path_ / name);
  }
}

TEST_F(CheckpointTest, AFullDiskLeavesWhatWasThere) {
  const trainer::CheckpointContents old_contents = make_contents(10);
  trainer::write_checkpoint(path_, old_contents);
  trainer::CheckpointContents contents = make_contents(10);
  contents.weights.emplace_back("large", at::ones({100'000}));
  for (const fs::path& path : {path_, folder_ / "step-00000020"}) {
    std::string error;
    {
      const FileSizeLimit limit(100'000);
      error = error_of<RuntimeError>([&] { trainer::write_checkpoint(path, contents); });
    }
    EXPECT_NE(error.find("model.safetensors: File too large"), std::string::npos) << error;
    EXPECT_EQ(names_in(folder_), std::set<std::string>{"step-00000010"});
  }
  expect_same_tensors(trainer::tensors_of(Checkpoint(path_, Verify::kFull).weights()), old_contents.weights);
}

TEST_F(CheckpointTest, AFolderThatCannotBeWrittenIsNamedWithTheReason) {
  write_quickly(folder_ / "file", "x");
  EXPECT_NE(error_of<RuntimeError>([&] {
              trainer::write_checkpoint(folder_ / "file" / "step-1", make_contents(1));
            }).find("Not a directory"),
            std::string::npos);
  EXPECT_NE(error_of<RuntimeError>([&] {
              trainer::write_checkpoint(folder_ / "none" / "step-1", make_contents(1));
            }).find("No such file or directory"),
            std::string::npos);
}

TEST_F(CheckpointTest, ReplacesACheckpointOfTheSameName) {
  trainer::write_checkpoint(path_, make_contents(10));
  const trainer::CheckpointContents contents = make_contents(10);
  trainer::write_checkpoint(path_, contents);
  expect_same_tensors(trainer::tensors_of(Checkpoint(path_, Verify::kFull).weights()), contents.weights);
  EXPECT_EQ(names_in(folder_), std::set<std::string>{"step-00000010"});
}

TEST_F(CheckpointTest, ALeftoverOfTheSameNameIsNoHindrance) {
  const fs::path leftover = folder_ / (".tmp-step-00000010-" + std::to_string(::getpid()));
  fs::create_directory(leftover);
  write_quickly(leftover / "model.safetensors", "half");
  trainer::write_checkpoint(path_, make_contents(10));
  EXPECT_NO_THROW(Checkpoint(path_, Verify::kFull));
  EXPECT_EQ(names_in(folder_), std::set<std::string>{"step-00000010"});
}

TEST_F(CheckpointTest, ContentsThatContradictEachOtherAreRefused) {
  trainer::CheckpointContents contents = make_contents(10);
  contents.training_state->step = 11;
  EXPECT_NE(error_of<CheckpointError>([&] { trainer::write_checkpoint(path_, contents); }).find("weights of step 10"),
            std::string::npos);
  contents = make_contents(10);
  contents.target_tokenizer.clear();
  EXPECT_NE(error_of<CheckpointError>([&] { trainer::write_checkpoint(path_, contents); }).find("both tokenizers"),
            std::string::npos);
  EXPECT_TRUE(names_in(folder_).empty());
}

TEST_F(CheckpointTest, AConfigurationOfAnotherVersionIsTheCheckpointsFault) {
  trainer::write_checkpoint(path_, make_contents(10));
  Manifest manifest = read_manifest(path_);
  manifest.files[kConfigFile] = write_digested_file(path_ / kConfigFile, R"({"model": {"new_option": 1}})");
  write_manifest(path_, manifest);
  const Checkpoint checkpoint(path_, Verify::kFull);
  const std::string error = error_of<CheckpointError>([&] { (void)checkpoint.config(); });
  EXPECT_EQ(error.rfind((path_ / kConfigFile).string(), 0), 0U) << error;
  EXPECT_NE(error.find("new_option"), std::string::npos) << error;
}

}  // namespace
}  // namespace translate
