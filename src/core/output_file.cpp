#include "translate/core/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>

#include "translate/core/error.h"

namespace translate {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw RuntimeError(fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(errno)));
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_.number() < 0) fail(path_);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // Block by block: the checksum then reads what the copy to the kernel has just brought into the cache.
    const std::string_view block = bytes.substr(0, kBlockBytes);
    const ssize_t count = ::write(descriptor_.number(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_);
    const auto written = static_cast<std::size_t>(count);
    digest_.crc32 =
        static_cast<std::uint32_t>(::crc32_z(digest_.crc32, reinterpret_cast<const Bytef*>(block.data()), written));
    digest_.size += written;
    bytes.remove_prefix(written);
  }
}

FileDigest OutputFile::finish() {
  // Pipes and some devices cannot be flushed (EINVAL), and need not be.
  if (::fsync(descriptor_.number()) != 0 && errno != EINVAL) fail(path_);
  return digest_;
}

FileDigest write_digested_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  return file.finish();
}

}  // namespace translate
