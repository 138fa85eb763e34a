// The libraries that the programs load, and what they do if they need more.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/compute_device.h"
#include "core/processor.h"
#include "integration/workspace.h"
#include "support/folders.h"

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

/// A folder with a program and libtranslate, but without libtranslate_torch, as the small package installs them.
class SmallInstallation {
 public:
  SmallInstallation() {
    std::filesystem::create_directories(folder_ / "lib");
    const auto libraries = program_folder().parent_path() / "lib";
    std::filesystem::copy_file(libraries / kLibrary, folder_ / "lib" / kLibrary);
  }

  /// Returns the path of a program's copy, which loads this folder's libtranslate.
  [[nodiscard]] std::string program(const std::string& name) const {
    const auto wrapper = folder_ / name;
    std::ofstream(wrapper) << "#!/bin/sh\nLD_LIBRARY_PATH='" << (folder_ / "lib").string() << "'${LD_LIBRARY_PATH:+:}"
                           << "$LD_LIBRARY_PATH exec '" << (program_folder() / name).string() << "' \"$@\"\n";
    std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
    return wrapper.string();
  }

 private:
  static constexpr const char* kLibrary = "libtranslate.so.0";

  Workspace folder_;
};

TEST(Startup, TheProgramsThatAnswerAtOnceDoNotLoadTheOperators) {
  for (const std::string program :
       {"translate-infer", "translate-serve", "translate-eval", "translate-import", "translate-export"}) {
    EXPECT_FALSE(needs(program_folder() / program, "libtorch_cpu.so")) << program;
    EXPECT_FALSE(needs(program_folder() / program, "libtranslate_torch.so.0")) << program;
    EXPECT_TRUE(needs(program_folder() / program, "libtranslate.so.0")) << program;
  }
  const auto library = program_folder().parent_path() / "lib/libtranslate.so.0";
  EXPECT_FALSE(needs(library, "libtorch_cpu.so"));
  EXPECT_FALSE(needs(library, "libc10.so"));
  for (const std::string program : {"translate-train", "translate-explain"}) {
    EXPECT_TRUE(needs(program_folder() / program, "libtorch_cpu.so")) << program;
  }
}

TEST(Startup, EveryPrecisionAndProcessorDoesWithoutTheOperators) {
  const SmallInstallation small;
  const auto sentence = small_corpus().source[0];
  for (const std::string instructions : {"baseline", "avx2"}) {
    ::setenv(kInstructionsVariable, instructions.c_str(), 1);  // of which there are none for bf16
    for (const std::string precision : {"fp32", "bf16", "int8"}) {
      const auto result = trained().run(small.program("translate-infer"), {"--precision", precision, sentence});
      EXPECT_EQ(result.exit_code, 0) << instructions << " " << precision << ": " << result.err;
      EXPECT_FALSE(result.out.empty()) << instructions << " " << precision;
    }
    ::unsetenv(kInstructionsVariable);
  }
  EXPECT_EQ(trained().run(small.program("translate-infer"), {"--device", "nonsense", sentence}).exit_code, 2);
}

TEST(Startup, WithoutTheOperatorsModelsFromElsewhereAreRead) {
  const SmallInstallation small;
  const auto program = small.program("translate-infer");
  const auto checkpoint = trained() / "runs/tiny/checkpoints/step-00000150";
  const auto name = [&](const char* file) { return (checkpoint / file).string(); };
  const auto sentence = small_corpus().source[0];
  const auto weights =
      trained().run(program, {"--checkpoint", name("model.safetensors"), "--config", name("config.json"),
                              "--tokenizers", name("source.spm") + "," + name("target.spm"), sentence});
  EXPECT_EQ(weights.exit_code, 0) << weights.err;
  EXPECT_EQ(weights.out, trained().infer({"--checkpoint", checkpoint.string(), sentence}).out);
  const auto marian = project_folder() / "tests/golden/marian/all";
  const auto other = trained().run(program, {"--checkpoint", marian.string(), sentence});
  EXPECT_EQ(other.exit_code, 0) << other.err;
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
  const SmallInstallation small;
  const auto sentence = small_corpus().source[0];
  for (const std::string program : {"translate-infer", "translate-eval"}) {
    const auto copy = small.program(program);
    const Arguments arguments = program == "translate-eval" ? Arguments{"--split", "validation"} : Arguments{sentence};
    const auto plain = trained().run(copy, arguments);
    if (!has_nvidia_driver()) {
      EXPECT_THAT(plain.err, Not(HasSubstr("translate-mt-train")));
    }
    const PretendedDriver driver;
    const auto result = trained().run(copy, arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(result.out.empty());
    EXPECT_THAT(result.err, AllOf(HasSubstr("NVIDIA driver"), HasSubstr("package translate-mt-train"),
                                  HasSubstr("translating on the CPU")));
    EXPECT_EQ(count_of(result.err, "NVIDIA driver"), 1U);
  }
  const PretendedDriver driver;
  const auto copy = small.program("translate-infer");
  EXPECT_EQ(trained().run(copy, {"--device", "cpu", "--log-level", "debug", sentence}).err.find("driver"),
            std::string::npos);
  EXPECT_THAT(trained().run(copy, {"--quiet", sentence}).err, Not(HasSubstr("driver")));
  const auto wanted = trained().run(copy, {"--device", "cuda", sentence});
  EXPECT_EQ(wanted.exit_code, 1);
  EXPECT_THAT(wanted.err,
              AllOf(HasSubstr("--device cuda needs LibTorch's operators"), HasSubstr("package translate-mt-train"),
                    HasSubstr("libtranslate_torch.so.0"), HasSubstr("No such file"), Not(HasSubstr("debug"))));
}

TEST(Startup, WithTheOperatorsItIsLibTorchThatLooksForAGpu) {
  const PretendedDriver driver;
  const auto result = trained().infer({small_corpus().source[0]});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("computing on the CPU, although this machine has an NVIDIA driver"),
                                Not(HasSubstr("translate-mt-train"))));
}

}  // namespace
}  // namespace translate
