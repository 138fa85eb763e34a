#include "serve/training/run_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace translate::tools {

namespace {

constexpr std::size_t kBeginning = 256;                   // bytes
constexpr std::size_t kLongestLine = 16UL * 1024 * 1024;  // bytes
constexpr std::size_t kChunk = 1024UL * 1024;             // bytes

std::optional<std::int64_t> step_of(const Json& report) {
  const auto found = report.find("step");
  const bool is_step =
      found != report.end() && found->is_number_integer() && found->get<double>() >= 0.0 && found->get<double>() < 9e18;
  return is_step ? std::optional(found->get<std::int64_t>()) : std::nullopt;
}

std::string kind_of(const Json& report) {
  const auto found = report.find("kind");
  return found != report.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::optional<double> number_in(const Json& object, std::string_view field) {
  const auto found = object.find(std::string(field));
  const bool is_number = found != object.end() && found->is_number() && std::isfinite(found->get<double>());
  return is_number ? std::optional(found->get<double>()) : std::nullopt;
}

RunMetrics::RunMetrics(std::filesystem::path file) : file_(std::move(file)) {}

void RunMetrics::update() {
  std::error_code error;
  const auto status = std::filesystem::status(file_, error);
  if (!std::filesystem::exists(status)) {
    reset();
    return;
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw DataError(fmt::format("{} is not a file", file_.filename().string()));
  }
  const auto size = std::filesystem::file_size(file_, error);
  if (error) {
    throw RuntimeError(fmt::format("{} cannot be read: {}", file_.filename().string(), error.message()));
  }
  if (!is_same_file(size)) {
    reset();
  }
  read_to(size);
}

void RunMetrics::reset() {
  auto file = std::move(file_);
  *this = RunMetrics(std::move(file));
}

bool RunMetrics::is_same_file(std::uintmax_t size) const {
  if (size < offset_) {
    return false;
  }
  std::string beginning(beginning_.size(), '\0');
  std::ifstream file(file_, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return static_cast<std::size_t>(file.gcount()) == beginning_.size() && beginning == beginning_;
}

void RunMetrics::read_to(std::uintmax_t size) {
  std::ifstream file(file_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset_));
  std::string lines;
  std::string chunk(kChunk, '\0');
  for (auto position = offset_; position < size;) {
    file.read(chunk.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(chunk.size(), size - position)));
    const auto count = static_cast<std::size_t>(file.gcount());
    if (count == 0) {
      break;  // it has become shorter meanwhile: the next update notices
    }
    position += count;
    lines.append(chunk, 0, count);
    std::size_t begin = 0;
    for (auto end = lines.find('\n'); end != std::string::npos; end = lines.find('\n', begin)) {
      const auto line = std::string_view(lines).substr(begin, end + 1 - begin);
      beginning_ += line.substr(0, kBeginning - beginning_.size());
      read_line(line.substr(0, line.size() - 1));
      begin = end + 1;
    }
    offset_ += begin;
    lines.erase(0, begin);
    if (lines.size() > kLongestLine) {
      throw DataError(fmt::format("{} has a line of more than {} MiB", file_.filename().string(), kLongestLine >> 20U));
    }
  }
}

void RunMetrics::read_line(std::string_view line) {
  Json report;
  try {
    report = parse_json(line);
  } catch (const JsonError&) {
    return;  // half of a line, of a process that was killed
  }
  if (!report.is_object()) {
    return;
  }
  if (const auto step = step_of(report)) {
    add_report(report, kind_of(report), *step);
  }
}

void RunMetrics::add_report(const Json& report, std::string_view kind, std::int64_t step) {
  const bool is_training = kind == "train";
  if (!is_training && kind != "validation") {
    return;
  }
  if (is_training && step <= last_step_) {
    go_back_to(step);
  }
  for (std::size_t i = 0; i < kCurves.size(); ++i) {
    const auto value = kCurves.at(i).kind == kind ? number_in(report, kCurves.at(i).field) : std::nullopt;
    if (value) {
      curves_.at(i).add({.step = step, .value = *value});
    }
  }
  if (is_training) {
    last_step_ = step;
    latest_ = report;
    return;
  }
  std::erase_if(best_, [&](const Json& other) { return step_of(other) >= step; });
  if (is_best(report)) {
    best_.push_back(report);
    best_.back().erase("samples");
  }
  latest_validation_ = report;
}

/// Forgets what a training has reported before it was resumed from an earlier step.
void RunMetrics::go_back_to(std::int64_t step) {
  for (auto& curve : curves_) {
    curve.remove_from(step);
  }
  std::erase_if(best_, [&](const Json& validation) { return step_of(validation) >= step; });
  if (latest_validation_.is_object() && step_of(latest_validation_) >= step) {
    latest_validation_ = nullptr;
  }
}

bool RunMetrics::is_best(const Json& validation) const {
  if (const auto found = validation.find("best"); found != validation.end()) {
    return found->is_boolean() && found->get<bool>();
  }
  const auto bleu = number_in(validation, "bleu");
  return bleu && (best_.empty() || *bleu > number_in(best_.back(), "bleu").value_or(-1.0));
}

Json RunMetrics::best_validation() const { return best_.empty() ? Json() : best_.back(); }

}  // namespace translate::tools
