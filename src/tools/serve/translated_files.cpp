#include "serve/translated_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace translate::tools {

namespace {

constexpr std::size_t kOverhead = 1024;  // bytes of a file in addition to its own

std::string random_key() {
  std::array<unsigned char, 16> bits = {};
  if (::getentropy(bits.data(), bits.size()) != 0) {
    throw RuntimeError(fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
  }
  std::string key;
  for (const auto byte : bits) {
    key += fmt::format("{:02x}", byte);
  }
  return key;
}

}  // namespace

RoomRefusal::RoomRefusal(std::chrono::seconds after)
    : RuntimeError("there is no room for another translated file; try again later"), after_(after) {}

void TranslatedFiles::check_room(std::size_t bytes, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  require_room(bytes + kOverhead, now);
}

std::string TranslatedFiles::keep(std::string name, std::string bytes, Clock::time_point now) {
  auto key = random_key();
  const auto size = bytes.size() + kOverhead;
  TranslatedFile file{.name = std::move(name),
                      .bytes = std::make_shared<const SharedBody>(SharedBody{.bytes = std::move(bytes)})};
  const std::lock_guard lock(mutex_);
  require_room(size, now);
  files_.emplace(key, Kept{.file = std::move(file), .size = size, .end = now + kLifetime});
  bytes_ += size;
  return key;
}

TranslatedFile TranslatedFiles::find(std::string_view key, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(key);
  if (found == files_.end() || now >= found->second.end) {
    throw RequestError(404, fmt::format("there is no such file: a translated file is kept for {} minutes",
                                        std::chrono::minutes(kLifetime).count()));
  }
  return found->second.file;
}

void TranslatedFiles::expire(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_expired(now);
}

std::size_t TranslatedFiles::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void TranslatedFiles::require_room(std::size_t bytes, Clock::time_point now) {
  drop_expired(now);
  if (files_.size() < kMost && bytes <= limit_ - bytes_) {
    return;
  }
  auto first = now + std::chrono::seconds(1);
  if (!files_.empty()) {
    first = std::ranges::min_element(files_, {}, [](const auto& entry) { return entry.second.end; })->second.end;
  }
  throw RoomRefusal(std::chrono::ceil<std::chrono::seconds>(first - now));
}

void TranslatedFiles::drop_expired(Clock::time_point now) {
  std::erase_if(files_, [&](const auto& entry) {
    const bool is_over = now >= entry.second.end;
    bytes_ -= is_over ? entry.second.size : 0;
    return is_over;
  });
}

}  // namespace translate::tools
