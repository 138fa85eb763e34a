#include "processes/collectives/nccl_library.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/error.h"
#include "core/libraries/library_folder.h"
#include "core/temporary_folder.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/temporary_folder.h"
#include "tensors/libtorch_version.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

const std::filesystem::path kLibraries = program_folder().parent_path() / "lib";
const std::filesystem::path kPlugin = kLibraries / "libtranslate_nccl.so";

std::string refusal_of(const std::filesystem::path& file) {
  return error_of<RuntimeError>([&] { static_cast<void>(load_nccl_plugin(file)); });
}

TEST(NcclLibrary, APluginThatIsNotBuiltIsNamedWithWhatToDo) {
  EXPECT_THAT(refusal_of("/nowhere/libtranslate_nccl.so"),
              AllOf(HasSubstr("/nowhere/libtranslate_nccl.so is not built"), HasSubstr("scripts/setup --cuda"),
                    HasSubstr("--device cpu")));
}

TEST(NcclLibrary, AFileThatDoesNotLoadIsRefusedWithTheReason) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "libtranslate_nccl.so";
  std::ofstream(file) << "no library";
  EXPECT_THAT(refusal_of(file), AllOf(HasSubstr(file.string() + " does not load"), HasSubstr("scripts/setup --cuda")));
}

TEST(NcclLibrary, ALibraryWithoutTheFunctionIsRefused) {
  EXPECT_THAT(refusal_of(kLibraries / "libtranslate.so"),
              AllOf(HasSubstr("libtranslate.so cannot be used"), HasSubstr("translate_nccl_backend")));
}

/// The plugin as the build has made it.
class NcclPlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kPlugin)) {
      GTEST_SKIP() << kPlugin << " is not built: cmake said which headers are missing";
    }
    const auto libtorch = folder_of_function(reinterpret_cast<void*>(&at::globalContext));
    loads_ = ::dlopen((libtorch / "libtorch_cuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
  }

  const c10::intrusive_ptr<c10d::Store> store_ = c10::make_intrusive<c10d::HashStore>();
  bool loads_ = false;  ///< LibTorch's CUDA part
};

TEST_F(NcclPlugin, MakesABackendOrSaysWhyNot) {
  c10::intrusive_ptr<c10d::Backend> backend;
  const auto make = [&] { backend = make_nccl_backend(store_, /*rank=*/0, /*size=*/1); };
  if (loads_ && at::hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0) {
    make();
    EXPECT_EQ(backend->getBackendName(), "nccl");
    backend->abort();
    return;
  }
  EXPECT_THAT(error_of<RuntimeError>(make),
              AllOf(HasSubstr("several processes on GPUs need NCCL"), HasSubstr("--device cpu"),
                    loads_ ? HasSubstr("no GPUs found") : HasSubstr("`scripts/setup --cuda` installs what it needs")));
}

TEST_F(NcclPlugin, RefusesAnotherLibTorch) {
  if (!loads_) {
    GTEST_SKIP() << "LibTorch's CUDA part does not load here; scripts/setup --cuda installs what it needs";
  }
  auto* const make = load_nccl_plugin(kPlugin);
  c10::intrusive_ptr<c10d::Backend> backend;
  EXPECT_THAT(error_of<c10::Error>([&] { make("1.0.0", store_, /*rank=*/0, /*size=*/1, backend); }),
              AllOf(HasSubstr("was built for LibTorch " + std::string(libtorch_version())), HasSubstr("1.0.0")));
}

}  // namespace
}  // namespace translate::trainer
