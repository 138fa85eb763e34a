// translate-infer --shard: the outputs of the shards of a file are the output for the whole file.
#include <gmock/gmock.h>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

/// A text with lines of several sentences, blank lines and line ends of both kinds.
std::string odd_text() {
  const auto corpus = small_corpus();
  std::string text = "\xEF\xBB\xBF";
  for (std::size_t i = 0; i + 1 < corpus.source.size(); i += 2) {
    text += corpus.source[i] + (i % 3 == 0 ? " " : "\r\n") + corpus.source[i + 1] + (i % 5 == 0 ? "\n\n" : "\n");
  }
  text.pop_back();
  return text;
}

class Shards : public ::testing::Test {
 protected:
  Shards() { workspace_.write("in.txt", odd_text()); }

  [[nodiscard]] ProcessResult infer(Arguments arguments, const Arguments& variables = {}) const {
    Arguments all = variables;
    all.insert(all.end(), {program_folder().string() + "/translate-infer", "--threads", "1", "--run-dir",
                           (trained() / "runs/tiny").string()});
    all.insert(all.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.folder = workspace_.path();
    return Process("/usr/bin/env", all, options).wait();
  }

  [[nodiscard]] std::string whole(const Arguments& arguments) const {
    auto all = arguments;
    all.insert(all.end(), {"--input", "in.txt"});
    const auto result = infer(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(result.out.empty());
    return result.out;
  }

  [[nodiscard]] std::string shard_by_shard(const Arguments& arguments, int count) const {
    std::string output;
    for (int number = 1; number <= count; ++number) {
      auto all = arguments;
      all.insert(all.end(), {"--input", "in.txt", "--shard", std::to_string(number) + "/" + std::to_string(count)});
      const auto result = infer(all);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      output += result.out;
    }
    return output;
  }

  Workspace workspace_;
};

TEST_F(Shards, GiveTheTranslationsOfTheWholeFile) {
  EXPECT_EQ(shard_by_shard({}, 3), whole({}));
  EXPECT_EQ(shard_by_shard({"--paragraphs"}, 4), whole({"--paragraphs"}));
  EXPECT_EQ(shard_by_shard({"--json", "--alignments", "--word-scores"}, 2),
            whole({"--json", "--alignments", "--word-scores"}));
}

TEST_F(Shards, SamplesAndListsDependOnTheLinesOfTheWholeFile) {
  const Arguments samples = {"--sampling", "--seed", "5", "--temperature", "2"};
  EXPECT_EQ(shard_by_shard(samples, 3), whole(samples));
  const auto lists = whole({"--n-best", "2"});
  EXPECT_THAT(lists, HasSubstr("\n30 ||| "));
  EXPECT_EQ(shard_by_shard({"--n-best", "2"}, 3), lists);
}

TEST_F(Shards, TakePrefixesJsonAndPairs) {
  const auto corpus = small_corpus();
  std::string prefixed;
  std::string json;
  for (std::size_t i = 0; i < 20; ++i) {
    prefixed +=
        corpus.source[i] + "\t" + (i % 2 == 0 ? corpus.target[i].substr(0, corpus.target[i].find(' ')) : "") + "\n";
    json += Json{{"id", i}, {"source", corpus.source[i]}}.dump() + "\n";
  }
  workspace_.write("in.txt", prefixed);
  EXPECT_EQ(shard_by_shard({"--prefixes"}, 3), whole({"--prefixes"}));
  EXPECT_EQ(shard_by_shard({"--score"}, 3), whole({"--score"}));
  workspace_.write("in.txt", join_lines(corpus.source));
  workspace_.write("out.txt", join_lines(corpus.target));
  EXPECT_EQ(shard_by_shard({"--score", "--target", "out.txt"}, 5), whole({"--score", "--target", "out.txt"}));
  workspace_.write("in.txt", json);
  EXPECT_EQ(shard_by_shard({"--json-input", "--json"}, 3), whole({"--json-input", "--json"}));
}

TEST_F(Shards, MessagesNumberTheLinesOfTheWholeFile) {
  workspace_.write("in.txt", "the cat\nthe cat\nthe cat\nthe \xFF cat\n");
  const auto odd = infer({"--input", "in.txt", "--shard", "2/2"});
  EXPECT_THAT(odd.err, HasSubstr("line 4: not valid UTF-8"));
  workspace_.write("in.txt", "{\"source\": \"a\"}\n{\"source\": \"a\"}\n{\"source\": \"a\"}\nbad\n");
  const auto bad = infer({"--input", "in.txt", "--json-input", "--shard", "2/2"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("in.txt: line 4: "));
  EXPECT_EQ(infer({"--input", "in.txt", "--json-input", "--shard", "1/2"}).exit_code, 0);
  const auto corpus = small_corpus();
  const auto long_line = corpus.source[0] + " " + corpus.source[1] + " " + corpus.source[2] + "\n";
  workspace_.write("in.txt", long_line + long_line + long_line + long_line);
  const auto brief = infer({"--input", "in.txt", "--no-split", "--max-length", "2", "--shard", "2/2"});
  EXPECT_THAT(brief.err, HasSubstr("text may be missing (lines 3, 4)"));
}

TEST_F(Shards, ProcessesOfALauncherWriteTheirOwnFiles) {
  const Arguments arguments = {"--input", "in.txt", "--shard", "auto", "--output", "part-{shard}.txt"};
  std::string output;
  for (int rank = 0; rank < 10; ++rank) {
    const auto number = std::to_string(rank);
    const auto result = rank % 2 == 0 ? infer(arguments, {"RANK=" + number, "WORLD_SIZE=10"})
                                      : infer(arguments, {"-u", "RANK", "-u", "WORLD_SIZE", "SLURM_STEP_ID=0",
                                                          "SLURM_PROCID=" + number, "SLURM_NTASKS=10"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
  }
  for (const auto& name : workspace_.list(".")) {  // sorted, as cat part-*.txt has them
    output += name.starts_with("part-") ? workspace_.read(name) : "";
  }
  EXPECT_TRUE(workspace_.holds("part-01.txt"));
  EXPECT_TRUE(workspace_.holds("part-10.txt"));
  EXPECT_EQ(output, whole({}));
}

TEST_F(Shards, WrongOptionsAreNamed) {
  const auto error = [&](const Arguments& arguments, const Arguments& variables = {}) {
    const auto result = infer(arguments, variables);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error({"--input", "in.txt", "--shard", "3/2"}), HasSubstr("expected K/N, such as 2/8"));
  EXPECT_THAT(error({"--shard", "1/2"}), HasSubstr("--input"));
  EXPECT_THAT(error({"--input", "/dev/null", "--shard", "1/2"}), HasSubstr("regular file"));
  const Arguments launched = {"--input", "in.txt", "--shard", "auto", "--output", "part-{shard}.txt"};
  EXPECT_THAT(error(launched, {"-u", "WORLD_SIZE", "RANK=1"}), HasSubstr("RANK is set, but WORLD_SIZE is not"));
  EXPECT_THAT(error({"--input", "in.txt", "--shard", "auto", "--output", "out.txt"}, {"RANK=1", "WORLD_SIZE=2"}),
              HasSubstr("part-{shard}.txt"));
}

}  // namespace
}  // namespace translate
