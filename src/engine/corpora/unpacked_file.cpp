#include "corpora/unpacked_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "corpora/corpus_reader.h"

namespace translate {

std::string read_unpacked(const std::filesystem::path& path, std::size_t most, std::string_view expected) {
  std::string bytes;
  GzipReader reader(path);
  for (auto chunk = reader.read(); !chunk.empty(); chunk = reader.read()) {
    if (bytes.size() + chunk.size() > most) {
      throw DataError(fmt::format("{}: larger than {} MiB; expected {}", path.string(), most >> 20U, expected));
    }
    bytes += chunk;
  }
  return bytes;
}

}  // namespace translate
