#include "translate/decoding/translator.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "translate/core/logging.h"
#include "translate/core/utf8.h"
#include "translate/decoding/long_text.h"
#include "translate/model/evaluation_mode.h"
#include "translate/model/precision.h"
#include "translate/text/sequence_ids.h"

namespace translate {

TranslatorOptions translator_options(const Config& config, const c10::Device& device, Precision precision) {
  TranslatorOptions options{.decoding = config.decoding,
                            .max_source_length = config.data.max_length,
                            .device = device,
                            .precision = resolve_precision(precision, device)};
  if (config.model.positions == PositionKind::kLearned) {
    options.max_source_length = std::min(options.max_source_length, config.model.max_positions - 2);  // sos and eos
    options.decoding.max_length = std::min(options.decoding.max_length, config.model.max_positions);
  }
  return options;
}

/// A line, or a part of one that is too long: what the model sees.
struct Translator::Part {
  Translation* translation = nullptr;
  std::vector<std::int64_t> ids;  ///< encoder input: sos, pieces, eos
  std::int64_t limit = 0;         ///< target pieces at most
  Hypothesis hypothesis;
};

Translator::Translator(Transformer model, Tokenizer source, Tokenizer target, TranslatorOptions options)
    : model_(std::move(model)),
      source_(std::move(source)),
      target_(std::move(target)),
      options_(std::move(options)),
      limit_(options_.device, "translating") {}

void Translator::warn(const std::string& message) const {
  if (options_.warn) {
    log_warning(message);
  }
}

std::vector<Translator::Part> Translator::parts_of(Translation& translation, std::int64_t line) const {
  if (first_invalid_utf8(translation.source)) {
    warn(fmt::format("line {}: not valid UTF-8; the bad bytes are read as U+FFFD", line));
    translation.source = replace_invalid_utf8(translation.source);
  }
  if (is_blank(translation.source)) {
    return {};
  }
  const auto pieces = [this](std::string_view text) { return static_cast<std::int64_t>(source_.encode(text).size()); };
  std::vector<std::string> texts = {translation.source};
  if (const auto length = pieces(translation.source); length > options_.max_source_length) {
    texts = split_long_text(translation.source, options_.max_source_length, pieces);
    warn(fmt::format("line {}: {} pieces, the model takes {}; translated in {} parts", line, length,
                     options_.max_source_length, texts.size()));
  }
  std::vector<Part> parts;
  for (const auto& text : texts) {
    Part part{.translation = &translation, .ids = encoder_input_ids(source_, text), .limit = 0, .hypothesis = {}};
    const auto& decoding = options_.decoding;
    const auto by_ratio = std::ceil(decoding.max_length_ratio * static_cast<double>(part.ids.size() - 2)) + 10.0;
    part.limit = std::min(decoding.max_length, static_cast<std::int64_t>(by_ratio));
    parts.push_back(std::move(part));
  }
  return parts;
}

void Translator::translate_batch(std::span<Part*> batch) {
  std::size_t longest = 0;
  for (const auto* part : batch) {
    longest = std::max(longest, part->ids.size());
  }
  auto input = at::full({static_cast<std::int64_t>(batch.size()), static_cast<std::int64_t>(longest)},
                        source_.special_tokens().pad, at::kLong);
  std::vector<std::int64_t> limits;
  auto* rows = input.mutable_data_ptr<std::int64_t>();
  for (const auto* part : batch) {
    std::copy(part->ids.begin(), part->ids.end(), rows);
    rows += longest;
    limits.push_back(part->limit);
  }
  auto hypotheses = greedy_search(model_, input.to(options_.device), limits, target_.special_tokens());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i]->hypothesis = std::move(hypotheses[i]);
  }
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines, std::int64_t first_line) {
  std::vector<Translation> translations(lines.size());
  std::vector<Part> parts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    translations[i].source = lines[i];
    for (auto& part : parts_of(translations[i], first_line + static_cast<std::int64_t>(i))) {
      parts.push_back(std::move(part));
    }
  }
  std::vector<Part*> by_length;
  for (auto& part : parts) {
    by_length.push_back(&part);
  }
  std::stable_sort(by_length.begin(), by_length.end(),
                   [](const Part* a, const Part* b) { return a->ids.size() > b->ids.size(); });

  const EvaluationMode evaluation(model_);
  const AutocastGuard autocast(options_.device, options_.precision);
  for (std::size_t begin = 0; begin < by_length.size();) {
    const auto width = static_cast<std::int64_t>(by_length[begin]->ids.size());  // the longest comes first
    const auto rows = std::max<std::int64_t>(options_.decoding.batch_tokens / width, 1);
    const auto end = std::min(begin + static_cast<std::size_t>(rows), by_length.size());
    const auto batch = std::span(by_length).subspan(begin, end - begin);
    limit_.in_pieces(std::ssize(batch), width, [&](std::int64_t first, std::int64_t last) {
      translate_batch(batch.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    });
    begin = end;
  }
  for (auto& part : parts) {
    auto& translation = *part.translation;
    if (!translation.text.empty()) {
      translation.text += ' ';
    }
    translation.text += target_.decode(part.hypothesis.ids);
    translation.score += part.hypothesis.score;
    translation.truncated = translation.truncated || part.hypothesis.truncated;
    for (const auto id : part.hypothesis.ids) {
      translation.tokens.push_back(target_.piece(id));
    }
    translation.parts.push_back({.encoder_input = std::move(part.ids), .hypothesis = std::move(part.hypothesis)});
  }
  return translations;
}

}  // namespace translate
