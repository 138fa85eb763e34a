#pragma once

#include <string>
#include <vector>

#include "eval/named_metrics.h"

namespace translate::tools {

/// A program that scores sentences. It reads a JSON object for each sentence on a line of its stdin: `source` (if it is
/// known), `hypothesis` and `reference`, the first one; with several references also `references`, a list of all. It
/// prints a number for each on a line of its stdout, in the same order.
struct MetricCommand {
  std::vector<std::string> words;  ///< the program and its arguments
  std::string name;                ///< of the metric
};

/// Returns the command that `command` describes (see command_words). An empty `name` stands for the name of the
/// program's file without its ending. Throws ConfigError if the command has no words, if its program does not exist, or
/// if the name is one of `taken`.
[[nodiscard]] MetricCommand make_metric_command(const std::string& command, const std::string& name,
                                                const std::vector<std::string>& taken);

/// Runs the program on a text and returns its scores, one for each hypothesis. Throws ConfigError if it cannot be
/// started; RuntimeError, with the end of its stderr, if it ends with an exit code other than 0 or by a signal, or
/// prints anything but as many finite numbers.
[[nodiscard]] std::vector<double> segment_scores(const MetricCommand& command, const ComparedText& text);

/// Returns the metric whose score of a corpus is the mean of the program's scores.
[[nodiscard]] NamedMetric metric_of_command(const MetricCommand& command);

}  // namespace translate::tools
