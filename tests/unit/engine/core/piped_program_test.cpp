#include "core/piped_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <stdexcept>

#include "core/error.h"
#include "core/file.h"
#include "core/temporary_folder.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a program has printed, and how it has ended.
struct Ran {
  std::string out;
  std::string messages;
  int status = -1;
};

/// Runs a program on the input, which it gets in chunks.
Ran run(const std::vector<std::string>& words, std::string input = "") {
  PipedProgram program(words);
  Ran ran;
  const auto next = [&] {
    constexpr std::size_t kChunk = 100'000;
    auto chunk = input.substr(0, kChunk);
    input.erase(0, chunk.size());
    return chunk;
  };
  program.exchange(next, [&](std::string_view bytes) { ran.out += bytes; });
  ran.status = program.wait();
  ran.messages = program.last_messages();
  return ran;
}

Ran shell(const std::string& script, const std::string& input = "") { return run({"sh", "-c", script}, input); }

const std::string kLarge(3'000'000, 'x');  // more than any pipe holds

TEST(PipedProgramTest, WritesAndReadsAtTheSameTime) {
  const auto copied = run({"cat"}, kLarge);
  EXPECT_EQ(copied.status, 0);
  EXPECT_TRUE(copied.out == kLarge);
}

TEST(PipedProgramTest, TheOrderOfReadingAndWritingIsTheProgramsAffair) {
  const auto wrote_first = shell("head -c 3000000 /dev/zero; wc -c", kLarge);
  EXPECT_EQ(wrote_first.out.size(), 3'000'000U + 8U);
  EXPECT_THAT(wrote_first.out, EndsWith("3000000\n"));
  const auto told_first = shell("head -c 3000000 /dev/zero >&2; wc -c", kLarge);
  EXPECT_EQ(told_first.out, "3000000\n");
}

TEST(PipedProgramTest, AProgramNeedNotReadEverything) {
  const auto nothing = shell("echo 1", kLarge);
  EXPECT_EQ(nothing.out, "1\n");
  EXPECT_EQ(nothing.status, 0);
  const auto closed = shell("exec <&-; echo 1", kLarge);
  EXPECT_EQ(closed.out, "1\n");
}

TEST(PipedProgramTest, TheStatusIsThatOfTheProgram) {
  EXPECT_EQ(end_in_words(shell("exit 3").status), "ended with exit code 3");
  EXPECT_THAT(end_in_words(shell("kill -TERM $$").status), StartsWith("was ended by signal 15 ("));
}

TEST(PipedProgramTest, BrokenPipesEndTheProgramAsElsewhere) { EXPECT_EQ(shell("yes | head -n 1").out, "y\n"); }

TEST(PipedProgramTest, KeepsTheEndOfItsMessages) {
  EXPECT_EQ(shell("echo one >&2; echo two >&2").messages, "one\ntwo\n");
  const auto many = shell("seq 100000 >&2").messages;
  EXPECT_THAT(many, AllOf(StartsWith("9"), EndsWith("\n99999\n100000\n")));
  EXPECT_LE(many.size(), 10'000U);
  EXPECT_EQ(std::ranges::count(many, '\n'), static_cast<std::ptrdiff_t>(many.size() / 6));  // whole lines
}

TEST(PipedProgramTest, WordsAreTakenAsTheyAre) {
  EXPECT_EQ(run({"printf", "%s|", "a b", "", "$HOME", "*"}).out, "a b||$HOME|*|");
}

TEST(PipedProgramTest, AProgramThatCannotBeStartedIsNamed) {
  const auto error = [](const std::string& name) {
    return testing::error_of<PathError>([&] { const PipedProgram program({name}); });
  };
  EXPECT_THAT(error("no-such-program"), AllOf(HasSubstr("cannot start no-such-program"), HasSubstr("No such file")));
  EXPECT_THAT(error("/"), HasSubstr("cannot start /: Permission denied"));
}

TEST(PipedProgramTest, TheDestructorEndsTheProgram) {
  pid_t id = 0;
  {
    PipedProgram program({"sh", "-c", "echo $$; exec sleep 1000"});
    const auto take = [&](std::string_view bytes) {
      id = std::stoi(std::string(bytes));
      throw std::runtime_error("enough");
    };
    EXPECT_THROW(program.exchange([] { return std::string(); }, take), std::runtime_error);
  }
  ASSERT_GT(id, 0);
  EXPECT_EQ(::kill(id, 0), -1);
}

TEST(RequireProgramTest, FindsWhatMayBeExecuted) {
  EXPECT_NO_THROW(require_program("sh"));
  EXPECT_NO_THROW(require_program("/bin/sh"));
  const TemporaryFolder folder;
  const auto file = folder.path() / "score.sh";
  write_file_synced(file, "#!/bin/sh\necho 1\n");
  const auto error = [](const std::string& name) {
    return testing::error_of<PathError>([&] { require_program(name); });
  };
  EXPECT_THAT(error(file.string()), HasSubstr("may not be executed"));
  std::filesystem::permissions(file, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
  EXPECT_NO_THROW(require_program(file.string()));
  EXPECT_THAT(error(folder.path().string()), HasSubstr("may not be executed"));  // a folder
  EXPECT_THAT(error("no-such-program"), HasSubstr("in the folders of PATH"));
}

}  // namespace
}  // namespace translate
