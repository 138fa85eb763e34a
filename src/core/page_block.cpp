#include "translate/core/page_block.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "translate/core/error.h"

namespace translate {

Pages::Pages(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;  // mmap refuses it
  address_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address_ == MAP_FAILED) {
    throw RuntimeError(
        fmt::format("cannot get {} MiB of memory: {}", bytes >> 20U, std::generic_category().message(errno)));
  }
}

Pages::~Pages() {
  if (bytes_ > 0) ::munmap(address_, bytes_);
}

Pages::Pages(Pages&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace translate
