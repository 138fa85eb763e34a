#include "eval/sentence_scores.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>

#include "command_line/line_stream.h"
#include "core/error.h"

namespace translate::tools {

namespace {

std::string table_head(const ScoredOutput& text) {
  std::string head = "line";
  for (const auto& metric : text.metrics) {
    head += "\t" + metric.name;
  }
  return head;
}

std::string table_row(const ScoredOutput& text, std::size_t sentence) {
  std::string row = std::to_string(sentence + 1);
  for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
    row += fmt::format("\t{:.4f}", text.sentence_score(metric, sentence));
  }
  return row;
}

std::string json_row(const ScoredOutput& text, std::size_t sentence) {
  nlohmann::ordered_json row;
  row["line"] = sentence + 1;
  for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
    row[text.metrics[metric].name] = text.sentence_score(metric, sentence);
  }
  if (!text.source.empty()) {
    row["source"] = text.source[sentence];
  }
  row["hypothesis"] = text.hypotheses[sentence];
  for (const auto& list : text.references) {
    row["references"].push_back(list[sentence]);
  }
  return json_line(row);
}

}  // namespace

void check_sentence_scores_path(const std::string& path) {
  if (!path.ends_with(".tsv") && !path.ends_with(".jsonl")) {
    throw ConfigError(fmt::format(
        "--sentence-scores {}: the name must end in .tsv (a table) or .jsonl (JSON lines, with the texts)", path));
  }
}

void write_sentence_scores(const std::string& path, const ScoredOutput& text) {
  check_sentence_scores_path(path);
  const bool table = path.ends_with(".tsv");
  LineWriter writer(path);
  if (table) {
    writer.write(table_head(text));
  }
  for (std::size_t sentence = 0; sentence < text.size(); ++sentence) {
    writer.write(table ? table_row(text, sentence) : json_row(text, sentence));
  }
  writer.finish();
}

}  // namespace translate::tools
