#include "core/memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/logging.h"

namespace translate {

namespace {

/// The smallest value from the group up to the mount. In a container the path may name a group of the host that is not
/// visible: missing folders are skipped, and the mount itself, the container's group, still counts.
GroupFigure tightest(const std::filesystem::path& mount, std::filesystem::path group,
                     GroupFigure (*read)(const std::filesystem::path&)) {
  GroupFigure result = read(mount);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    result = smaller(result, read(mount / group));
  }
  return result;
}

/// True if a comma-separated list of version 1 controllers contains `name`.
bool names(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == name) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

GroupFigure smaller(GroupFigure left, GroupFigure right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

GroupFigure tightest_group_figure(const std::filesystem::path& root, std::string_view controller,
                                  const GroupReaders& readers) {
  std::ifstream groups(root / "proc/self/cgroup");
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  GroupFigure result;
  // Each line is "number:controllers:path"; version 2 has the number 0 and no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path group = line.substr(second + 1);
    if (controllers.empty()) {
      result = smaller(result, tightest(mounts, group, readers.version_2));
    } else if (names(controllers, controller)) {
      result = smaller(result, tightest(mounts / controller, group, readers.version_1));
      result = smaller(result, tightest(mounts / controllers, group, readers.version_1));
    }
  }
  return result;
}

namespace {

/// LibTorch's and SentencePiece's libraries both export a variable FLAGS_minloglevel. The dynamic linker merges the
/// two; SentencePiece's is larger, and its initial value overwrites LibTorch's next flag, so that LibTorch aborts the
/// process where it should throw, such as when the CPU's memory is exhausted. The flag is reset here, after the
/// libraries' own initialisation and before main() begins.
const bool kLibTorchThrows = [] {
  FLAGS_caffe2_use_fatal_for_enforce = false;
  return true;
}();

constexpr double kBytesPerKibibyte = 1024.0;

/// The number after a name, as in "MemAvailable:   123 kB" or "inactive_file 123"; nothing if the name is missing.
GroupFigure named_number(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name) && (line[name.size()] == ' ' || line[name.size()] == ':')) {
      return std::strtod(line.c_str() + name.size() + 1, nullptr);
    }
  }
  return std::nullopt;
}

/// The single number in a file; nothing if it holds a word ("max") or is missing.
GroupFigure only_number(const std::filesystem::path& path) {
  std::ifstream file(path);
  double number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

/// The remainder of a limit after `used`, of which `cached` can be dropped.
GroupFigure left(GroupFigure limit, GroupFigure used, GroupFigure cached) {
  if (!limit) return std::nullopt;
  return std::max(*limit - std::max(used.value_or(0) - cached.value_or(0), 0.0), 0.0);
}

GroupFigure left_in_v1_group(const std::filesystem::path& group) {
  return left(only_number(group / "memory.limit_in_bytes"), only_number(group / "memory.usage_in_bytes"),
              named_number(group / "memory.stat", "total_inactive_file"));
}

GroupFigure left_in_v2_group(const std::filesystem::path& group) {
  const auto limit = smaller(only_number(group / "memory.max"), only_number(group / "memory.high"));
  return left(limit, only_number(group / "memory.current"), named_number(group / "memory.stat", "inactive_file"));
}

GroupFigure limit_in_v1_group(const std::filesystem::path& group) {
  return only_number(group / "memory.limit_in_bytes");
}

GroupFigure limit_in_v2_group(const std::filesystem::path& group) { return only_number(group / "memory.max"); }

/// The limit of a resource of this process, in its own unit.
GroupFigure resource_limit(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return static_cast<double>(limit.rlim_cur);
}

/// A value in bytes; if it is unknown, more than any machine has.
std::int64_t bounded(GroupFigure figure) {
  constexpr auto kUnknown = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 2.0;
  return static_cast<std::int64_t>(std::min(figure.value_or(kUnknown), kUnknown));
}

/// The remainder of a resource limit after the use in the field `name` of /proc/self/status.
GroupFigure left_of_resource(int resource, const std::filesystem::path& root, const std::string& name) {
  const auto limit = resource_limit(resource);
  if (!limit) return std::nullopt;
  const auto used = named_number(root / "proc/self/status", name);
  return left(limit, used.value_or(0) * kBytesPerKibibyte, std::nullopt);
}

c10::DeviceAllocator& allocator_of(const c10::Device& device) { return *c10::getDeviceAllocator(device.type()); }

std::int64_t free_on_device(const c10::Device& device) {
  return static_cast<std::int64_t>(allocator_of(device).getMemoryInfo(device.index()).first);
}

/// The peak resident memory since the mark was last reset.
std::int64_t resident_mark() {
  return static_cast<std::int64_t>(named_number("/proc/self/status", "VmHWM").value_or(0) * kBytesPerKibibyte);
}

/// Resets the mark to the current resident memory. Returns false if the kernel does not permit it.
bool reset_resident_mark() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

bool says_out_of_memory(std::string_view message) {
  for (const std::string_view words :
       {"DefaultCPUAllocator: can't allocate memory", "DefaultCPUAllocator: not enough memory", "out of memory",
        "Cannot allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"}) {
    if (message.find(words) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::int64_t available_memory(const c10::Device& device, const std::filesystem::path& root) {
  if (!device.is_cpu()) {
    return free_on_device(device);
  }
  auto available = named_number(root / "proc/meminfo", "MemAvailable");
  if (available) *available *= kBytesPerKibibyte;
  GroupFigure least = smaller(available, tightest_group_figure(root, "memory",
                                                               {.version_1 = left_in_v1_group,  //
                                                                .version_2 = left_in_v2_group}));
  least = smaller(least, left_of_resource(RLIMIT_AS, root, "VmSize"));
  least = smaller(least, left_of_resource(RLIMIT_DATA, root, "VmData"));
  return bounded(least);
}

std::int64_t memory_capacity(const c10::Device& device, const std::filesystem::path& root) {
  if (!device.is_cpu()) {
    return static_cast<std::int64_t>(allocator_of(device).getMemoryInfo(device.index()).second);
  }
  const auto installed = [&](const std::string& name) -> GroupFigure {
    const auto kibibytes = named_number(root / "proc/meminfo", name);
    return kibibytes ? GroupFigure(*kibibytes * kBytesPerKibibyte) : std::nullopt;
  };
  GroupFigure least =
      smaller(installed("MemTotal"),
              tightest_group_figure(root, "memory", {.version_1 = limit_in_v1_group, .version_2 = limit_in_v2_group}));
  if (least) *least += installed("SwapTotal").value_or(0);
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA}) least = smaller(least, resource_limit(resource));
  return bounded(least);
}

namespace {

/// Sets how many free bytes glibc keeps at the end of each of its arenas, and how many it gets in advance there.
void set_kept_memory(int kept, int ahead) {
  mallopt(M_TRIM_THRESHOLD, kept);
  mallopt(M_TOP_PAD, ahead);
}

constexpr int kKeptBytes = 1 << 30;
constexpr int kBytesAhead = 64 << 20;

std::atomic<bool> keeps_memory = false;  // as glibc's own settings, of the whole process

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc accepts
  set_kept_memory(kKeptBytes, kBytesAhead);
  keeps_memory = true;
}

void reserve_little_address_space() {
  constexpr std::size_t kStack = std::size_t{1} << 20U;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  ::mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) == 0) {
    if (::pthread_attr_setstacksize(&attributes, kStack) == 0) (void)::pthread_setattr_default_np(&attributes);
    (void)::pthread_attr_destroy(&attributes);
  }
}

