#include "translate/data/encoding_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "translate/core/duration.h"
#include "translate/core/logging.h"
#include "translate/core/threads.h"

namespace translate {

namespace {

constexpr double kSecondsADrawing = 0.5;
constexpr double kSecondsAReport = 60.0;

}  // namespace

EncodingProgress::EncodingProgress(std::string name, std::uint64_t total)
    : name_(std::move(name)), total_(total), next_drawing_(kSecondsADrawing), next_report_(kSecondsAReport) {}

EncodingProgress::~EncodingProgress() { show_progress(""); }

double EncodingProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

ProgressLine EncodingProgress::line() const {
  const double now = seconds();
  const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(std::max(total_, done_)));
  const double rate = static_cast<double>(done_) / now;
  const double left = now * (1.0 - share) / share;
  return {.label = fmt::format("encoding {} pairs", name_),
          .share = share,
          .fields = {{fmt::format("{:.0f} pairs/s", rate), fmt::format("{}/s", brief_count(rate))},
                     {format_duration(left) + " left", format_clock(left) + " left"}}};
}

void EncodingProgress::add(std::uint64_t pairs) {
  done_ += pairs;
  const double now = seconds();
  if (now >= next_drawing_) {
    if (progress_is_visible()) show_progress(line());
    next_drawing_ = seconds() + kSecondsADrawing;
  }
  if (now >= next_report_) {
    constexpr std::size_t kReportWidth = 120;
    log_info("data: " + fit(line(), kReportWidth));
    next_report_ = seconds() + kSecondsAReport;
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
