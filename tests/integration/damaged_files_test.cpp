// Files that were damaged, forged or overwritten, before the programs start and while they run.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <thread>

#include "core/file.h"
#include "data/encoded/corpus_file.h"
#include "integration/workspace.h"
#include "support/http_client.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSentence = "the cat sees a fish .";

/// A file of encoded pairs, to be changed and written again with right checksums.
struct PairsFile {
  explicit PairsFile(std::string bytes) : body(std::move(bytes)) {
    index = trainer::read_corpus_index(
        body.size(), [this](std::uint64_t offset, std::span<char> to) { body.copy(to.data(), to.size(), offset); });
    const trainer::CorpusChunk& last = index.chunks.back();
    body.resize(last.offset + trainer::ChunkLayout(last, index.format).size);
  }

  /// Changes a number of the first chunk.
  template <typename Number>
  void set(std::uint64_t place, Number number) {
    std::memcpy(body.data() + index.chunks[0].offset + place, &number, sizeof(number));
  }

  [[nodiscard]] trainer::ChunkLayout layout() const { return {index.chunks[0], index.format}; }

  [[nodiscard]] std::string bytes() {
    trainer::CorpusChunk& first = index.chunks[0];
    first.crc32 = crc32(std::string_view(body).substr(first.offset, chunk_size));
    return body + trainer::format_corpus_index(index, body.size());
  }

  std::string body;
  trainer::CorpusIndex index;
  std::uint64_t chunk_size = body.size() - trainer::kCorpusFileBegin.size();  // of the only chunk
};

class ForgedPairs : public ProgramTest {
 protected:
  static Json short_run() {
    auto config = tiny_config();
    config["training"]["max_steps"] = 4;
    return config;
  }

  /// The weights that a training gives in a run folder that holds all but checkpoints.
  std::string train() {
    std::filesystem::remove_all(workspace_ / "runs/tiny/checkpoints");
    result_ = workspace_.train(short_run(), {"--quiet"});
    EXPECT_EQ(result_.exit_code, 0) << result_.err;
    return workspace_.read("runs/tiny/checkpoints/step-00000004/model.safetensors");
  }

  ProcessResult result_;
};

