#include "core/libraries/operator_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/libraries/library_folder.h"
#include "core/logging.h"
#include "core/version.h"

namespace translate {

namespace {

/// The exported function of the library that returns its version.
constexpr const char* kVersionFunction = "translate_torch_version";

/// Returns the path of the library: it lies in the folder of the library or program that contains this function.
std::filesystem::path library_path() {
  return folder_of_function(reinterpret_cast<void*>(&library_path)) / TRANSLATE_OPERATOR_LIBRARY;
}

void* load_library() {
  const auto path = library_path();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const auto problem = loader_problem();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      throw OperatorsNotInstalled(fmt::format("which come with the package translate-mt-train: {}", problem));
    }
    throw RuntimeError(fmt::format("which cannot be loaded: {}", problem));
  }
  const auto version_of = reinterpret_cast<OperatorVersion*>(::dlsym(library, kVersionFunction));
  const std::string_view found = version_of != nullptr ? version_of() : "unknown";
  if (found != version()) {
    throw RuntimeError(fmt::format("but {} is of version {}, and this is version {}: install both of one version",
                                   path.string(), found, version()));
  }
  return library;
}

}  // namespace

void* operator_address(const char* name, const std::string& purpose) {
  const auto reason = purpose + " needs LibTorch's operators";
  log_debug(reason);
  void* library = nullptr;
  try {
    static void* const loaded = load_library();  // after an error, the next call tries again
    library = loaded;
  } catch (const OperatorsNotInstalled& error) {
    throw OperatorsNotInstalled(fmt::format("{}, {}", reason, error.what()));
  } catch (const RuntimeError& error) {
    throw RuntimeError(fmt::format("{}, {}", reason, error.what()));
  }
  void* const address = ::dlsym(library, name);
  if (address == nullptr) {
    throw RuntimeError(fmt::format("{}, but they cannot be used: {}", reason, loader_problem()));
  }
  return address;
}

}  // namespace translate