void give_back_freed_memory() {
  malloc_trim(0);  // all but what is free at the end of an arena of another thread than the first
  if (!keeps_memory) return;
  // With small limits, glibc gives back the end of a thread's arena when that thread frees at least 64 KiB.
  set_kept_memory(0, 0);
  ::operator delete(::operator new (std::size_t{128} << 10U));
  set_kept_memory(kKeptBytes, kBytesAhead);
}

long peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024L;
}

void give_back_memory(const c10::Device& device) {
  if (!device.is_cpu()) {
    allocator_of(device).emptyCache();
  }
  give_back_freed_memory();
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
      dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) {
    return true;
  }
  const auto* of_libtorch = dynamic_cast<const c10::Error*>(&error);
  return says_out_of_memory(of_libtorch != nullptr ? of_libtorch->what_without_backtrace() : error.what());
}

MemoryGrowth::MemoryGrowth(const c10::Device& device) : device_(device), before_(0) {
  if (!device.is_cpu()) {
    before_ = free_on_device(device);
  } else {
    before_ = reset_resident_mark() ? resident_mark() : std::numeric_limits<std::int64_t>::max();
  }
}

std::int64_t MemoryGrowth::bytes() const {
  const auto grown = device_.is_cpu() ? resident_mark() - before_ : before_ - free_on_device(device_);
  return std::max<std::int64_t>(grown, 0);
}

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
  if (bytes == bytes_) return;  // neither call accepts 0
  address_ = checked(bytes_ == 0 ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : ::mremap(address_, bytes_, bytes, MREMAP_MAYMOVE),
                     bytes);
  bytes_ = bytes;
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

namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

std::int64_t ChunkLimit::rows_at_once(std::int64_t rows, std::int64_t width) const {
  if (rows == 0) return 0;
  const auto fitting = std::clamp<std::int64_t>(positions_ / std::max<std::int64_t>(width, 1), 1, rows);
  return divided_up(rows, divided_up(rows, fitting));
}

void ChunkLimit::lower(std::int64_t rows, std::int64_t width, const std::exception& error) {
  if (!is_out_of_memory(error)) {
    throw;  // NOLINT: the exception in hand
  }
  give_back_memory(device_);
  const auto available = available_memory(device_) / kMebibyte;
  if (rows <= 1) {
    throw RuntimeError(fmt::format(
        "out of memory: {} does not fit in memory, even with one sentence ({} positions; {} MiB are available "
        "on {}). Make more memory available, set a smaller data.max_length, or use a smaller model",
        work_, width, available, device_.str()));
  }
  const auto half = divided_up(rows, 2);
  positions_ = half * width;
  log_warning(
      fmt::format("not enough memory for {} with {} sentences of {} positions at once ({} MiB are available on {}): "
                  "from now on it is computed in chunks of at most {} positions, with the same result",
                  work_, rows, width, available, device_.str(), positions_));
}

void ChunkLimit::in_chunks(std::int64_t rows, std::int64_t width,
                           const std::function<void(std::int64_t, std::int64_t)>& work) {
  for (std::int64_t begin = 0; begin < rows;) {
    const auto count = std::min(rows_at_once(rows, width), rows - begin);
    try {
      work(begin, begin + count);
      begin += count;
    } catch (const std::exception& error) {
      lower(count, width, error);
    }
  }
}

}  // namespace translate
