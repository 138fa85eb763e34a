#include "processes/collectives/nccl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/libraries/library_folder.h"
#include "processes/collectives/error_text.h"
#include "tensors/libtorch_version.h"

namespace translate::trainer {

namespace {

constexpr const char* kPlugin = "libtranslate_nccl.so";
constexpr const char* kFunction = "translate_nccl_backend";

RuntimeError refusal(const std::string& reason) {
  return RuntimeError(fmt::format("several processes on GPUs need NCCL: {}; or add --device cpu", reason));
}

}  // namespace

NcclBackend* load_nccl_plugin(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw refusal(fmt::format("{} is not built. Run `scripts/setup --cuda` and build the programs again (docs/gpu.md)",
                              file.string()));
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw refusal(fmt::format("{} does not load ({}). `scripts/setup --cuda` installs what it needs", file.string(),
                              loader_problem()));
  }
  void* const function = ::dlsym(library, kFunction);
  if (function == nullptr) {
    throw refusal(fmt::format("{} cannot be used ({}). Build the programs again", file.string(), loader_problem()));
  }
  return reinterpret_cast<NcclBackend*>(function);
}

c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size) {
  const auto folder = folder_of_function(reinterpret_cast<void*>(&folder_of_function));  // of libtranslate
  auto* const make = load_nccl_plugin(folder / kPlugin);
  c10::intrusive_ptr<c10d::Backend> backend;
  try {
    make(std::string(libtorch_version()).c_str(), store, rank, size, backend);
  } catch (const std::exception& error) {
    throw refusal(one_line(error));
  }
  return backend;
}

}  // namespace translate::trainer
