#include "checkpoint/file_sums.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "config/json_value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/threads.h"

namespace translate {

namespace {

constexpr std::size_t kMostFiles = 200;
constexpr std::uintmax_t kMostBytes = 1 << 20;  // far more than that many files take

struct KnownSum {
  FileStamp stamp;
  std::uint32_t crc32 = 0;
};

std::uint32_t sum_of_bytes(const StableFile& file) {
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20U;
  const auto chunks = static_cast<std::int64_t>((file.size() + kChunk - 1) / kChunk);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(chunks));
  const auto size_of = [&](std::int64_t chunk) {
    return std::min(kChunk, file.size() - static_cast<std::uint64_t>(chunk) * kChunk);
  };
  // Some megabytes at a time, so that a thread uses one buffer for many chunks.
  parallel_ranges(chunks, /*size=*/16, [&](std::int64_t begin, std::int64_t end) {
    const std::unique_ptr<char[]> buffer(new char[kChunk]);
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const std::span<char> bytes(buffer.get(), size_of(chunk));
      file.read_unchecked(static_cast<std::uint64_t>(chunk) * kChunk, bytes);
      sums[static_cast<std::size_t>(chunk)] = crc32({bytes.data(), bytes.size()});
    }
  });
  file.check_unchanged();
  uLong sum = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    sum = ::crc32_combine(sum, sums[static_cast<std::size_t>(chunk)], static_cast<z_off_t>(size_of(chunk)));
  }
  return static_cast<std::uint32_t>(sum);
}

KnownSum known_sum_from(const JsonValue& value) {
  const auto numbers = value.elements(6);
  return {.stamp = {.device = numbers[0].integer<std::uint64_t>(),
                    .inode = numbers[1].integer<std::uint64_t>(),
                    .size = numbers[2].integer<std::uint64_t>(),
                    .modified = numbers[3].integer<std::int64_t>(),
                    .changed = numbers[4].integer<std::int64_t>()},
          .crc32 = numbers[5].integer<std::uint32_t>()};
}

nlohmann::json to_json(const KnownSum& known) {
  const FileStamp& stamp = known.stamp;
  return {stamp.device, stamp.inode, stamp.size, stamp.modified, stamp.changed, known.crc32};
}

/// Returns the sums in the file, the oldest first; none if it is missing or damaged.
std::vector<KnownSum> read_known_sums(const std::filesystem::path& path) {
  std::vector<KnownSum> sums;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return sums;
  }
  try {
    const StableFile file(path);
    if (file.size() > kMostBytes) {
      return sums;
    }
    const JsonValue json(parse_json(file.read_all()));
    for (const auto& known : json.elements()) {
      sums.push_back(known_sum_from(known));
    }
  } catch (const Error& unreadable) {
    log_debug(fmt::format("sums of files that were checked before are not used: {}", unreadable.what()));
  }
  return sums;
}

bool is_same_file(const FileStamp& left, const FileStamp& right) {
  return left.device == right.device && left.inode == right.inode;
}

/// Returns whether any later change must give the file another time than it has now.
bool may_be_remembered(const FileStamp& stamp) {
  constexpr std::chrono::nanoseconds kYoung = std::chrono::seconds(2);  // the resolution of the coarsest file systems
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
  return std::max(stamp.modified, stamp.changed) < (now - kYoung).count();
}

/// Programs that do this at the same time may lose each other's sums: these are then computed again.
void remember(const std::filesystem::path& folder, const KnownSum& known) {
  try {
    auto sums = read_known_sums(folder / kFileSumsFile);  // the current contents: another program may have written it
    std::erase_if(sums, [&](const KnownSum& other) { return is_same_file(other.stamp, known.stamp); });
    sums.push_back(known);
    if (sums.size() > kMostFiles) {
      sums.erase(sums.begin(), sums.end() - kMostFiles);
    }
    nlohmann::json json = nlohmann::json::array();
    for (const KnownSum& each : sums) {
      json.push_back(to_json(each));
    }
    (void)make_folder(folder);
    write_file_atomically(folder / kFileSumsFile, json.dump() + "\n");
  } catch (const Error& error) {
    log_debug(fmt::format("the sum of a checked file is not remembered: {}", error.what()));
  }
}

}  // namespace

std::optional<std::uint32_t> remembered_sum(const StableFile& file, const std::filesystem::path& folder) {
  if (folder.empty() || file.size() < kRememberedSize) {
    return std::nullopt;
  }
  const auto sums = read_known_sums(folder / kFileSumsFile);
  const auto known = std::ranges::find(sums, file.stamp(), &KnownSum::stamp);
  return known != sums.end() ? std::optional(known->crc32) : std::nullopt;
}

std::uint32_t compute_sum(const StableFile& file, const std::filesystem::path& folder) {
  const KnownSum computed{.stamp = file.stamp(), .crc32 = sum_of_bytes(file)};
  if (!folder.empty() && file.size() >= kRememberedSize && may_be_remembered(computed.stamp)) {
    remember(folder, computed);
  }
  return computed.crc32;
}

}  // namespace translate
