#include "translate/core/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "translate/core/error.h"
#include "translate/core/file.h"

namespace translate {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw RuntimeError(fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(error)));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, MappedAccess access) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) fail(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  if (status.st_size == 0) return;  // mmap refuses it; there is nothing to see
  const auto size = static_cast<std::size_t>(status.st_size);
  const bool read_only = access == MappedAccess::kReadOnly;
  void* const address = ::mmap(nullptr, size, read_only ? PROT_READ : PROT_READ | PROT_WRITE,
                               read_only ? MAP_SHARED : MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) fail(path, errno);
  data_ = static_cast<char*>(address);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(data_, size_);
}

}  // namespace translate
