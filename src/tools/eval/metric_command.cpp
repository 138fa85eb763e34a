#include "eval/metric_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "command_line/line_stream.h"
#include "core/child.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/logging.h"
#include "core/piped_program.h"
#include "eval/command_words.h"

namespace translate::tools {

namespace {

constexpr const char* kOption = "--metric-command";

/// The mean of the scores of sentences: the counts are the score, and 1.
class MeanOfSentences final : public SummedMetric {
 public:
  static constexpr std::size_t kSize = 2;

  [[nodiscard]] double score(std::span<const double> sums) const override { return sums[0] / sums[1]; }
  [[nodiscard]] bool higher_is_better() const override { return true; }
  [[nodiscard]] std::string settings() const override { return "mean of sentences"; }
};

/// What is wrong with the program's output.
class OutputFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The numbers that a program prints, one on a line. The functions throw OutputFault.
class ScoreLines {
 public:
  explicit ScoreLines(std::size_t expected) : expected_(expected) {}

  /// Takes the next bytes of the output.
  void take(std::string_view bytes) {
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      line_ += bytes.substr(0, end);
      add_line();
      bytes.remove_prefix(end + 1);
    }
    line_ += bytes;
    if (line_.size() > kLongest) {
      add_line();
    }
  }

  /// Returns the numbers after the end of the output, whose last line may lack its end.
  std::vector<double> finish() {
    if (!line_.empty()) {
      add_line();
    }
    if (scores_.size() < expected_) {
      throw OutputFault(fmt::format("printed {}, but there are {}: print one number for each",
                                    counted(scores_.size(), "line"), counted(expected_, "sentence")));
    }
    return std::move(scores_);
  }

 private:
  static constexpr std::size_t kLongest = 1000;  // more than any number takes

  void add_line() {
    if (scores_.size() == expected_) {
      throw OutputFault(fmt::format("printed more than {}, although there are {}: print one number for each",
                                    counted(expected_, "line"), counted(expected_, "sentence")));
    }
    std::string_view text = line_;
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    double score = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(score)) {
      throw OutputFault(fmt::format("printed \"{}\" in line {}: print a finite number, the score of the sentence",
                                    shown(line_), scores_.size() + 1));
    }
    scores_.push_back(score);
    line_.clear();
  }

  std::size_t expected_;
  std::string line_;  ///< without its end so far
  std::vector<double> scores_;
};

/// Returns the line for a sentence.
std::string input_line(const ComparedText& text, std::size_t sentence) {
  nlohmann::ordered_json json;
  if (!text.source.empty()) {
    json["source"] = text.source[sentence];
  }
  json["hypothesis"] = text.hypotheses[sentence];
  json["reference"] = text.references.front()[sentence];
  if (text.references.size() > 1) {
    for (const auto& list : text.references) {
      json["references"].push_back(list[sentence]);
    }
  }
  return json_line(json) + "\n";
}

/// Returns the lines of all sentences in chunks, so that a large text is not twice in memory.
PipedProgram::Input input_of(const ComparedText& text) {
  return [&text, sentence = std::size_t{0}]() mutable {
    constexpr std::size_t kChunk = std::size_t{1} << 16U;
    std::string lines;
    while (lines.size() < kChunk && sentence < text.hypotheses.size()) {
      lines += input_line(text, sentence++);
    }
    return lines;
  };
}

[[noreturn]] void fail(const MetricCommand& command, const std::string& fault, const std::string& messages,
                       const ComparedText& text) {
  auto message = fmt::format("{}: {} {}", kOption, printable(command.words.front()), fault);
  if (text.source.empty()) {
    message += "; the objects have no \"source\" (--source FILE gives it)";
  }
  if (!messages.empty()) {
    message += "; its last messages:\n" + printable_message(messages.substr(0, messages.find_last_not_of('\n') + 1));
  }
  throw RuntimeError(message);
}

}  // namespace

MetricCommand make_metric_command(const std::string& command, const std::string& name,
                                  const std::vector<std::string>& taken) {
  MetricCommand made;
  try {
    made.words = command_words(command);
    require_program(made.words.front());
  } catch (const Error& error) {
    throw ConfigError(fmt::format("{}: {}", kOption, error.what()));
  }
  made.name = name.empty() ? std::filesystem::path(made.words.front()).stem().string() : name;
  if (std::ranges::find(taken, made.name) != taken.end()) {
    throw ConfigError(fmt::format("{}: the name {} has another meaning in the output: choose one by --metric-name NAME",
                                  kOption, made.name));
  }
  return made;
}

std::vector<double> segment_scores(const MetricCommand& command, const ComparedText& text) {
  log_info(fmt::format("scoring {} by {}", counted(text.hypotheses.size(), "sentence"), command.words.front()));
  std::optional<PipedProgram> program;
  try {
    program.emplace(command.words);
  } catch (const PathError& error) {
    throw ConfigError(fmt::format("{}: {}", kOption, error.what()));
  }
  ScoreLines scores(text.hypotheses.size());
  try {
    program->exchange(input_of(text), [&](std::string_view bytes) { scores.take(bytes); });
    if (const int status = program->wait(); status != 0) {
      fail(command, end_in_words(status) + ", not with 0", program->last_messages(), text);
    }
    return scores.finish();
  } catch (const OutputFault& fault) {
    fail(command, fault.what(), program->last_messages(), text);
  }
}

NamedMetric metric_of_command(const MetricCommand& command) {
  const auto count = [command](const ComparedText& text) {
    check_corpus(command.name, text.hypotheses, text.references);
    std::vector<double> counts;
    for (const double score : segment_scores(command, text)) {
      counts.insert(counts.end(), {score, 1.0});
    }
    return SentenceCounts(MeanOfSentences::kSize, std::move(counts));
  };
  return {.name = command.name,
          .label = command.name,
          .scale = ScoreScale::kOwn,
          .metric = std::make_unique<MeanOfSentences>(),
          .count = count};
}

}  // namespace translate::tools
