#include "serve/training/training_runs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/regular_file.h"
#include "serve/training/config_differences.h"

namespace translate::tools {

namespace {

constexpr std::size_t kPointsOfCurve = 600;  // more than a page has room for

/// Returns the last part of a folder's path, also of "." and "runs/a/".
std::string last_part(const std::filesystem::path& folder) {
  return normalized_path(std::filesystem::absolute(folder)).filename().string();
}

/// The seconds since the file was written last; nothing if it does not exist.
std::optional<double> age_of(const std::filesystem::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) {
    return std::nullopt;
  }
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  constexpr double kNanosecond = 1e-9;
  const double written =
      static_cast<double>(status.st_mtim.tv_sec) + kNanosecond * static_cast<double>(status.st_mtim.tv_nsec);
  return std::max(now - written, 0.0);
}

/// Returns the configuration of a run; null if there is none or if it cannot be read.
Json read_config(const std::filesystem::path& file) {
  constexpr std::uintmax_t kLargest = 16UL * 1024 * 1024;
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > kLargest) {
    return nullptr;
  }
  try {
    return parse_json(read_regular_file(file));
  } catch (const Error&) {
    return nullptr;  // older and newer versions may have other keys, but all are JSON
  }
}

void copy_numbers(const Json& from, std::initializer_list<const char*> fields, Json& to) {
  for (const auto* field : fields) {
    if (from.is_object() && number_in(from, field)) {
      to[field] = from[field];
    }
  }
}

Json curves_json(const RunMetrics& metrics) {
  Json curves = Json::object();
  for (std::size_t i = 0; i < kCurves.size(); ++i) {
    auto points = Json::array();
    for (const auto& [step, value] : metrics.curves().at(i).selection(kPointsOfCurve)) {
      points.push_back({step, value});
    }
    curves[std::string(kCurves.at(i).name)] = std::move(points);
  }
  return curves;
}

/// Returns the samples of a validation: those of its entries that are as they should be.
Json samples_json(const Json& validation) {
  auto samples = Json::array();
  if (!validation.is_object() || !validation.contains("samples") || !validation["samples"].is_array()) {
    return samples;
  }
  for (const auto& entry : validation["samples"]) {
    Json sample = Json::object();
    for (const auto* field : {"source", "reference", "translation"}) {
      if (entry.is_object() && entry.contains(field) && entry[field].is_string()) {
        sample[field] = entry[field];
      }
    }
    if (sample.size() == 3) {
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

/// The limit in steps, which a run may lack.
void add_limit(const Json& config, Json& json) {
  if (!config.is_object() || !config.contains("training") || !config["training"].is_object()) {
    return;
  }
  if (const auto limit = number_in(config["training"], "max_steps"); limit && *limit > 0) {
    json["max_steps"] = config["training"]["max_steps"];
  }
}

/// Says why a run has no reports; empty if it may get some.
std::string lack_of_reports(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    return "There is no such folder yet.";
  }
  if (!std::filesystem::is_directory(folder, error)) {
    return "This is not a folder.";
  }
  const bool is_run = std::filesystem::exists(folder / "config.json", error);
  return is_run ? "The training has not reported anything yet."
                : "This folder is not a run: it has neither config.json nor metrics.jsonl.";
}

}  // namespace

TrainingRuns::TrainingRuns(const std::vector<std::filesystem::path>& folders) {
  std::multiset<std::string> names;
  std::set<std::filesystem::path> known;
  for (const auto& folder : folders) {
    std::error_code error;
    if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error)) {
      throw ConfigError(
          fmt::format("--training {0}: {0} is not a folder; expected the folder of a run, such as "
                      "runs/en-fr",
                      folder.string()));
    }
    if (!known.insert(normalized_path(std::filesystem::absolute(folder))).second) {
      throw ConfigError(fmt::format("--training: {} is named twice", folder.string()));
    }
    names.insert(last_part(folder));
  }
  for (const auto& folder : folders) {
    const auto name = last_part(folder);
    runs_.push_back({.name = names.count(name) > 1 ? folder.string() : name,
                     .folder = std::filesystem::absolute(folder),
                     .metrics = RunMetrics(std::filesystem::absolute(folder) / "metrics.jsonl")});
  }
}

std::vector<std::string> TrainingRuns::names() const {
  std::vector<std::string> names;
  std::ranges::transform(runs_, std::back_inserter(names), &Run::name);
  return names;
}

Json TrainingRuns::json() {
  const std::lock_guard lock(mutex_);
  auto runs = Json::array();
  std::vector<Json> configurations;
  for (auto& [name, folder, metrics] : runs_) {
    Json run = {{"name", name}, {"problem", nullptr}};
    try {
      metrics.update();
      if (!metrics.latest().is_object() && !metrics.latest_validation().is_object()) {
        run["problem"] = lack_of_reports(folder);
      }
    } catch (const Error& error) {
      run["problem"] = error.what();
    }
    if (const auto age = age_of(folder / "metrics.jsonl")) {
      run["age_seconds"] = *age;
    }
    copy_numbers(metrics.latest_validation(), {"step", "epoch", "target_tokens", "seconds"}, run);
    copy_numbers(metrics.latest(),
                 {"step", "epoch", "target_tokens", "seconds", "seconds_left", "loss", "lr", "tokens_per_second",
                  "memory_bytes", "peak_memory_bytes", "device_memory_bytes"},
                 run);
    configurations.push_back(read_config(folder / "config.json"));
    add_limit(configurations.back(), run);
    run["best"] = nullptr;
    if (const auto best = metrics.best_validation(); best.is_object()) {
      run["best"] = Json::object();
      copy_numbers(best, {"step", "loss", "bleu", "chrf"}, run["best"]);
    }
    run["samples"] = {{"step", nullptr}, {"list", samples_json(metrics.latest_validation())}};
    copy_numbers(metrics.latest_validation(), {"step"}, run["samples"]);
    run["curves"] = curves_json(metrics);
    runs.push_back(std::move(run));
  }
  auto differences = Json::array();
  for (auto& [key, values] : config_differences(configurations)) {
    differences.push_back({{"key", key}, {"values", Json(std::move(values))}});
  }
  return {{"runs", std::move(runs)}, {"differences", std::move(differences)}};
}

}  // namespace translate::tools
