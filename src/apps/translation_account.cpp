#include "translate/apps/translation_account.h"

#include <fmt/format.h>

#include <algorithm>

#include "translate/core/duration.h"

namespace translate {

void TranslationAccount::add(const Translation& translation) {
  ++lines_;
  pieces_ += std::ssize(translation.tokens);
  truncated_ += translation.truncated ? 1 : 0;
}

double TranslationAccount::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

ProgressLine TranslationAccount::progress_line(const std::optional<LineStream::Progress>& progress) const {
  const double elapsed = std::max(seconds(), 1e-3);
  const double rate = static_cast<double>(lines_) / elapsed;
  ProgressLine line;
  line.fields = {{fmt::format("{} lines", lines_)},
                 {fmt::format("{:.0f} lines/s", rate), fmt::format("{}/s", brief_count(rate))}};
  if (progress && progress->done > 0) {
    line.share = std::min(static_cast<double>(progress->done) / static_cast<double>(progress->size), 1.0);
    const double left = elapsed / *line.share - elapsed;
    line.fields.push_back({format_duration(left) + " left", format_clock(left) + " left"});
  }
  return line;
}

std::string TranslationAccount::summary() const {
  return fmt::format("translated {} line(s) into {} subwords in {:.4f} s, {} of them truncated", lines_, pieces_,
                     seconds(), truncated_);
}

}  // namespace translate
