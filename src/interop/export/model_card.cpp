#include "interop/export/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "config/enum_names.h"
#include "core/utf8.h"
#include "core/version.h"
#include "model/memory_need.h"
#include "model/parameters.h"

namespace translate {

namespace {

/// "1,234,567"
std::string grouped(std::int64_t number) {
  auto digits = fmt::format("{}", number);
  for (auto place = std::ssize(digits) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

/// A string of YAML in double quotes.
std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string metric_name(BestMetric metric) { return metric == BestMetric::kBleu ? "BLEU" : "loss"; }

/// The names of the corpora's files, without their folders.
std::string file_names(const std::vector<CorpusFiles>& corpora) {
  std::string names;
  for (const auto& corpus : corpora) {
    for (const auto& path : {std::filesystem::path(corpus.source), std::filesystem::path(corpus.target)}) {
      if (path.empty()) continue;
      names += (names.empty() ? "`" : ", `") + path.filename().string() + "`";
    }
  }
  return names;
}

std::string score_entry(const ModelToExport& model) {
  if (!model.score) return "";
  const auto metric = std::string(model.score->metric == BestMetric::kBleu ? "bleu" : "loss");
  const auto& languages = model.languages;
  const auto task = languages.source.empty() ? std::string("Translation")
                                             : fmt::format("Translation {}-{}", languages.source, languages.target);
  return fmt::format(
      "model-index:\n- name: {}\n  results:\n  - task:\n      type: translation\n      name: {}\n"
      "    dataset:\n      type: text\n      name: the validation set of the training\n"
      "    metrics:\n    - type: {}\n      value: {:.2f}\n      name: {}\n",
      quoted(model.title), task, metric, model.score->value, metric_name(model.score->metric));
}

std::string front_matter(const ModelToExport& model, const CardSystem& system) {
  std::string text = "---\n";
  if (const auto& languages = model.languages; !languages.source.empty()) {
    text += fmt::format("language:\n- {}\n- {}\n", quoted(languages.source), quoted(languages.target));
  }
  text += fmt::format("library_name: {0}\npipeline_tag: translation\ntags:\n- translation\n- {0}\n", system.library);
  return text + score_entry(model) + "---\n\n";
}

/// "8,000 (BPE, one vocabulary for both languages)"
std::string subwords(const ModelToExport& model) {
  const auto sizes = vocabulary_sizes(model.tokenizers);
  if (model.tokenizers.source.serialized() == model.tokenizers.target.serialized()) {
    return grouped(sizes.target) + ", one vocabulary for both languages";
  }
  return fmt::format("{} of the source, {} of the target", grouped(sizes.source), grouped(sizes.target));
}

std::string shape(const ModelOptions& options) {
  return fmt::format("{} encoder and {} decoder layers of width {}, {} heads, feed-forward width {}, {}-norm",
                     options.encoder_layers, options.decoder_layers, options.d_model, options.num_heads, options.d_ff,
                     options.norm == NormPlacement::kPre ? "pre" : "post");
}

std::string updates(const ModelToExport& model) {
  const auto number = grouped(*model.step);
  return model.is_average ? fmt::format("the mean of several checkpoints, the newest after {}", number) : number;
}

/// The score with its signature, whose bars would end the table's cell.
std::string score_text(const ReportedScore& score) {
  if (score.metric == BestMetric::kLoss) return fmt::format("{:.4f}", score.value);
  return fmt::format("{:.2f} (greedy; {})", score.value, replace_all(score.signature, "|", "\\|"));
}

std::string table(const ModelToExport& model) {
  const auto& config = model.config;
  const auto parameters = parameter_total(config.model, vocabulary_sizes(model.tokenizers));
  std::vector<std::pair<std::string, std::string>> rows = {
      {"model", shape(config.model)},
      {"parameters", grouped(static_cast<std::int64_t>(parameters))},
      {"subwords", subwords(model)},
      {"training text", file_names(config.data.train)},
      {"validation text", file_names(config.data.validation.files)}};
  if (model.step) rows.emplace_back("updates", updates(model));
  if (model.score) {
    rows.emplace_back(metric_name(model.score->metric) + " on the validation set", score_text(*model.score));
  }
  std::string text = "| | |\n|---|---|\n";
  for (const auto& [name, value] : rows) {
    if (!value.empty()) text += fmt::format("| {} | {} |\n", name, value);
  }
  return text;
}

}  // namespace

std::string language_direction(const LanguageCodes& languages) {
  if (languages.source.empty()) return "the source language to the target language";
  return fmt::format("{} to {}", language_name(languages.source), language_name(languages.target));
}

std::string model_card(const ModelToExport& model, const CardSystem& system) {
  std::string text = front_matter(model, system);
  text += fmt::format(
      "# {}\n\nA Transformer that translates {}, for {}. It was trained and exported with translate {}.\n\n",
      model.title, language_direction(model.languages), system.name, version());
  text += table(model) + "\n## Use\n\n" + system.use;
  for (const auto& note : system.notes) {
    text += "\n" + note + "\n";
  }
  return text;
}

}  // namespace translate
