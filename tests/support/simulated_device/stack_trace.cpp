#include "support/simulated_device/stack_trace.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace translate::simulated {

namespace {

constexpr int kMostCalls = 64;

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

std::string describe(void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0) {
    return fmt::format("{}", address);
  }
  const auto file = std::filesystem::path(info.dli_fname).filename().string();
  if (info.dli_sname == nullptr) {
    const auto offset = static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase);
    return fmt::format("{}+{:#x}", file, offset);
  }
  return fmt::format("{} ({})", demangled(info.dli_sname), file);
}

}  // namespace

StackTrace StackTrace::here() {
  StackTrace trace;
  trace.addresses_.resize(kMostCalls);
  trace.addresses_.resize(static_cast<std::size_t>(::backtrace(trace.addresses_.data(), kMostCalls)));
  return trace;
}

std::string StackTrace::text() const {
  std::string text;
  for (void* const address : addresses_) {
    text += fmt::format("  {}\n", describe(address));
  }
  return text;
}

}  // namespace translate::simulated
