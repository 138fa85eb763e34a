#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"
#include "support/zip_of.h"

namespace translate {

/// The entries of a Marian model's .npz file but its settings.
inline ZipEntries marian_arrays(const std::filesystem::path& npz) {
  const tools::ZipArchive archive(std::make_shared<const StableFile>(npz), tools::ZipContent::kDeflated);
  ZipEntries entries;
  for (const auto& name : archive.names()) {
    if (name != "special:model.yml.npy") {
      entries.emplace_back(name, archive.read(name));
    }
  }
  return entries;
}

/// The .npz file of these arrays and of a model's settings, in YAML.
inline std::string marian_archive(ZipEntries arrays, const std::string& settings) {
  const auto header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': (" + std::to_string(settings.size()) + ",), }\n";
  arrays.emplace_back(
      "special:model.yml.npy",
      std::string("\x93NUMPY\x01\0", 8) + little_endian(static_cast<std::uint16_t>(header.size())) + header + settings);
  return zip_of(arrays);
}

}  // namespace translate
