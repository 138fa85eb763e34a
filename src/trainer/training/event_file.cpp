#include "training/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <system_error>

#include "core/file.h"

namespace translate::trainer {

namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The seconds in the name of an event file; -1 for other files.
std::int64_t seconds_in(const std::string& name) {
  std::int64_t seconds = -1;
  if (name.starts_with(kPrefix)) {
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), seconds);
  }
  return seconds;
}

std::string host_name() {
  constexpr std::size_t kLongest = 256;
  std::array<char, kLongest> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("localhost");
}

/// Returns a name that comes after those of all event files in the folder, also if the clock was set back or two
/// starts lie in one second.
std::string next_name(const std::filesystem::path& folder) {
  auto seconds = static_cast<std::int64_t>(seconds_since_1970());
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    seconds = std::max(seconds, seconds_in(entry.path().filename().string()) + 1);
  }
  return fmt::format("{}{:010}.{}.{}.0", kPrefix, seconds, host_name(), ::getpid());
}

std::filesystem::path made_folder(const std::filesystem::path& folder) {
  make_folder(folder);
  return folder;
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& folder)
    : path_(made_folder(folder) / next_name(folder)),
      descriptor_(open_file(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, "write")) {
  sync_directory(folder);  // so that flush() keeps the file's name, too
  append(version_event(seconds_since_1970()));
}

void EventFile::start(std::int64_t step) { append(start_event({seconds_since_1970(), step})); }

void EventFile::add_scalars(std::int64_t step, std::span<const Scalar> scalars) {
  append(scalars_event({seconds_since_1970(), step}, scalars));
}

void EventFile::add_text(std::int64_t step, std::string_view tag, std::string_view markdown) {
  append(text_event({seconds_since_1970(), step}, tag, markdown));
}

void EventFile::flush() { sync_file(descriptor_, path_); }

void EventFile::append(std::string_view event) { write_all(descriptor_, event_record(event), path_); }

}  // namespace translate::trainer
