#pragma once

#include <c10/util/intrusive_ptr.h>

#include <filesystem>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace translate::trainer {

/// NCCL connects the GPUs of several processes. LibTorch's CUDA part has it, and the headers that it takes are those of
/// NCCL and CUDA, so that a plugin of its own uses it: libtranslate_nccl, which lies beside libtranslate_torch if it
/// was built (cmake/Nccl.cmake), and which is loaded only when several processes train on GPUs.

/// The type of its function translate_nccl_backend, which makes NCCL's backend of c10d for one of `size` processes that
/// find each other in `store`. Throws std::exception if LibTorch is of another version than `libtorch_version`, which
/// the caller was compiled with, or has another NCCL than the plugin was compiled for, or if there is no GPU.
using NcclBackend = void(const char* libtorch_version, const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                         c10::intrusive_ptr<c10d::Backend>& backend);

/// Returns the plugin's function. Throws RuntimeError that says what to do if there is no such file, or if it or what
/// it needs cannot be loaded.
[[nodiscard]] NcclBackend* load_nccl_plugin(const std::filesystem::path& file);

/// Makes NCCL's backend of c10d by the plugin beside this library; see NcclBackend. Throws RuntimeError.
[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                                  int rank, int size);

}  // namespace translate::trainer
