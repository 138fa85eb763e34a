#include "checkpoint/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <ranges>
#include <utility>

#include "config/enum_names.h"
#include "core/counted.h"
#include "core/foreign_text.h"
#include "core/utf8.h"
#include "core/version.h"
#include "languages/language_names.h"
#include "model/memory_need.h"
#include "model/parameters.h"

namespace translate {

namespace {

/// A string of YAML in double quotes, which has the escapes of printable().
std::string quoted(const std::string& text) {
  return fmt::format("\"{}\"", printable(replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\"")));
}

std::string metric_name(BestMetric metric) {
  if (metric == BestMetric::kLoss) {
    return "loss";
  }
  return metric == BestMetric::kChrf ? "chrF" : "BLEU";
}

/// The names of the corpora's files, without their folders.
std::string file_names(const std::vector<CorpusFiles>& corpora) {
  std::string names;
  for (const auto& corpus : corpora) {
    for (const auto& path : {std::filesystem::path(corpus.source), std::filesystem::path(corpus.target)}) {
      if (path.empty()) {
        continue;
      }
      names += (names.empty() ? "`" : ", `") + printable(path.filename().string()) + "`";
    }
  }
  return names;
}

/// The languages of the directions, each once: all sources before the targets.
std::vector<std::string> languages_of(const std::vector<Direction>& directions) {
  std::vector<std::string> languages;
  const auto add = [&](const std::string& language) {
    if (std::ranges::find(languages, language) == languages.end()) {
      languages.push_back(language);
    }
  };
  for (const auto& direction : directions) {
    add(direction.source);
  }
  for (const auto& direction : directions) {
    add(direction.target);
  }
  return languages;
}

std::string score_entry(const ModelFacts& facts) {
  if (!facts.score) {
    return "";
  }
  std::string task = "Translation";
  if (facts.directions.size() == 1) {
    task += fmt::format(" {}-{}", facts.directions.front().source, facts.directions.front().target);
  }
  return fmt::format(
      "model-index:\n- name: {}\n  results:\n  - task:\n      type: translation\n      name: {}\n"
      "    dataset:\n      type: text\n      name: the validation set of the training\n"
      "    metrics:\n    - type: {}\n      value: {:.2f}\n      name: {}\n",
      quoted(facts.title), task, to_string(facts.score->metric), facts.score->value, metric_name(facts.score->metric));
}

std::string front_matter(const ModelFacts& facts, const CardSystem& system) {
  std::string text = "---\n";
  if (!facts.directions.empty()) {
    text += "language:\n";
  }
  for (const auto& language : languages_of(facts.directions)) {
    text += fmt::format("- {}\n", quoted(language));
  }
  if (!facts.license.empty()) {
    text += fmt::format("license: {}\n", quoted(facts.license));
  }
  text += fmt::format("library_name: {0}\npipeline_tag: translation\ntags:\n- translation\n- {0}\n", system.library);
  return text + score_entry(facts) + "---\n\n";
}

/// "8,000, one vocabulary for both languages"
std::string subwords(const TokenizerPair& tokenizers) {
  const auto sizes = vocabulary_sizes(tokenizers);
  if (have_same_subwords(tokenizers.source, tokenizers.target)) {
    return with_commas(sizes.target) + ", one vocabulary for both languages";
  }
  return fmt::format("{} of the source, {} of the target", with_commas(sizes.source), with_commas(sizes.target));
}

std::string shape(const ModelOptions& options) {
  const bool is_recurrent = options.decoder == DecoderKind::kSsru;
  return fmt::format("{} encoder and {} decoder layers{} of width {}, {} heads, feed-forward width {}, {}-norm",
                     options.encoder_layers, options.decoder_layers, is_recurrent ? " (SSRU)" : "", options.d_model,
                     options.num_heads, options.d_ff, options.norm == NormPlacement::kPre ? "pre" : "post");
}

std::string updates(const ModelFacts& facts) {
  const auto number = with_commas(*facts.step);
  return facts.is_average ? fmt::format("the mean of several checkpoints, the newest after {}", number) : number;
}

/// The score; BLEU and chrF with their signature, whose bars would end the table's cell.
std::string score_text(const ReportedScore& score) {
  if (score.metric == BestMetric::kLoss) {
    return fmt::format("{:.4f}", score.value);
  }
  return fmt::format("{:.2f} (greedy; {})", score.value, replace_all(score.signature, "|", "\\|"));
}

std::string table(const Config& config, const TokenizerPair& tokenizers, const ModelFacts& facts) {
  const auto parameters = parameter_total(config.model, vocabulary_sizes(tokenizers));
  std::vector<std::pair<std::string, std::string>> rows = {
      {"model", shape(config.model)},
      {"parameters", with_commas(static_cast<std::int64_t>(parameters))},
      {"subwords", subwords(tokenizers)},
      {"training text", file_names(config.data.train)},
      {"validation text", file_names(config.data.validation.files)}};
  if (facts.step) {
    rows.emplace_back("updates", updates(facts));
  }
  if (facts.score) {
    rows.emplace_back(metric_name(facts.score->metric) + " on the validation set", score_text(*facts.score));
  }
  if (!facts.license.empty()) {
    rows.emplace_back("licence", replace_all(printable(facts.license), "|", "\\|"));
  }
  std::string text = "| | |\n|---|---|\n";
  for (const auto& [name, value] : rows) {
    if (!value.empty()) {
      text += fmt::format("| {} | {} |\n", name, value);
    }
  }
  return text;
}

/// "French", "French and German", "French, German and Spanish"
std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) {
      text += i + 1 == names.size() ? " and " : ", ";
    }
    text += names[i];
  }
  return text;
}

