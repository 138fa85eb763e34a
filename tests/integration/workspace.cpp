#include "integration/workspace.h"

#include <stdlib.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "support/folders.h"

namespace translate {

namespace fs = std::filesystem;

Pairs small_corpus() {
  using Words = std::vector<std::pair<std::string, std::string>>;
  const Words subjects = {{"the cat", "le chat"},
                          {"the dog", "le chien"},
                          {"a bird", "un oiseau"},
                          {"my friend", "mon ami"},
                          {"the child", "l'enfant"}};
  const Words verbs = {{"sees", "voit"}, {"eats", "mange"}, {"wants", "veut"}, {"likes", "aime"}};
  const Words objects = {{"an apple .", "une pomme ."}, {"the bread .", "le pain ."}, {"a fish .", "un poisson ."}};
  Pairs pairs;
  for (const auto& subject : subjects) {
    for (const auto& verb : verbs) {
      for (const auto& object : objects) {
        pairs.source.push_back(subject.first + " " + verb.first + " " + object.first);
        pairs.target.push_back(subject.second + " " + verb.second + " " + object.second);
      }
    }
  }
  return pairs;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    text += line + "\n";
  }
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) {
    keys.push_back(item.key());
  }
  return keys;
}

std::string gzip(const std::string& bytes) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, /*memLevel=*/8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib does not start");
  }
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
    throw std::runtime_error("zlib does not finish");
  }
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void Workspace::write(const std::string& name, const std::string& content) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream file(path_ / name, std::ios::binary);
  file << content;
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + name);
  }
}

std::string Workspace::read(const std::string& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name << " is not there";
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Workspace::list(const std::string& folder) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_ / folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Workspace::write_corpus() const {
  const auto pairs = small_corpus();
  Pairs held;
  for (std::size_t i = 0; i < pairs.source.size(); i += 10) {
    held.source.push_back(pairs.source[i]);
    held.target.push_back(pairs.target[i]);
  }
  write("train.en", join_lines(pairs.source));
  write("train.fr", join_lines(pairs.target));
  write("held.en", join_lines(held.source));
  write("held.fr", join_lines(held.target));
}

ProcessResult Workspace::run(const std::string& program, Arguments arguments, ProcessOptions options) const {
  if (std::find(arguments.begin(), arguments.end(), "--threads") == arguments.end()) {
    arguments.insert(arguments.begin(), {"--threads", "1"});
  }
  options.folder = path_;
  return Process(program, arguments, options).wait();
}

ProcessResult Workspace::train(const Json& config, const Arguments& arguments, const ProcessOptions& options) const {
  write("tiny.json", config.dump(2));
  Arguments all = {"--config", "tiny.json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run("translate-train", all, options);
}

Process Workspace::start_training(const Json& config, const Arguments& arguments) const {
  write("tiny.json", config.dump(2));
  Arguments all = {"--config", "tiny.json", "--threads", "1"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return Process("translate-train", all, {.folder = path_, .input = {}, .stdout_path = {}, .file_limit = {}});
}

Process Workspace::shell(const std::string& command) const {
  return Process("/bin/bash", {"-c", "BIN='" + program_folder().string() + "'; " + command},
                 {.folder = path_, .input = {}, .stdout_path = {}, .file_limit = {}});
}

ProcessResult Workspace::infer(const Arguments& arguments, const std::string& input) const {
  return run("translate-infer", arguments, {.folder = {}, .input = input, .stdout_path = {}, .file_limit = {}});
}

ProcessResult Workspace::explain(const Arguments& arguments, const std::string& input) const {
  return run("translate-explain", arguments, {.folder = {}, .input = input, .stdout_path = {}, .file_limit = {}});
}

ProcessResult Workspace::evaluate(const Arguments& arguments) const { return run("translate-eval", arguments); }

std::vector<Json> Workspace::metrics(const std::string& run) const {
  std::vector<Json> objects;
  for (const auto& line : split_lines(read(run + "/metrics.jsonl"))) {
    objects.push_back(Json::parse(line));
  }
  return objects;
}

Json tiny_config() {
  const Json held = {{"source", "held.en"}, {"target", "held.fr"}};
  return {{"data", {{"train", {{"source", "train.en"}, {"target", "train.fr"}}}, {"validation", held}, {"test", held}}},
          {"tokenizer", {{"type", "bpe"}, {"vocab_size", 90}, {"normalization", "identity"}}},
          {"model",
           {{"d_model", 16},
            {"num_layers", 1},
            {"num_heads", 2},
            {"d_ff", 32},
            {"dropout", 0.1},
            {"layer_norm", "torch"},
            {"tie_embeddings", "all"}}},
          {"training",
           {{"batch_tokens", 200},
            {"max_steps", 8},
            {"schedule", "constant"},
            {"warmup_steps", 5},
            {"learning_rate", 0.01},
            {"log_every", 2},
            {"validate_every", 4},
            {"checkpoint_every", 4}}}};
}

TrainedWorkspace::TrainedWorkspace(Json config) {
  write_corpus();
  config["model"]["dropout"] = 0.0;
  config["training"].update({{"max_steps", 150}, {"validate_every", 75}, {"checkpoint_every", 75}, {"log_every", 50}});
  const auto result = train(config);
  if (result.exit_code != 0) {
    throw std::runtime_error("the shared model cannot be trained: " + result.err);
  }
}

const Workspace& trained() {
  static const TrainedWorkspace workspace(tiny_config());
  return workspace;
}

std::vector<std::string> texts_without_scores(const ProcessResult& result) {
  auto lines = split_lines(result.out);
  for (auto& line : lines) {
    line = line.substr(0, line.rfind(" ||| "));
  }
  return lines;
}

}  // namespace translate
