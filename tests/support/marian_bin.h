#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/zip_of.h"

namespace translate {

/// An item of Marian's binary container. `data`: with its padding, if it has any.
struct MarianBinItem {
  std::string name;
  std::uint64_t type = 0x404;
  std::vector<std::int32_t> shape;
  std::string data;
};

/// The file of these items.
inline std::string marian_bin(const std::vector<MarianBinItem>& items, std::uint64_t version = 1) {
  const auto u64 = [](std::size_t value) { return little_endian(static_cast<std::uint64_t>(value)); };
  std::string file = little_endian(version) + u64(items.size());
  std::string names;
  std::string shapes;
  std::string data;
  for (const auto& item : items) {
    file += u64(item.name.size() + 1) + little_endian(item.type) + u64(item.shape.size()) + u64(item.data.size());
    names += item.name + '\0';
    for (const auto size : item.shape) {
      shapes += little_endian(static_cast<std::uint32_t>(size));
    }
    data += item.data;
  }
  file += names + shapes;
  const auto padding = (256 - (file.size() + 8) % 256) % 256;
  return file + u64(padding) + std::string(padding, '\0') + data;
}

}  // namespace translate
