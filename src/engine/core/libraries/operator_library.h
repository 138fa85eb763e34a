#pragma once

#include <string>

#include "core/error.h"

namespace translate {

/// libtranslate_torch, which lies beside libtranslate, is the plugin for GPUs. It needs LibTorch, and is loaded when it
/// is asked for, because registering LibTorch's operators takes some tenths of a second.

/// The type of its function translate_torch_version, which returns the version that it was built as.
using OperatorVersion = const char*();

/// Thrown if libtranslate_torch is not installed.
class OperatorsNotInstalled : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Loads libtranslate_torch on the first call and returns the address of its function `name`. `purpose` is the feature
/// that needs it, for messages. Throws OperatorsNotInstalled if there is no such file, and RuntimeError if it cannot be
/// loaded or is of another version. Thread-safe.
[[nodiscard]] void* operator_address(const char* name, const std::string& purpose);

/// The same as a function of the type `Function`, with which libtranslate_torch defines it.
template <typename Function>
[[nodiscard]] Function* operator_function(const char* name, const std::string& purpose) {
  return reinterpret_cast<Function*>(operator_address(name, purpose));
}

}  // namespace translate