/// A sentence on the tags of a model that has them.
std::string tag_note(const std::vector<Direction>& directions) {
  std::vector<std::string> tags;
  for (const auto& direction : directions) {
    const auto tag = fmt::format("`{}`", direction.tag);
    if (!direction.tag.empty() && std::ranges::find(tags, tag) == tags.end()) {
      tags.push_back(tag);
    }
  }
  if (tags.empty()) {
    return "";
  }
  return fmt::format("A text begins with the tag of the language that it is translated into: {}.\n\n", list(tags));
}

std::string checkpoint_use(const ModelFacts& facts) {
  std::string text = "In this folder, with translate:\n\n```\n";
  if (target_languages(facts.directions).size() > 1) {
    text += fmt::format("translate-infer --checkpoint . --target-language {} \"The cat sat.\"\n",
                        facts.directions.front().target);
  } else {
    text += "translate-infer --checkpoint . \"The cat sat.\"\n";
  }
  return text +
         "translate-serve --checkpoint .\n```\n\nFor CTranslate2, Hugging Face's transformers, and Argos Translate or "
         "LibreTranslate, each of which has a card of its own that shows how to use it there:\n\n```\n"
         "translate-export --format ctranslate2 . ~/model-ct2\n"
         "translate-export --format huggingface . ~/model-hf\n"
         "translate-export --format argos . ~/model.argosmodel\n```\n\n"
         "A model that a format cannot hold is refused, with the reason.\n";
}

}  // namespace

std::vector<Direction> known_directions(std::vector<Direction> directions) {
  std::erase_if(directions, [](const Direction& direction) {
    return direction.source == kUnknownSource || direction.target == kUnknownTarget;
  });
  return directions;
}

std::string describe_directions(const std::vector<Direction>& directions) {
  if (directions.empty()) {
    return "the source language to the target language";
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> targets_by_source;
  for (const auto& direction : directions) {
    auto found = std::ranges::find(targets_by_source, direction.source, [](const auto& entry) { return entry.first; });
    if (found == targets_by_source.end()) {
      found = targets_by_source.insert(found, {direction.source, {}});
    }
    found->second.push_back(language_name(direction.target));
  }
  std::string text;
  for (const auto& [source, targets] : targets_by_source) {
    text += fmt::format("{}{} to {}", text.empty() ? "" : ", and ", language_name(source), list(targets));
  }
  return text;
}

std::string model_card(const Config& config, const TokenizerPair& tokenizers, const ModelFacts& facts,
                       const CardSystem& system) {
  std::string text = front_matter(facts, system);
  text +=
      fmt::format("# {}\n\nA Transformer that translates {}{}, written by translate {}.\n\n", printable(facts.title),
                  describe_directions(facts.directions), system.name.empty() ? "" : ", for " + system.name, version());
  text += table(config, tokenizers, facts) + "\n" + tag_note(facts.directions) + "## Use\n\n" + system.use;
  for (const auto& note : system.notes) {
    text += "\n" + note + "\n";
  }
  return text;
}

std::string checkpoint_card(const Config& config, const TokenizerPair& tokenizers, const ModelFacts& facts) {
  return model_card(config, tokenizers, facts,
                    {.name = {}, .library = "translate", .use = checkpoint_use(facts), .notes = {}});
}

}  // namespace translate
