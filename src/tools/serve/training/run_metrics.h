#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.h"
#include "serve/training/curve.h"

namespace translate::tools {

/// A curve of metrics.jsonl (docs/files.md).
struct CurveSource {
  std::string_view name;
  std::string_view kind;   ///< of the reports that have it
  std::string_view field;  ///< in these reports
};

inline constexpr std::array<CurveSource, 6> kCurves = {{{"training_loss", "train", "loss"},
                                                        {"validation_loss", "validation", "loss"},
                                                        {"bleu", "validation", "bleu"},
                                                        {"chrf", "validation", "chrf"},
                                                        {"learning_rate", "train", "lr"},
                                                        {"tokens_per_second", "train", "tokens_per_second"}}};

/// The metrics.jsonl of a run, which may be written meanwhile: each update() reads what has been appended. Lines that
/// are not reports are left out. Not thread-safe.
class RunMetrics {
 public:
  explicit RunMetrics(std::filesystem::path file);

  /// Reads whole lines that are new; a last line without its end is read once it is complete. If another file has taken
  /// the place of the one before, its reports count alone. Throws DataError if the file is not a regular one or has a
  /// line that is too long, RuntimeError if it cannot be read; a file that does not exist has no reports.
  void update();

  /// In the order of kCurves.
  [[nodiscard]] const std::array<Curve, kCurves.size()>& curves() const { return curves_; }

  /// The last report of the training and the last validation, as they are in the file; null if there is none.
  [[nodiscard]] const Json& latest() const { return latest_; }
  [[nodiscard]] const Json& latest_validation() const { return latest_validation_; }

  /// The best validation by the metric that the run chooses checkpoints with, as it is in the file but without its
  /// samples; null if there is none. Older versions do not record it: then the one with the highest BLEU.
  [[nodiscard]] Json best_validation() const;

 private:
  void reset();
  [[nodiscard]] bool is_same_file(std::uintmax_t size) const;
  void read_to(std::uintmax_t size);
  void read_line(std::string_view line);
  void add_report(const Json& report, std::string_view kind, std::int64_t step);
  void go_back_to(std::int64_t step);
  [[nodiscard]] bool is_best(const Json& validation) const;

  std::filesystem::path file_;
  std::uintmax_t offset_ = 0;  ///< the bytes read: whole lines
  std::string beginning_;      ///< the first bytes of the file, by which it is recognised
  std::array<Curve, kCurves.size()> curves_;
  std::int64_t last_step_ = -1;  ///< of the reports of the training
  Json latest_;
  Json latest_validation_;
  std::vector<Json> best_;  ///< the validations that were the best ones when they were made
};

/// The value of a field if it is a finite number.
[[nodiscard]] std::optional<double> number_in(const Json& object, std::string_view field);

}  // namespace translate::tools
