// The plugin libtranslate_nccl: see processes/collectives/nccl_library.h.

// Declares LibTorch's NCCL backend, which its CUDA part has, but which its headers leave out by default.
#define USE_C10D_NCCL

#include <c10/util/Exception.h>
#include <c10/util/env.h>
#include <nccl.h>
#include <torch/csrc/cuda/nccl.h>
#include <torch/version.h>

#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "processes/collectives/nccl_library.h"

namespace translate::trainer {

namespace {

/// The classes that the plugin shares with LibTorch depend on both versions.
void check_versions(const std::string& libtorch_of_caller) {
  TORCH_CHECK(libtorch_of_caller == TORCH_VERSION, "libtranslate_nccl.so was built for LibTorch ", TORCH_VERSION,
              ", and this program for ", libtorch_of_caller, ": build both again");
  constexpr std::uint64_t kBuiltFor =
      (std::uint64_t{NCCL_MAJOR} << 32U) | (std::uint64_t{NCCL_MINOR} << 16U) | std::uint64_t{NCCL_PATCH};
  TORCH_CHECK(torch::cuda::nccl::version() == kBuiltFor, "libtranslate_nccl.so was built with the headers of NCCL ",
              NCCL_MAJOR, ".", NCCL_MINOR, ".", NCCL_PATCH,
              ", and LibTorch with others: run `scripts/setup --cuda` and build it again");
}

/// Settings that the user's environment may override. ProcessGroup watches over the other processes by itself, so that
/// LibTorch's own watchdogs, which end the process, are off; and all connections are made at the start, while it
/// watches.
void set_defaults() {
  const auto set = [](const char* name, const char* value) { c10::utils::set_env(name, value, /*overwrite=*/false); };
  set("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0");
  set("TORCH_NCCL_ENABLE_MONITORING", "0");
  set("TORCH_NCCL_DUMP_ON_TIMEOUT", "0");
  set("NCCL_RUNTIME_CONNECT", "0");
}

}  // namespace

extern "C" {

NcclBackend translate_nccl_backend;

void translate_nccl_backend(const char* libtorch_version, const c10::intrusive_ptr<c10d::Store>& store, int rank,
                            int size, c10::intrusive_ptr<c10d::Backend>& backend) {
  check_versions(libtorch_version);
  set_defaults();
  backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, c10d::ProcessGroupNCCL::Options::create());
}
}

}  // namespace translate::trainer