TEST_F(ForgedPairs, WithRightChecksumsAreEncodedAgain) {
  const std::string weights = train();
  const std::string whole = workspace_.read(kPairsFile);
  ASSERT_EQ(PairsFile(whole).bytes(), whole);
  const std::vector<std::pair<std::string, std::function<void(PairsFile&)>>> forgeries = {
      {"bounds of its sentences", [](PairsFile& file) { file.set<std::uint32_t>(4 * 5, 0); }},
      {"bounds of its sentences", [](PairsFile& file) { file.set<std::uint32_t>(4 * 5, 3'000'000'000); }},
      {"bounds of its sentences", [](PairsFile& file) { file.set<std::uint32_t>(0, 7); }},
      {"holds the id 65535", [](PairsFile& file) { file.set<std::uint16_t>(file.layout().subwords + 6, 65'535); }},
      {"holds the id 90", [](PairsFile& file) { file.set<std::uint16_t>(file.layout().subwords + 6, 90); }},
      {"corpus 78 of 1", [](PairsFile& file) { file.index.chunks[0].corpus = 77; }},
      {"reaches beyond", [](PairsFile& file) { file.index.chunks[0].pairs = std::uint64_t{1} << 62U; }},
      {"in place of 4294967295", [](PairsFile& file) { file.index.statistics.pairs = 4'294'967'295; }},
      {"lengths", [](PairsFile& file) { file.index.statistics.longest_source = 1'000'000'000'000; }},
      {"lengths", [](PairsFile& file) { file.index.statistics.target_subwords = -1; }},
      {"a corpus 100 of 1",
       [](PairsFile& file) {
         file.index.statistics.blank = {.count = 3, .first = {99, 5}};
       }},
      {"in another way", [](PairsFile& file) { file.index.format.target_text = true; }}};
  for (const auto& [what, forge] : forgeries) {
    PairsFile file(whole);
    forge(file);
    workspace_.write(kPairsFile, file.bytes());
    EXPECT_TRUE(train() == weights) << what;
    EXPECT_THAT(result_.err, AllOf(HasSubstr((workspace_ / kPairsFile).string() + " is damaged: "),
                                   HasSubstr("the training pairs are encoded again")));
    const bool other_layout = what == "in another way";  // which shows in several places
    EXPECT_TRUE(other_layout || result_.err.find(what) != std::string::npos) << what << ": " << result_.err;
    EXPECT_TRUE(workspace_.read(kPairsFile) == whole) << what;
  }
}

TEST_F(ForgedPairs, ThatAreCutDuringTheTrainingEndItWithAnError) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 1'000'000;
  config["training"]["validate_every"] = 1'000'000;
  config["training"]["checkpoint_every"] = 1'000'000;
  auto training = workspace_.start_training(config);
  ASSERT_TRUE(training.wait_for_err("step 4 "));
  std::filesystem::resize_file(workspace_ / kPairsFile, 64);
  const auto result = training.wait();
  EXPECT_FALSE(result.killed);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(kPairsFile + ": was changed while this program read it"));
}

/// A copy of the run of trained(), whose newest weights get other bits in 20 places: numbers, but wrong ones.
class DamagedWeights : public ::testing::Test {
 protected:
  DamagedWeights() {
    workspace_.write_corpus();
    std::filesystem::copy(trained() / "runs", workspace_ / "runs", std::filesystem::copy_options::recursive);
    damage(newest_);
  }

  void damage(const std::string& file) const {
    std::string bytes = workspace_.read(file);
    for (std::size_t i = 0; i < 20; ++i) {
      bytes[bytes.size() - 2 - 4 * (i * bytes.size() / 160)] ^= 0x3F;
    }
    workspace_.write(file, bytes);
  }

  void expect_refused(const ProcessResult& result, const std::string& file) const {
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(HasSubstr("error: "), HasSubstr(file + ": damaged: its bytes have CRC-32"),
                                  HasSubstr("copy the checkpoint again")));
  }

  Workspace workspace_;
  std::string folder_ = "runs/tiny/checkpoints/step-00000150";
  std::string newest_ = folder_ + "/model.safetensors";
};

TEST_F(DamagedWeights, AreRefusedInEveryFormByEveryProgram) {
  for (const std::string checkpoint : {"step-150", "runs/tiny/step-150", "./runs/tiny/checkpoints/step-00000150"}) {
    expect_refused(workspace_.infer({"--checkpoint", checkpoint, kSentence}), newest_);
  }
  expect_refused(workspace_.infer({"--checkpoint", "step-75,step-150", kSentence}), newest_);
  expect_refused(workspace_.evaluate({"--checkpoint", "step-150"}), newest_);
  expect_refused(workspace_.run("translate-serve", {"--checkpoint", "step-150", "--port", "0"}), newest_);
  expect_refused(workspace_.train(tiny_config(), {"--run-dir", "other", "--init", "runs/tiny/step-150"}), newest_);
  expect_refused(workspace_.train(tiny_config(), {"--run-dir", "other", "--init", newest_}), newest_);
  expect_refused(workspace_.train(tiny_config(), {"--run-dir", "runs/tiny", "--resume", "step-150"}), newest_);
  const Arguments lone = {"--config", folder_ + "/config.json", "--tokenizers", folder_ + "/source.spm", kSentence};
  Arguments named = {"--checkpoint", newest_};
  named.insert(named.end(), lone.begin(), lone.end());
  expect_refused(workspace_.infer(named), newest_);
}

TEST_F(DamagedWeights, AreNoMatterOutsideOfTheirCheckpoint) {
  std::filesystem::copy_file(workspace_ / newest_, workspace_ / "alone.safetensors");
  const auto result = workspace_.infer({"--checkpoint", "alone.safetensors", "--config", folder_ + "/config.json",
                                        "--tokenizers", folder_ + "/source.spm," + folder_ + "/target.spm", kSentence});
  EXPECT_EQ(result.exit_code, 0) << result.err;  // there is nothing to compare them with
}

TEST_F(DamagedWeights, LatestAndAveragesUseTheOthersAndSayWhich) {
  const auto older = workspace_.infer({"--checkpoint", "step-75", kSentence});
  ASSERT_EQ(older.exit_code, 0) << older.err;
  for (const std::string name : {"latest", "average", "average:1"}) {
    const auto result = workspace_.infer({"--checkpoint", name, kSentence});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, older.out);
    EXPECT_THAT(result.err, HasSubstr("warning: checkpoint step-00000150 is skipped"));
    const bool is_said = result.err.find("using checkpoint step-00000075 instead") != std::string::npos;
    EXPECT_EQ(is_said, name == "latest") << result.err;
  }
  damage("runs/tiny/checkpoints/step-00000075/model.safetensors");
  const auto none = workspace_.infer({kSentence});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("all checkpoints are damaged"));
}

TEST_F(DamagedWeights, OtherFilesOfTheModelAreCheckedToo) {
  for (const std::string name : {"config.json", "source.spm", "target.spm"}) {
    const std::string file = "runs/tiny/checkpoints/step-00000075/" + name;
    const std::string whole = workspace_.read(file);
    damage(file);
    expect_refused(workspace_.infer({"--checkpoint", "step-75", kSentence}), file);
    workspace_.write(file, whole);
  }
}

/// Sets a variable of the environment, which the programs inherit, for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    const char* before = ::getenv(name);
    had_ = before != nullptr;
    before_ = had_ ? before : "";
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string before_;
};

/// A model whose weights are large enough for their sum to be remembered.
class LargeWeights : public ProgramTest {
 protected:
  LargeWeights() {
    auto config = tiny_config();
    config["model"]["d_ff"] = 8192;  // 2 MiB
    config["training"]["max_steps"] = 8;
    const auto result = workspace_.train(config, {"--quiet"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GT(std::filesystem::file_size(workspace_ / weights_), std::uintmax_t{1} << 20U);
  }

  std::string weights_ = "runs/tiny/checkpoints/step-00000008/model.safetensors";
};

TEST_F(LargeWeights, AreReadOnceAndAgainWhereTheyChange) {
  const Environment cache("XDG_CACHE_HOME", (workspace_ / "cache").string());
  const std::string record = "cache/translate/checked-files.json";
  const Arguments translate = {"--checkpoint", "step-8", kSentence};
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));  // a younger file is not remembered
  const auto first = workspace_.infer(translate);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const std::string remembered = workspace_.read(record);
  EXPECT_EQ(Json::parse(remembered).size(), 1U);
  EXPECT_EQ(workspace_.infer(translate).out, first.out);
  EXPECT_EQ(workspace_.read(record), remembered);

  // Written in place, of the same size and, by the time that programs can set, as old.
  const auto time = std::filesystem::last_write_time(workspace_ / weights_);
  const std::string whole = workspace_.read(weights_);
  workspace_.write(weights_, std::string(whole).replace(whole.size() - 2000, 1000, 1000, 'x'));
  std::filesystem::last_write_time(workspace_ / weights_, time);
  EXPECT_EQ(workspace_.infer(translate).exit_code, 1);
  workspace_.write(weights_, whole);
  EXPECT_EQ(workspace_.infer(translate).out, first.out);

  // A record that is damaged, or that nobody can write, changes nothing.
  for (const auto& text :
       {std::string("{"), std::string(), std::string(remembered).replace(remembered.size() - 6, 1, "1")}) {
    workspace_.write(record, text);
    EXPECT_EQ(workspace_.infer(translate).out, first.out) << text;
  }
  const Environment nowhere("XDG_CACHE_HOME", "/proc/nowhere");
  EXPECT_EQ(workspace_.infer(translate).out, first.out);
}

/// A running server, whose model's file is changed under it.
std::string answer(int port, const std::string& text) {
  const Json body = {{"q", text}, {"source", "en"}, {"target", "fr"}};
  const auto response = HttpClient(port).post("/translate", body.dump(), "application/json");
  return response ? response->body : "no answer";
}

TEST_F(LargeWeights, MayBeOverwrittenUnderARunningServer) {
  const auto sentences = small_corpus().source;
  const std::string whole = workspace_.read(weights_);
  for (const std::string precision : {"fp32", "int8"}) {
    Process server("translate-serve",
                   {"--checkpoint", "step-8", "--threads", "1", "--port", "0", "--precision", precision,
                    "--source-language", "en", "--target-language", "fr"},
                   {.folder = workspace_.path(), .input = {}, .stdout_path = {}, .file_limit = {}});
    const std::string mark = "listening on http://127.0.0.1:";
    ASSERT_TRUE(server.wait_for_err(mark) && server.wait_for_err(" to "));
    const auto err = server.err();
    const int port = std::stoi(err.substr(err.find(mark) + mark.size()));
    std::vector<std::string> before;
    for (const auto& sentence : sentences) {
      before.push_back(answer(port, sentence));
    }
    for (const std::size_t size : {whole.size() / 2, std::size_t{0}}) {
      std::filesystem::resize_file(workspace_ / weights_, size);
      for (std::size_t i = 0; i < sentences.size(); i += 7) {
        EXPECT_EQ(answer(port, sentences[i]), before[i]);
      }
      EXPECT_THAT(answer(port, "fish dog cat house"), HasSubstr("translatedText"));
    }
    workspace_.write(weights_, std::string(whole.size(), 'x'));
    for (std::size_t i = 0; i < sentences.size(); i += 7) {
      EXPECT_EQ(answer(port, sentences[i]), before[i]);
    }
    server.send(SIGTERM);
    const auto result = server.wait();
    EXPECT_EQ(result.exit_code, 143);
    EXPECT_FALSE(result.killed);
    workspace_.write(weights_, whole);
  }
}

}  // namespace
}  // namespace translate
