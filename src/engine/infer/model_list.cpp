#include "infer/model_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoint/checkpoint_directory.h"
#include "command_line/line_stream.h"
#include "config/enum_names.h"
#include "core/terminal.h"

namespace translate {

namespace {

using Json = nlohmann::ordered_json;
using Time = std::filesystem::file_time_type;

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

std::time_t to_time_t(Time time) {
  return std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::file_clock::to_sys(time)));
}

std::string size_text(std::uintmax_t bytes) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMebibyte);
}

std::string formatted(const std::tm& time, const char* format) {
  std::array<char, 64> text = {};
  return {text.data(), std::strftime(text.data(), text.size(), format, &time)};
}

/// Returns the date in local time.
std::string date_text(Time time) {
  const std::time_t seconds = to_time_t(time);
  std::tm local = {};
  ::localtime_r(&seconds, &local);
  return formatted(local, "%Y-%m-%d %H:%M");
}

std::string score_text(const std::optional<double>& score, BestMetric metric) {
  if (!score) {
    return "-";
  }
  if (metric == BestMetric::kLoss) {
    return fmt::format("loss {:.4f}", *score);
  }
  return fmt::format("{}{:.2f}", metric == BestMetric::kChrf ? "chrF " : "", *score);
}

/// "en to fr, de; fr to en"
std::string language_text(const RunSummary& run) {
  std::string text;
  std::string_view source;
  for (const auto& pair : run.languages) {
    if (!text.empty() && pair.source == source) {
      text += ", " + pair.target;
    } else {
      text += fmt::format("{}{} to {}", text.empty() ? "" : "; ", pair.source, pair.target);
    }
    source = pair.source;
  }
  return text.empty() ? "-" : text;
}

/// A run's first language pair, and all of them.
void add_languages(const RunSummary& run, Json& json) {
  const auto first = run.languages.empty() ? LanguageCodes() : run.languages.front();
  json["source_language"] = first.source;
  json["target_language"] = first.target;
  json["directions"] = Json::array();
  for (const auto& pair : run.languages) {
    json["directions"].push_back({{"source", pair.source}, {"target", pair.target}});
  }
}

std::string marks_of(const CheckpointSummary& checkpoint) {
  if (checkpoint.damaged) {
    return "damaged";
  }
  std::string marks = checkpoint.is_latest ? "latest" : "";
  if (checkpoint.is_best) {
    marks += marks.empty() ? "best" : ", best";
  }
  return marks;
}

std::string step_name(std::int64_t step) { return fmt::format("{}{}", kStepPrefix, step); }

std::vector<Row> rows_of(std::span<const RunSummary> runs) {
  std::vector<Row> rows = {{"RUN", "STEP", "BLEU", "LANGUAGES", "SIZE", "WRITTEN", ""}};
  for (const auto& run : runs) {
    rows.push_back({run.folder.string(), std::to_string(run.step), score_text(run.best_score, run.metric),
                    language_text(run), size_text(run.bytes), date_text(run.written), run.is_default ? "default" : ""});
    for (const auto& checkpoint : run.checkpoints) {
      rows.push_back({"  " + step_name(checkpoint.step), std::to_string(checkpoint.step),
                      score_text(checkpoint.score, run.metric), "", size_text(checkpoint.bytes),
                      date_text(checkpoint.written), marks_of(checkpoint)});
    }
  }
  return rows;
}

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

std::string utc_text(Time time) {
  const std::time_t seconds = to_time_t(time);
  std::tm utc = {};
  ::gmtime_r(&seconds, &utc);
  return formatted(utc, "%Y-%m-%dT%H:%M:%SZ");
}

Json to_json(const CheckpointSummary& checkpoint) {
  return {{"checkpoint", step_name(checkpoint.step)},
          {"step", checkpoint.step},
          {"score", number_or_null(checkpoint.score)},
          {"bytes", checkpoint.bytes},
          {"written", utc_text(checkpoint.written)},
          {"latest", checkpoint.is_latest},
          {"best", checkpoint.is_best},
          {"damaged", checkpoint.damaged}};
}

}  // namespace

std::vector<std::string> run_table(std::span<const RunSummary> runs) {
  constexpr std::array<bool, kColumns> kRight = {false, true, true, false, true, false, false};
  if (runs.empty()) {
    return {};
  }
  const auto rows = rows_of(runs);
  std::array<std::size_t, kColumns> widths = {};
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      widths[column] = std::max(widths[column], display_width(row[column]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < kColumns; ++column) {
      const auto& cell = row[column];
      line += kRight[column] ? pad_left(cell, widths[column]) : pad_right(cell, widths[column]);
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> run_objects(std::span<const RunSummary> runs) {
  std::vector<std::string> lines;
  for (const auto& run : runs) {
    Json checkpoints = Json::array();
    for (const auto& checkpoint : run.checkpoints) {
      checkpoints.push_back(to_json(checkpoint));
    }
    Json json = {{"run", run.folder.string()},
                 {"default", run.is_default},
                 {"step", run.step},
                 {"metric", to_string(run.metric)},
                 {"best_score", number_or_null(run.best_score)}};
    add_languages(run, json);
    json["bytes"] = run.bytes;
    json["written"] = utc_text(run.written);
    json["checkpoints"] = std::move(checkpoints);
    lines.push_back(json_line(json));
  }
  return lines;
}

}  // namespace translate
