#include "explain/program/alignment_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checkpoint/model_writing.h"
#include "command_line/decoding_arguments.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/system/allocator.h"
#include "core/unfinished_folder.h"
#include "decoding/target_choice.h"
#include "inference/weight_format.h"
#include "languages/directions.h"
#include "model/aligning_attention.h"
#include "operators/operator_model.h"
#include "training/alignment_measure.h"

namespace translate::tools {

namespace {

constexpr std::size_t kFewestLines = 100;
constexpr std::size_t kMostLines = 2000;

/// Returns the first lines of the input that are not blank.
std::vector<ScoringPair> read_lines(const InputOptions& options) {
  TranslationInput input(options);
  std::vector<ScoringPair> lines;
  for (auto chunk = input.read(kMostLines); !chunk.empty() && lines.size() < kMostLines;
       chunk = input.read(kMostLines)) {
    for (auto& line : chunk) {
      if (!line.error.empty()) {
        throw DataError(line.error);
      }
      if (lines.size() < kMostLines && !line.source.empty() && (!options.score || !line.target.empty())) {
        lines.push_back({.source = std::move(line.source), .target = std::move(line.target)});
      }
    }
  }
  if (lines.size() < kFewestLines) {
    throw ConfigError(fmt::format(
        "--alignment-heads needs at least {} lines of text, so that a word aligner can learn from them; got "
        "{} (--input FILE)",
        kFewestLines, lines.size()));
  }
  return lines;
}

/// Returns the subwords of lines and of their translations. What the model reads in parts is left out.
std::vector<trainer::PairSubwords> subwords_of(const std::vector<Translation>& translations,
                                               const SpecialTokens& source) {
  std::vector<trainer::PairSubwords> pairs;
  for (const auto& translation : translations) {
    if (translation.parts.size() != 1) {
      continue;
    }
    const auto& part = translation.parts.front();
    const std::size_t begin = source.source_sos ? 1 : 0;
    const std::span subwords(part.encoder_input.begin() + static_cast<std::ptrdiff_t>(begin),
                             part.encoder_input.end() - 1);
    if (!subwords.empty() && !part.hypothesis.ids.empty()) {
      pairs.push_back({.source = {subwords.begin(), subwords.end()},
                       .target = {part.hypothesis.ids.begin(), part.hypothesis.ids.end()}});
    }
  }
  return pairs;
}

std::vector<Translation> translate(const AlignmentRunOptions& options, const std::vector<ScoringPair>& lines,
                                   const LoadedModel& model, const trainer::Transformer& modules,
                                   const c10::Device& device) {
  auto how = options_for_models(std::span(&model, 1));
  how.decoding = greedy_options(how.decoding);
  choose_target(directions(model.config, model.tokenizers.source), options.target_language, kTargetLanguageOption, how);
  Translator translator(trainer::make_inference_model(modules, device, Precision::kFp32), model.tokenizers.source,
                        model.tokenizers.target, how);
  if (options.input.score) {
    return translator.score(lines);
  }
  std::vector<std::string> sources;
  for (const auto& line : lines) {
    sources.push_back(line.source);
  }
  return translator.translate(sources);
}

std::string table(const std::vector<trainer::MeasuredAttention>& measured, const AligningAttention& best,
                  const AligningAttention& current) {
  auto text = fmt::format("{:<60}error rate\n", "attention");
  for (const auto& [attention, error_rate] : measured) {
    text += fmt::format("{:<60}{:.3f}{}{}\n", describe(attention), error_rate, attention == best ? "  best" : "",
                        attention == current ? "  the model's" : "");
  }
  return text;
}

nlohmann::ordered_json attention_json(const trainer::MeasuredAttention& measured) {
  const auto& attention = measured.attention;
  nlohmann::ordered_json json = {{"layer", attention.layer},
                                 {"head", nullptr},
                                 {"of_input", attention.of_input},
                                 {"error_rate", measured.error_rate}};
  if (attention.heads == 1) {
    json["head"] = attention.first_head;
  }
  return json;
}

std::string json_text(const std::vector<trainer::MeasuredAttention>& measured, const trainer::MeasuredAttention& best,
                      std::size_t lines) {
  nlohmann::ordered_json json = {
      {"lines", lines}, {"best", attention_json(best)}, {"attention", nlohmann::ordered_json::array()}};
  for (const auto& one : measured) {
    json["attention"].push_back(attention_json(one));
  }
  return json.dump() + "\n";
}

/// Returns the place of the checkpoint to write. Throws ConfigError unless the model is a checkpoint, too.
std::optional<std::filesystem::path> place_to_save(const AlignmentRunOptions& options, const ModelSource& source) {
  if (options.save.empty()) {
    return std::nullopt;
  }
  if (!source.checkpoint() || source.is_average()) {
    throw ConfigError(
        "--save writes a copy of a checkpoint: give one with --checkpoint (translate-import makes one of another "
        "system's model)");
  }
  return checked_output(options.save, /*replace=*/false, {.name = "", .matches = {}});
}

}  // namespace

std::string measure_alignment_heads(const AlignmentRunOptions& options) {
  keep_freed_memory();
  const auto lines = read_lines(options.input);
  const auto device = trainer::start_operators(options.common.computing.device, options.common.threads);
  const ModelSource source(options.checkpoint, Verify::kInference);
  if (source.models() > 1) {
    throw ConfigError("--alignment-heads measures one model; --checkpoint names several");
  }
  const auto place = place_to_save(options, source);
  auto model = std::move(source.load_all(trainer::draw_weights).front());
  const auto modules = trainer::make_modules(model, device);
  auto pairs = subwords_of(translate(options, lines, model, modules, device), model.tokenizers.source.special_tokens());
  const auto count = pairs.size();
  const trainer::AlignmentMeasure measure(model.tokenizers, std::move(pairs));
  const auto measured = measure.measure(modules, device);
  const auto best = trainer::best_of(measured);
  const auto current = aligning_attention(model.config.model);
  if (place) {
    trainer::set_best_attention(measured, model.config.model);
    write_model_checkpoint(*place, model);
    log_info(fmt::format("wrote {}: its alignments come from {}", place->string(), describe(best.attention)));
  }
  return options.json ? json_text(measured, best, count) : table(measured, best.attention, current);
}

}  // namespace translate::tools
