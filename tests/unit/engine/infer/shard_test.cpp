#include "infer/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "core/error.h"
#include "infer/translation_input.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

EnvironmentReader variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

Shard launched(const std::map<std::string, std::string>& values) { return read_shard("auto", variables(values)); }

std::string launch_error(const std::map<std::string, std::string>& values) {
  return error_of<ConfigError>([&] { (void)launched(values); });
}

TEST(ShardOption, TwoNumbersCountFromOne) {
  EXPECT_EQ(read_shard("1/1"), (Shard{.number = 1, .count = 1}));
  EXPECT_EQ(read_shard("12/40"), (Shard{.number = 12, .count = 40}));
  for (const char* text : {"", "3", "0/4", "5/4", "-1/4", "1/0", "1/", "/2", "a/2", "1/2/3", "1 /2", "1.0/2", "Auto",
                           "1/99999999999999999999", "1/1000001"}) {
    EXPECT_THAT(error_of<ConfigError>([&] { (void)read_shard(text); }),
                AllOf(HasSubstr("expected K/N, such as 2/8"), HasSubstr(std::string("got \"") + text + "\"")));
  }
}

TEST(ShardOption, AutoCountsAsTorchrunOrAStepOfSrunDoes) {
  EXPECT_EQ(launched({{"RANK", "0"}, {"WORLD_SIZE", "4"}}), (Shard{.number = 1, .count = 4}));
  EXPECT_EQ(launched({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}),
            (Shard{.number = 4, .count = 4}));
  // torchrun in each of two tasks of srun
  EXPECT_EQ(
      launched(
          {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}, {"RANK", "5"}, {"WORLD_SIZE", "8"}}),
      (Shard{.number = 6, .count = 8}));
}

TEST(ShardOption, AutoNamesVariablesThatAreMissing) {
  EXPECT_THAT(launch_error({}), AllOf(HasSubstr("RANK, WORLD_SIZE and SLURM_STEP_ID are not set"),
                                      HasSubstr("torchrun or srun, or give --shard K/N")));
  EXPECT_THAT(launch_error({{"RANK", "1"}}), HasSubstr("RANK is set, but WORLD_SIZE is not"));
  EXPECT_THAT(launch_error({{"WORLD_SIZE", "1"}}), HasSubstr("WORLD_SIZE is set, but RANK is not"));
  EXPECT_THAT(launch_error({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}}),
              HasSubstr("SLURM_PROCID is set, but SLURM_NTASKS is not"));
  EXPECT_THAT(launch_error({{"SLURM_STEP_ID", "0"}}), HasSubstr("RANK, WORLD_SIZE and SLURM_PROCID are not set"));
  // a batch script, which Slurm runs once whatever the number of tasks
  EXPECT_THAT(launch_error({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}),
              AllOf(HasSubstr("SLURM_STEP_ID are not set"), HasSubstr("srun in it starts a step")));
}

TEST(ShardOption, AutoNamesVariablesThatContradictEachOther) {
  for (const char* rank : {"4", "-1", "x", "1.5"}) {
    EXPECT_THAT(launch_error({{"RANK", rank}, {"WORLD_SIZE", "4"}}),
                AllOf(HasSubstr("RANK from 0 to WORLD_SIZE - 1"), HasSubstr(std::string("RANK=") + rank),
                      HasSubstr("WORLD_SIZE=4")));
  }
  EXPECT_THAT(launch_error({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "0"}}),
              HasSubstr("SLURM_NTASKS=0"));
  // left from another shell: each of the eight tasks would take itself for the only one
  EXPECT_THAT(
      launch_error(
          {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "8"}, {"RANK", "0"}, {"WORLD_SIZE", "1"}}),
      AllOf(HasSubstr("WORLD_SIZE=1"), HasSubstr("SLURM_NTASKS=8"), HasSubstr("unset RANK and WORLD_SIZE")));
}

