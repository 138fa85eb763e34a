#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/temporary_folder.h"
#include "integration/process.h"

namespace translate {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

/// The encoded training pairs of the run `runs/tiny`.
inline const std::string kPairsFile = "runs/tiny/corpus/training.pairs";

/// Both sides of a small corpus.
struct Pairs {
  std::vector<std::string> source;
  std::vector<std::string> target;
};

/// 60 generated pairs, English and French.
[[nodiscard]] Pairs small_corpus();

[[nodiscard]] std::string join_lines(const std::vector<std::string>& lines);
[[nodiscard]] std::vector<std::string> split_lines(const std::string& text);
[[nodiscard]] std::size_t count_of(const std::string& text, const std::string& part);
/// The keys of a JSON object in their order.
[[nodiscard]] std::vector<std::string> keys_of(const Json& object);
[[nodiscard]] std::string gzip(const std::string& bytes);

/// A folder in which the programs run.
class Workspace {
 public:
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool holds(const std::string& name) const { return std::filesystem::exists(path_ / name); }

  /// The names in a folder, sorted.
  [[nodiscard]] std::vector<std::string> list(const std::string& folder) const;

  /// Writes train.en, train.fr (all of small_corpus()), held.en, held.fr (a tenth of it).
  void write_corpus() const;

  /// Runs a program here, on one thread, and waits for it.
  [[nodiscard]] ProcessResult run(const std::string& program, Arguments arguments, ProcessOptions options = {}) const;

  /// Writes the configuration as tiny.json and trains with it: into runs/tiny, where nothing else is said.
  [[nodiscard]] ProcessResult train(const Json& config, const Arguments& arguments = {},
                                    const ProcessOptions& options = {}) const;

  /// The same without waiting for the end.
  [[nodiscard]] Process start_training(const Json& config, const Arguments& arguments = {}) const;

  /// Starts a command of bash here, in which $BIN is the folder of the programs. "exec" makes the last program of the
  /// command the process itself.
  [[nodiscard]] Process shell(const std::string& command) const;

  [[nodiscard]] ProcessResult infer(const Arguments& arguments, const std::string& input = "") const;
  [[nodiscard]] ProcessResult explain(const Arguments& arguments, const std::string& input = "") const;
  [[nodiscard]] ProcessResult evaluate(const Arguments& arguments) const;

  /// The objects of runs/tiny/metrics.jsonl.
  [[nodiscard]] std::vector<Json> metrics(const std::string& run = "runs/tiny") const;

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_ = std::filesystem::canonical(folder_.path());
};

/// A model of some thousand weights on the files of write_corpus(), learnt in a second; a test changes what it is
/// about.
[[nodiscard]] Json tiny_config();

/// A workspace with the corpus and a runs/tiny that is trained for 150 steps without dropout. Throws if it cannot be
/// trained.
class TrainedWorkspace : public Workspace {
 public:
  explicit TrainedWorkspace(Json config);
};

/// A workspace with the corpus and a trained runs/tiny; made once, for reading only.
[[nodiscard]] const Workspace& trained();

/// The lines that a program wrote, without their scores, whose last digit may be rounded otherwise.
[[nodiscard]] std::vector<std::string> texts_without_scores(const ProcessResult& result);

/// A fixture with a workspace that holds the corpus.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() { workspace_.write_corpus(); }

  Workspace workspace_;
};

}  // namespace translate
