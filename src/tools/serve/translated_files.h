#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/http/http_messages.h"

namespace translate::tools {

/// A file for a client to fetch.
struct TranslatedFile {
  std::string name;  ///< for the client: "page_fr.html"
  std::shared_ptr<const SharedBody> bytes;
};

/// The translated files that clients have not fetched yet, or may fetch again: in memory alone, under names that cannot
/// be guessed, for some time. Their number and their memory are bounded; none leaves before its time to make room for
/// another. Thread-safe.
class TranslatedFiles {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kLifetime = std::chrono::minutes(10);
  static constexpr std::size_t kMost = 1000;

  /// `limit`: the bytes of all files together.
  explicit TranslatedFiles(std::size_t limit) : limit_(limit) {}

  /// Throws RoomRefusal unless there is room for a file of so many bytes.
  void check_room(std::size_t bytes, Clock::time_point now);

  /// Keeps a file and returns its key: 128 random bits of the system, in hexadecimal digits. Throws RoomRefusal if
  /// there is no room for it, and RuntimeError if the system has no random bits.
  [[nodiscard]] std::string keep(std::string name, std::string bytes, Clock::time_point now);

  /// Returns the file with a key. Throws RequestError (404) if there is none, or its time is over.
  [[nodiscard]] TranslatedFile find(std::string_view key, Clock::time_point now) const;

  /// Forgets the files whose time is over.
  void expire(Clock::time_point now);

  /// The bytes of all files together.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Kept {
    TranslatedFile file;
    std::size_t size;
    Clock::time_point end;
  };

  void require_room(std::size_t bytes, Clock::time_point now);
  void drop_expired(Clock::time_point now);

  std::size_t limit_;
  mutable std::mutex mutex_;
  std::map<std::string, Kept, std::less<>> files_;  ///< by key
  std::size_t bytes_ = 0;
};

/// There is no room for a translated file.
class RoomRefusal : public RuntimeError {
 public:
  explicit RoomRefusal(std::chrono::seconds after);
  /// The time until the oldest file leaves.
  [[nodiscard]] std::chrono::seconds after() const { return after_; }

 private:
  std::chrono::seconds after_;
};

}  // namespace translate::tools
