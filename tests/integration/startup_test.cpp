// What translate-infer and translate-serve load, and how they go on where they need more.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/processor.h"
#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Whether a program's file names the library among those that the system loads with it.
bool needs(const std::filesystem::path& program, const std::string& library) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(bytes.empty()) << program;
  return bytes.find(std::string("\0", 1) + library + std::string("\0", 1)) != std::string::npos;
}

std::filesystem::path built(const std::string& program) { return std::filesystem::path(TRANSLATE_BIN_DIR) / program; }

TEST(Startup, TheProgramsThatAnswerAtOnceDoNotLoadTheOperators) {
  for (const std::string program : {"translate-infer", "translate-serve", "translate-eval"}) {
    EXPECT_FALSE(needs(built(program), "libtorch_cpu.so")) << program;
    EXPECT_TRUE(needs(built(program + "-libtorch"), "libtorch_cpu.so")) << program;
  }
  EXPECT_TRUE(needs(built("translate-train"), "libtorch_cpu.so"));
}

TEST(Startup, BothProgramsTranslateAlike) {
  const auto sentence = small_corpus().source[0];
  for (const Arguments& options :
       {Arguments{"--precision", "fp32"}, Arguments{"--precision", "int8", "--beam-size", "1"},
        Arguments{"--device", "cpu", "--n-best", "3", "--alignments"}}) {
    auto arguments = options;
    arguments.push_back(sentence);
    const auto quick = trained().run("translate-infer", arguments);
    const auto whole = trained().run("translate-infer-libtorch", arguments);
    EXPECT_EQ(quick.exit_code, 0) << quick.err;
    EXPECT_EQ(quick.out, whole.out);
  }
}

TEST(Startup, IcuIsLoadedOnlyToSplitText) {
  const auto sentence = small_corpus().source[0];
  ::setenv("LD_DEBUG", "files", 1);  // the loader names every library on stderr
  const auto one = trained().infer({"--device", "cpu", sentence});
  const auto two = trained().infer({"--device", "cpu", "The cat sat. The dog slept."});
  ::unsetenv("LD_DEBUG");
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.err, AllOf(HasSubstr("libsentencepiece"), Not(HasSubstr("libicuuc"))));
  EXPECT_THAT(two.err, HasSubstr("libicuuc"));
}

TEST(Startup, WhatNeedsLibTorchIsDoneByTheOtherProgram) {
  const auto sentence = small_corpus().source[0];
  ::setenv(kInstructionsVariable, "avx2", 1);  // of which this project's kernels know no bf16
  const auto result = trained().infer({"--precision", "bf16", "--log-level", "debug", sentence});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--precision bf16 needs LibTorch"));
  EXPECT_FALSE(result.out.empty());
  EXPECT_EQ(trained().infer({"--device", "nonsense", sentence}).exit_code, 2);
  // What is piped in is there for the other program as well.
  EXPECT_EQ(trained().infer({"--precision", "bf16"}, sentence + "\n").out, result.out);
  ::unsetenv(kInstructionsVariable);
}

TEST(Startup, WhereTheOtherProgramIsMissingTheErrorNamesIt) {
  const Workspace alone;
  const auto copy = alone / "translate-infer";
  std::filesystem::copy_file(built("translate-infer"), copy);
  const auto sentence = small_corpus().source[0];
  EXPECT_EQ(trained().run(copy.string(), {"--device", "cpu", sentence}).exit_code, 0);
  const auto result = trained().run(copy.string(), {"--explain", sentence});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("--explain needs LibTorch"), HasSubstr("package translate-mt-train"),
                    HasSubstr("translate-infer-libtorch"), HasSubstr("No such file"), Not(HasSubstr("debug"))));
}

/// A folder with a library by the name of NVIDIA's driver, which the programs find while the object lives.
class PretendedDriver {
 public:
  PretendedDriver() {
    std::filesystem::copy_file(std::filesystem::path(TRANSLATE_ANY_LIBRARY), folder_ / "libcuda.so.1");
    ::setenv("LD_LIBRARY_PATH", folder_.path().c_str(), 1);
  }
  ~PretendedDriver() { ::unsetenv("LD_LIBRARY_PATH"); }
  PretendedDriver(const PretendedDriver&) = delete;
  PretendedDriver& operator=(const PretendedDriver&) = delete;

 private:
  Workspace folder_;
};

TEST(Startup, AloneItStaysOnTheCpuWithANoticeWhereThereIsADriver) {
  const Workspace alone;
  const auto sentence = small_corpus().source[0];
  for (const std::string program : {"translate-infer", "translate-eval"}) {
    const auto copy = alone / program;
    std::filesystem::copy_file(built(program), copy);
    const Arguments arguments = program == "translate-eval" ? Arguments{"--split", "validation"} : Arguments{sentence};
    const auto plain = trained().run(copy.string(), arguments);
    if (!has_nvidia_driver()) {
      EXPECT_THAT(plain.err, Not(HasSubstr("translate-mt-train")));
    }
    const PretendedDriver driver;
    const auto result = trained().run(copy.string(), arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(result.out.empty());
    EXPECT_THAT(result.err, AllOf(HasSubstr("NVIDIA driver"), HasSubstr("package translate-mt-train"),
                                  HasSubstr("translating on the CPU")));
    EXPECT_EQ(count_of(result.err, "NVIDIA driver"), 1U);
  }
  const PretendedDriver driver;
  const auto copy = (alone / "translate-infer").string();
  EXPECT_EQ(trained().run(copy, {"--device", "cpu", "--log-level", "debug", sentence}).err.find("driver"),
            std::string::npos);
  EXPECT_THAT(trained().run(copy, {"--quiet", sentence}).err, Not(HasSubstr("driver")));
  const auto wanted = trained().run(copy, {"--device", "cuda", sentence});
  EXPECT_EQ(wanted.exit_code, 1);
  EXPECT_THAT(wanted.err, AllOf(HasSubstr("--device cuda needs LibTorch"), HasSubstr("package translate-mt-train")));
}

TEST(Startup, WithTheOtherProgramItIsLibTorchThatLooksForAGpu) {
  const PretendedDriver driver;
  const auto result = trained().infer({small_corpus().source[0]});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("computing on the CPU, although this machine has an NVIDIA driver"),
                                Not(HasSubstr("translate-mt-train"))));
}

}  // namespace
}  // namespace translate
