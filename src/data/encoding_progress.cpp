#include "translate/data/encoding_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "translate/core/duration.h"
#include "translate/core/logging.h"
#include "translate/core/threads.h"

namespace translate {

namespace {

constexpr double kSecondsALine = 0.5;
constexpr double kSecondsALogLine = 60.0;

}  // namespace

EncodingProgress::EncodingProgress(std::string name, std::uint64_t total)
    : name_(std::move(name)), total_(total), next_line_(progress_is_visible() ? kSecondsALine : kSecondsALogLine) {}

EncodingProgress::~EncodingProgress() { show_progress(""); }

double EncodingProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string EncodingProgress::line() const {
  constexpr int kBarWidth = 20;
  const double now = seconds();
  const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(std::max(total_, done_)));
  const auto filled = static_cast<int>(share * kBarWidth);
  return fmt::format("encoding {} pairs [{:#>{}}{:.>{}}] {:.0f} %, {:.0f} pairs/s, {} left", name_, "", filled, "",
                     kBarWidth - filled, 100.0 * share, static_cast<double>(done_) / now,
                     format_duration(now * (1.0 - share) / share));
}

void EncodingProgress::add(std::uint64_t pairs) {
  done_ += pairs;
  if (seconds() < next_line_) return;
  if (progress_is_visible()) {
    show_progress(line());
    next_line_ = seconds() + kSecondsALine;
  } else {
    log_info("data: " + line());
    next_line_ = seconds() + kSecondsALogLine;
  }
}

void EncodingProgress::finish(const std::filesystem::path& file) const {
  show_progress("");
  const double time = seconds();
  log_info(fmt::format("data: encoded {} {} pairs in {} ({:.0f} pairs/s, {} thread(s)) into {} ({:.1f} MiB)", done_,
                       name_, format_duration(time), static_cast<double>(done_) / std::max(time, 1e-3),
                       kernel_threads(), file.string(),
                       static_cast<double>(std::filesystem::file_size(file)) / (1024.0 * 1024.0)));
}

}  // namespace translate
