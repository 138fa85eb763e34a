#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/logging.h"
#include "core/temporary_folder.h"
#include "core/threads.h"

namespace translate::fuzz {

/// Separates the files in an input of a target that reads several. Each target's dictionary has it.
inline constexpr std::string_view kSeparator = "\n====\n";

/// The bytes of an input as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Returns `count` parts of an input; those that it lacks are empty, and the last one is the rest.
inline std::vector<std::string> split_input(std::string_view input, std::size_t count) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < count) {
    const auto end = std::min(input.find(kSeparator), input.size());
    parts.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + kSeparator.size(), input.size()));
  }
  parts.emplace_back(input);
  return parts;
}

/// Calls a reader, which may throw the errors `Allowed`. Any other exception ends the program, and libFuzzer keeps the
/// input.
template <typename... Allowed, typename Action>
void allow(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    if (!(... || (dynamic_cast<const Allowed*>(&error) != nullptr))) {
      throw;
    }
  }
}

/// Ends the program with the place of the call, and libFuzzer keeps the input, unless a property of the reader holds.
inline void require(bool holds, const std::source_location& place = std::source_location::current()) {
  if (holds) {
    return;
  }
  std::fprintf(stderr, "%s:%u: the property does not hold\n", place.file_name(), static_cast<unsigned>(place.line()));
  std::abort();
}

/// Prepares the process once: no messages, and one thread, so that a run depends on its input alone. A target has one
/// object of this class, static in its function.
class Setting {
 public:
  Setting() {
    initialise_logging(LogLevel::kOff);
    (void)set_kernel_threads(1);
  }

  /// A folder for the files of this process (in TMPDIR), which is removed at its end.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  /// Writes a file into the folder and returns its path.
  [[nodiscard]] std::filesystem::path file(const std::string& name, std::string_view bytes) const {
    auto path = folder() / name;
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      std::_Exit(1);  // a full disk is no finding
    }
    return path;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace translate::fuzz
