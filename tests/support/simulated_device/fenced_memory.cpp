#include "support/simulated_device/fenced_memory.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>

namespace translate::simulated {

namespace {

constexpr std::size_t kRange = std::size_t{16} << 30U;
constexpr int kPoison = 0xFF;

/// What the handler of a signal needs, which may not take locks.
std::atomic<const char*> fenced_begin = nullptr;
struct sigaction previous_handler;

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void protect(const char* address, std::size_t bytes, int protection) {
  if (::mprotect(const_cast<char*>(address), bytes, protection) != 0) {
    throw std::runtime_error("mprotect refuses: the system limits how many ranges a process may have");
  }
}

void write_text(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

/// Reports an access to the range; the instruction is then repeated under the handler that was there before, which ends
/// the process.
void report_access(int signal, siginfo_t* info, void* /*context*/) {
  const char* const begin = fenced_begin;
  const auto* address = static_cast<const char*>(info->si_addr);
  if (address >= begin && address < begin + kRange) {
    write_text("host access to device memory, outside a copy and outside an operator of the device:\n");
    constexpr int kMostCalls = 64;
    void* calls[kMostCalls];
    ::backtrace_symbols_fd(calls, ::backtrace(calls, kMostCalls), STDERR_FILENO);
  }
  ::sigaction(signal, &previous_handler, nullptr);
}

void install_report() {
  void* call = nullptr;
  static_cast<void>(::backtrace(&call, 1));  // loads what it needs, which a handler may not
  struct sigaction action = {};
  action.sa_sigaction = report_access;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &previous_handler);
}

}  // namespace

FencedMemory::FencedMemory() {
  void* const range =
      ::mmap(nullptr, kRange, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
  if (range == MAP_FAILED) {
    throw std::bad_alloc();
  }
  begin_ = static_cast<char*>(range);
  free_[begin_] = kRange;
  if (fenced_begin.exchange(begin_) != nullptr) {
    throw std::logic_error("one fenced memory is enough for a process");
  }
  install_report();
}

char* FencedMemory::take(std::size_t bytes) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [address, size] = *range;
    if (size >= bytes) {
      free_.erase(range);
      if (size > bytes) {
        free_[address + bytes] = size - bytes;
      }
      return address;
    }
  }
  throw std::bad_alloc();
}

void* FencedMemory::allocate(std::size_t bytes) {
  const auto size = whole_pages(bytes);
  char* const address = take(size);
  blocks_[address] = {.bytes = size};
  open(address);
  std::memset(address, kPoison, size);
  close(address);
  return address;
}

void FencedMemory::release(void* address) {
  const auto block = blocks_.find(static_cast<const char*>(address));
  if (block == blocks_.end() || block->second.opened > 0) {
    throw std::logic_error("a block was released that does not exist or is in use");
  }
  auto* begin = static_cast<char*>(address);
  auto bytes = block->second.bytes;
  blocks_.erase(block);
  auto next = free_.upper_bound(begin);
  if (next != free_.end() && next->first == begin + bytes) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      before->second += bytes;
      return;
    }
  }
  free_[begin] = bytes;
}

bool FencedMemory::contains(const void* address) const {
  const auto* place = static_cast<const char*>(address);
  return place >= begin_ && place < begin_ + kRange;
}

std::size_t FencedMemory::size_of(const void* address) const {
  return blocks_.at(static_cast<const char*>(address)).bytes;
}

void FencedMemory::open(const void* address) {
  const auto* begin = static_cast<const char*>(address);
  auto& block = blocks_.at(begin);
  if (block.opened == 0) {
    protect(begin, block.bytes, PROT_READ | PROT_WRITE);
  }
  ++block.opened;
}

void FencedMemory::close(const void* address) {
  const auto* begin = static_cast<const char*>(address);
  auto& block = blocks_.at(begin);
  --block.opened;
  if (block.opened == 0) {
    protect(begin, block.bytes, PROT_NONE);
  }
}

}  // namespace translate::simulated