TEST(ShardOption, OutputNamesSortInTheOrderOfTheShards) {
  EXPECT_EQ(shard_output("part-{shard}.txt", {.number = 3, .count = 9}, "3/9"), "part-3.txt");
  EXPECT_EQ(shard_output("part-{shard}.txt", {.number = 3, .count = 10}, "auto"), "part-03.txt");
  EXPECT_EQ(shard_output("{shard}/{shard}", {.number = 100, .count = 100}, "auto"), "100/100");
  EXPECT_EQ(shard_output("out.txt", {.number = 1, .count = 2}, "1/2"), "out.txt");
  EXPECT_EQ(shard_output("", {.number = 1, .count = 2}, "1/2"), "");
}

TEST(ShardOption, AutoNeedsAnOutputForEachShard) {
  EXPECT_THAT(error_of<ConfigError>([] { (void)shard_output("out.txt", {.number = 1, .count = 2}, "auto"); }),
              AllOf(HasSubstr("part-{shard}.txt"), HasSubstr("all shards would write to out.txt")));
  EXPECT_THAT(error_of<ConfigError>([] { (void)shard_output("", {.number = 1, .count = 2}, "auto"); }),
              HasSubstr("the same stdout"));
}

/// A line of the input, its number in the file included.
struct Numbered {
  std::int64_t number;
  std::string source;
  std::string target;

  bool operator==(const Numbered&) const = default;
};

class ShardsOfAFile : public TemporaryFolderTest {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const auto path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static std::vector<Numbered> read(const InputOptions& options) {
    TranslationInput input(options);
    std::vector<Numbered> all;
    while (true) {
      auto number = input.next_line();
      const auto lines = input.read(3);
      if (lines.empty()) {
        return all;
      }
      for (const auto& line : lines) {
        EXPECT_EQ(line.error, "");
        all.push_back({.number = number++, .source = line.source, .target = line.target});
      }
    }
  }

  static std::vector<Numbered> read_shards(InputOptions options, std::int64_t count) {
    std::vector<Numbered> all;
    for (std::int64_t number = 1; number <= count; ++number) {
      options.shard = {.number = number, .count = count};
      const auto shard = read(options);
      all.insert(all.end(), shard.begin(), shard.end());
    }
    return all;
  }

  static void expect_shards_are_the_whole(const InputOptions& options, const std::string& text) {
    const auto whole = read(options);
    for (std::int64_t count = 1; count <= 7; ++count) {
      EXPECT_EQ(read_shards(options, count), whole) << count << " shards of " << ::testing::PrintToString(text);
    }
  }

  /// A text of random lines: blank ones, CRLF, a byte order mark, no newline at the end.
  std::string random_text() {
    const auto below = [&](unsigned limit) { return random_() % limit; };
    const std::vector<std::string> words = {"a", "bc", "é", "\xE2\x80\x83", "long-word", "\xEF\xBB\xBF"};
    std::string text = below(4) == 0 ? "\xEF\xBB\xBF" : "";
    const auto lines = below(12);
    const auto blank = below(4);
    for (unsigned line = 0; line < lines; ++line) {
      for (auto left = below(4) < blank ? 0U : 1 + below(9); left > 0; --left) {
        text += words[below(static_cast<unsigned>(words.size()))] + (left > 1 ? " " : "");
      }
      text += below(8) == 0 ? " " : "";
      text += below(3) == 0 ? "\r\n" : "\n";
    }
    if (!text.empty() && below(3) == 0) {
      text.pop_back();
    }
    return text;
  }

  std::mt19937 random_{7};
};

TEST_F(ShardsOfAFile, AreTheWholeFileLineByLine) {
  for (const std::string text : {"", "\n", "\n\n\n", "a", "a\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n", "a\r\n\r\nb"}) {
    expect_shards_are_the_whole({.path = write("in", text)}, text);
  }
  for (int i = 0; i < 200; ++i) {
    const auto text = random_text();
    expect_shards_are_the_whole({.path = write("in", text)}, text);
  }
}

TEST_F(ShardsOfAFile, AreTheWholeFileParagraphByParagraph) {
  for (const std::string text : {"", "\n", "\n\n\n", "a", "a\n\n", "\n\na\nb\n \n\nc", "\xEF\xBB\xBF\n\na"}) {
    expect_shards_are_the_whole({.path = write("in", text), .paragraphs = true}, text);
  }
  for (int i = 0; i < 200; ++i) {
    const auto text = random_text();
    expect_shards_are_the_whole({.path = write("in", text), .paragraphs = true}, text);
  }
}

