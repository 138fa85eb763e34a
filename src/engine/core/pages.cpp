#include "core/pages.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/system/system_calls.h"

namespace translate {

namespace {

void* checked(void* address, std::size_t bytes) {
  if (address == MAP_FAILED) {
    throw RuntimeError(
        fmt::format("cannot allocate {} MiB of memory: {}", bytes >> 20U, std::generic_category().message(errno)));
  }
  return address;
}

}  // namespace

Pages::Pages(std::size_t bytes) { grow(bytes); }

void Pages::grow(std::size_t bytes) {
  if (bytes == bytes_) {
    return;  // neither call accepts 0
  }
  address_ = checked(bytes_ == 0 ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : resize_pages(address_, bytes_, bytes),
                     bytes);
  bytes_ = bytes;
}

Pages::~Pages() {
  if (bytes_ > 0) {
    ::munmap(address_, bytes_);
  }
}

Pages::Pages(Pages&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace translate
