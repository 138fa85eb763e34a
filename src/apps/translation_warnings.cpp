#include "translate/apps/translation_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "translate/core/logging.h"

namespace translate {
namespace {

constexpr std::int64_t kNamedLines = 5;

}  // namespace

void TranslationWarnings::add(const Translation& translation) {
  ++lines_;
  truncated_ += translation.truncated ? 1 : 0;
  if (translation.suspiciously_short) {
    ++short_;
    if (short_ <= kNamedLines) {
      first_short_.push_back(lines_);
    }
  }
}

std::vector<std::string> TranslationWarnings::messages() const {
  std::vector<std::string> messages;
  if (truncated_ > 0) {
    messages.push_back(
        fmt::format("{} translation{} reached the length limit (decoding.max_length, decoding.max_length_ratio) "
                    "and {} truncated",
                    truncated_, truncated_ == 1 ? "" : "s", truncated_ == 1 ? "is" : "are"));
  }
  if (short_ > 0) {
    messages.push_back(
        fmt::format("{} translation{} suspiciously short for the source; text may be missing (line{} {}{})", short_,
                    short_ == 1 ? " is" : "s are", short_ == 1 ? "" : "s", fmt::join(first_short_, ", "),
                    short_ > kNamedLines ? ", ..." : ""));
  }
  return messages;
}

void TranslationWarnings::log() const {
  for (const auto& message : messages()) {
    log_warning(message);
  }
}

}  // namespace translate
