#include "serve/service_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace translate::tools {

namespace {

/// Appends the header lines of a metric.
void append_head(std::string& text, const char* name, const char* type, const char* meaning) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, meaning);
}

/// Appends one metric without labels, with its header lines.
void append(std::string& text, const char* name, const char* type, const char* meaning, std::uint64_t value) {
  append_head(text, name, type, meaning);
  fmt::format_to(std::back_inserter(text), "{} {}\n", name, value);
}

void append_together(std::string& text, const QueueCounts& queue) {
  constexpr auto kName = "translate_lines_together";
  append_head(text, kName, "histogram", "Lines under way when one began, that one included.");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i + 1 < QueueCounts::kSizes; ++i) {
    so_far += queue.sizes[i];
    fmt::format_to(std::back_inserter(text), "{}_bucket{{le=\"{}\"}} {}\n", kName, 1U << i, so_far);
  }
  fmt::format_to(std::back_inserter(text), "{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", kName,
                 queue.lines, queue.together);
}

/// Returns a label's value in quotes.
std::string label_value(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    text += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return text + '"';
}

void append_models(std::string& text, const ModelCounts& models) {
  if (!models.bytes.empty()) {
    append_head(text, "translate_model_bytes", "gauge", "Memory of a model's weights.");
  }
  std::map<std::string, std::size_t> names;
  for (const auto& [name, bytes] : models.bytes) {
    const auto same = ++names[name];  // names are for people: those of two folders may be one
    const auto label = same == 1 ? name : fmt::format("{} ({})", name, same);
    fmt::format_to(std::back_inserter(text), "translate_model_bytes{{model={}}} {}\n", label_value(label), bytes);
  }
  append_head(text, "translate_reloads_total", "counter", "Reloads of the models, by their outcome.");
  fmt::format_to(std::back_inserter(text),
                 "translate_reloads_total{{outcome=\"loaded\"}} {}\ntranslate_reloads_total{{outcome=\"failed\"}} {}\n",
                 models.reloads, models.failed_reloads);
}

/// Returns the nearest-rank quantile.
double quantile(const std::vector<double>& sorted, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

void ServiceMetrics::count(int status, std::chrono::nanoseconds time) {
  constexpr int kDone = 200;
  const std::lock_guard lock(mutex_);
  ++by_status_[status];
  if (status != kDone) {
    return;
  }
  const auto seconds = std::chrono::duration<double>(time).count();
  if (seconds_.size() < kKept) {
    seconds_.push_back(seconds);
  } else {
    seconds_[timed_ % kKept] = seconds;
  }
  ++timed_;
}

void ServiceMetrics::count_text(std::size_t texts, std::size_t characters) {
  const std::lock_guard lock(mutex_);
  texts_ += texts;
  characters_ += characters;
}

std::string ServiceMetrics::text(const ModelCounts& models) const {
  const auto& queue = models.queue;
  std::unique_lock lock(mutex_);
  auto seconds = seconds_;
  const auto by_status = by_status_;
  const auto texts = texts_;
  const auto characters = characters_;
  lock.unlock();
  std::string text;
  append_head(text, "translate_requests_total", "counter", "Requests to translate, by the status of their answer.");
  for (const auto& [status, requests] : by_status) {
    fmt::format_to(std::back_inserter(text), "translate_requests_total{{status=\"{}\"}} {}\n", status, requests);
  }
  append(text, "translate_texts_total", "counter", "Texts translated.", texts);
  append(text, "translate_characters_total", "counter", "Characters of these texts.", characters);
  append(text, "translate_waiting_lines", "gauge", "Lines waiting to be translated.", queue.waiting);
  append(text, "translate_running_lines", "gauge", "Lines being translated.", queue.under_way);
  append(text, "translate_most_lines_together", "gauge", "The most lines that were under way at a time.",
         queue.largest);
  append_together(text, queue);
  append_models(text, models);
  if (!seconds.empty()) {
    std::ranges::sort(seconds);
    append_head(text, "translate_request_seconds", "summary", "From request to translation, of the latest ones.");
    for (const double q : {0.5, 0.95, 0.99}) {
      fmt::format_to(std::back_inserter(text), "translate_request_seconds{{quantile=\"{}\"}} {:.6f}\n", q,
                     quantile(seconds, q));
    }
  }
  return text;
}

}  // namespace translate::tools
