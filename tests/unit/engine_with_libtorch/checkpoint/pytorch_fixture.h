#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/folders.h"
#include "support/zip_of.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {

/// A file of tests/golden/pytorch (see tests/golden/README.md).
inline std::filesystem::path pytorch_golden(const std::string& name) {
  return project_folder() / "tests/golden/pytorch" / name;
}

/// The opcode of a string in a pickle.
inline std::string text_opcode(const std::string& content) {
  return std::string("X") + little_endian(static_cast<std::uint32_t>(content.size())) + content;
}

/// Runs `read` on every damaged form of `whole`: it must either work or throw a CheckpointError. Returns how many times
/// it threw.
inline std::size_t count_refusals(const std::vector<std::string>& damaged,
                                  const std::function<void(const std::string&)>& read) {
  std::size_t refused = 0;
  for (const std::string& bytes : damaged) {
    try {
      read(bytes);
    } catch (const CheckpointError&) {
      ++refused;
    }
  }
  return refused;
}

/// The bytes cut at every place but the end.
inline std::vector<std::string> every_cut(const std::string& whole, std::size_t stride = 1) {
  std::vector<std::string> cuts;
  for (std::size_t size = 0; size < whole.size(); size += stride) {
    cuts.push_back(whole.substr(0, size));
  }
  return cuts;
}

/// The bytes with one of them changed, at every `stride`th place, by each of `masks`.
inline std::vector<std::string> every_change(const std::string& whole, std::size_t stride,
                                             const std::vector<unsigned char>& masks) {
  std::vector<std::string> changed;
  for (std::size_t place = 0; place < whole.size(); place += stride) {
    for (const unsigned char mask : masks) {
      changed.push_back(whole);
      changed.back()[place] = static_cast<char>(changed.back()[place] ^ static_cast<char>(mask));
    }
  }
  return changed;
}

}  // namespace translate