TEST_F(ShardsOfAFile, MayBeOfAPackedFile) {
  for (int i = 0; i < 30; ++i) {
    const auto text = random_text();
    const auto packed = (folder_ / "in.gz").string();
    write_gzip(packed, text);
    for (const bool paragraphs : {false, true}) {
      EXPECT_EQ(read({.path = packed, .paragraphs = paragraphs}),
                read({.path = write("in", text), .paragraphs = paragraphs}));
      expect_shards_are_the_whole({.path = packed, .paragraphs = paragraphs}, text);
    }
  }
}

TEST_F(ShardsOfAFile, HaveTheirTranslationsFromASecondFile) {
  for (int i = 0; i < 50; ++i) {
    const auto text = random_text();
    const auto path = write("in", text);
    std::string target;
    for (const auto& line : read({.path = path})) {
      target += "translation of " + line.source + "\n";
    }
    expect_shards_are_the_whole({.path = path, .score = true, .target = write("target", target)}, text);
  }
}

TEST_F(ShardsOfAFile, AMissingTranslationIsFoundByAShard) {
  const auto path = write("in", "a\nb\nc\nd\n");
  const auto all_fail = [&](const std::string& target) {
    const InputOptions options{.path = path, .score = true, .target = write("target", target)};
    return error_of<DataError>([&] { (void)read_shards(options, 2); });
  };
  const auto target = (folder_ / "target").string();
  EXPECT_EQ(all_fail("A\n"),
            target + " ends with line 1, but " + path + " goes on: expected a translation for each line");
  EXPECT_THAT(all_fail("A\nB\nC\n"), HasSubstr(target + " ends with line 3, but " + path + " goes on"));
  EXPECT_THAT(all_fail("A\nB\nC\nD\nE\n"), HasSubstr(path + " ends with line 4, but " + target + " goes on"));
  // many more shards than lines: the last one has no line
  const InputOptions longer{.path = path, .score = true, .target = target};
  EXPECT_THAT(error_of<DataError>([&] { (void)read_shards(longer, 40); }), HasSubstr("ends with line 4"));
  // a shard that begins behind the end of the translations
  const InputOptions last{
      .path = path, .score = true, .target = write("target", "A\n"), .shard = Shard{.number = 2, .count = 2}};
  EXPECT_THAT(error_of<DataError>([&] { (void)read(last); }), HasSubstr(target + " ends with line 1"));
}

TEST_F(ShardsOfAFile, HaveAboutEquallyManyBytes) {
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    text += std::string(static_cast<std::size_t>(random_() % 60), 'x') + "\n";
  }
  const auto path = write("in", text);
  for (std::int64_t number = 1; number <= 8; ++number) {
    const auto bytes = find_shard(path, {.number = number, .count = 8}, ShardUnit::kLine).bytes;
    EXPECT_NEAR(static_cast<double>(bytes.end - bytes.begin), static_cast<double>(text.size()) / 8, 60.0);
  }
}

TEST_F(ShardsOfAFile, NeedARegularFile) {
  const Shard shard{.number = 1, .count = 2};
  EXPECT_THAT(error_of<ConfigError>([&] { (void)find_shard("/dev/null", shard, ShardUnit::kLine); }),
              HasSubstr("/dev/null: --shard needs a regular file"));
  EXPECT_THAT(error_of<DataError>([&] { (void)find_shard((folder_ / "none").string(), shard, ShardUnit::kLine); }),
              HasSubstr("none: cannot be read"));
  EXPECT_THAT(error_of<DataError>([&] { (void)find_shard(folder_.string(), shard, ShardUnit::kLine); }),
              HasSubstr("is a folder"));
  EXPECT_THAT(error_of<ConfigError>([&] { (void)read({.shard = shard}); }), HasSubstr("--shard requires --input"));
}

}  // namespace
}  // namespace translate
