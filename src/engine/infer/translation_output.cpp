#include "infer/translation_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "command_line/line_stream.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/terminal.h"
#include "core/utf8.h"
#include "infer/translation_input.h"
#include "segments/text_marks.h"
#include "text/alignment_text.h"
#include "text/text_joining.h"

namespace translate {

void check_layer(const ViewingOptions& options, const ModelOptions& model) {
  if (options.layer && *options.layer >= std::max(model.encoder_layers, model.decoder_layers)) {
    throw ConfigError(fmt::format("--layer {}: the model has {} encoder and {} decoder layers, counted from 0",
                                  *options.layer, model.encoder_layers, model.decoder_layers));
  }
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeparator = " ||| ";

std::string score_text(double score) { return fmt::format("{:.4f}", score); }

/// Returns the text on one line: a space in place of white space that has a line end, as a text from JSON may have
/// between its sentences.
std::string on_one_line(const std::string& text) {
  const auto characters = decode_utf8(text);
  if (std::ranges::none_of(characters, is_line_end)) {
    return text;
  }
  std::u32string line;
  for (auto at = characters.begin(); at != characters.end();) {
    const auto end = std::find_if_not(at, characters.end(), is_unicode_space);
    if (std::any_of(at, end, is_line_end)) {
      line += U' ';
    } else {
      line.append(at, end);
    }
    at = std::find_if(end, characters.end(), is_unicode_space);
    line.append(end, at);
  }
  return encode_utf8(line);
}

/// Returns both scores of a candidate in an n-best list with their names.
std::string scores_text(const Candidate& candidate) {
  return fmt::format("score={} normalized_score={}", score_text(candidate.score),
                     score_text(candidate.normalized_score));
}

/// Returns the fields after the text or the score.
std::string details_text(const Candidate& candidate, const CandidateFields& fields) {
  std::string text;
  if (fields.alignments) {
    text += fmt::format("{}{}", kSeparator, alignment_line(candidate.alignment));
  }
  if (fields.word_scores) {
    std::vector<std::string> scores;
    for (const auto score : candidate.word_scores) {
      scores.push_back(score_text(score));
    }
    text += fmt::format("{}{}", kSeparator, fmt::join(scores, " "));
  }
  return text;
}

void add_fields(const Candidate& candidate, const CandidateFields& fields, Json& json) {
  json["tokens"] = candidate.tokens;
  if (fields.score || fields.word_scores) {
    json["token_scores"] = candidate.token_scores;
  }
  if (!fields.score) {
    json["truncated"] = candidate.truncated;
  }
  if (candidate.confidence) {
    json["confidence"] = *candidate.confidence;
  }
  if (!candidate.missing_terms.empty()) {
    json["missing_terms"] = candidate.missing_terms;
  }
  if (fields.alignments) {
    json["alignment"] = Json::array();
    for (const auto& pair : candidate.alignment) {
      json["alignment"].push_back({pair.source, pair.target});
    }
  }
  if (fields.word_scores) {
    json["word_scores"] = candidate.word_scores;
  }
}

/// Returns the candidates of an n-best list.
Json nbest_json(const std::vector<Candidate>& candidates, const CandidateFields& fields) {
  auto list = Json::array();
  for (const auto& candidate : candidates) {
    Json entry = {
        {"translation", candidate.text}, {"score", candidate.score}, {"normalized_score", candidate.normalized_score}};
    add_fields(candidate, fields, entry);
    list.push_back(std::move(entry));
  }
  return list;
}

/// Returns the parts of a line, which were translated one by one.
Json parts_json(const std::vector<TranslatedPart>& parts, const CandidateFields& fields, bool n_best) {
  auto list = Json::array();
  for (const auto& part : parts) {
    const auto& best = part.nbest.front();
    Json entry = {{"separator", part.separator},
                  {"source", part.source},
                  {"translation", best.text},
                  {"score", best.score},
                  {"truncated", best.truncated}};
    if (n_best) {
      entry["nbest"] = nbest_json(part.nbest, fields);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string candidate_text(const Candidate& candidate, const CandidateFields& fields) {
  return (fields.score ? score_text(candidate.score) : on_one_line(candidate.text)) + details_text(candidate, fields);
}

std::string nbest_text(const Translation& translation, const CandidateFields& fields, std::int64_t index) {
  std::vector<std::string> lines;
  const auto add = [&](const Candidate& candidate) {
    lines.push_back(fmt::format("{}{}{}{}{}{}", index, kSeparator, on_one_line(candidate.text), kSeparator,
                                scores_text(candidate), details_text(candidate, fields)));
  };
  for (const auto& candidate : translation.nbest) {
    add(candidate);
  }
  if (lines.empty()) {
    add(translation);  // a blank line
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Json translation_json(const Translation& translation, const CandidateFields& fields, bool n_best) {
  Json json = {{"source", translation.source}, {"translation", translation.text}, {"score", translation.score}};
  add_fields(translation, fields, json);
  if (translation.is_repaired) {
    json["repaired"] = true;
  }
  if (!translation.unknown_words.empty()) {
    json["unknown_words"] = translation.unknown_words;
  }
  if (!translation.unseen_words.empty()) {
    json["unseen_words"] = translation.unseen_words;
  }
  if (n_best) {
    json["nbest"] = nbest_json(translation.nbest, fields);
  }
  if (translation.parts.size() > 1) {
    json["parts"] = parts_json(translation.parts, fields, n_best);
  }
  return json;
}

void TranslationAccount::add(const Translation& translation) {
  ++lines_;
  subwords_ += std::ssize(translation.tokens);
  truncated_ += translation.truncated ? 1 : 0;
}

double TranslationAccount::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

ProgressLine TranslationAccount::progress_line(const std::optional<LineStream::Progress>& progress) const {
  const double elapsed = std::max(seconds(), 1e-3);
  const double rate = static_cast<double>(lines_) / elapsed;
  ProgressLine line;
  line.fields = {{counted(lines_, "line")},
                 {fmt::format("{:.0f} lines/s", rate), fmt::format("{}/s", brief_count(rate))}};
  if (progress && progress->done > 0) {
    line.share = std::min(static_cast<double>(progress->done) / static_cast<double>(progress->size), 1.0);
    const double left = elapsed / *line.share - elapsed;
    line.fields.push_back({format_duration(left) + " left", format_clock(left) + " left"});
  }
  return line;
}

std::string TranslationAccount::summary() const {
  return fmt::format("translated {} into {} in {:.4f} s, {} of them truncated", counted(lines_, "line"),
                     counted(subwords_, "subword"), seconds(), truncated_);
}

namespace {

constexpr std::int64_t kNamedLines = 5;

}  // namespace

void TranslationWarnings::add(const Translation& translation) {
  ++lines_;
  truncated_ += translation.truncated ? 1 : 0;
  const auto unknown = std::ssize(translation.unknown_words);
  unknown_ += unknown > 0 && 2 * unknown > std::ssize(words_of(translation.source)) ? 1 : 0;
  without_terms_ += translation.missing_terms.empty() ? 0 : 1;
  if (translation.suspiciously_short) {
    ++short_;
    if (short_ <= kNamedLines) {
      first_short_.push_back(lines_);
    }
  }
}

std::vector<std::string> TranslationWarnings::messages() const {
  std::vector<std::string> messages;
  if (truncated_ > 0) {
    messages.push_back(
        fmt::format("{} reached the length limit (decoding.max_length, decoding.max_length_ratio) "
                    "and {} truncated",
                    counted(truncated_, "translation"), truncated_ == 1 ? "is" : "are"));
  }
  if (unknown_ > 0) {
    messages.push_back(
        fmt::format("most words of {} are not in the vocabulary; is the text in the language that the model "
                    "translates from?",
                    counted(unknown_, "line")));
  }
  if (without_terms_ > 0) {
    messages.push_back(
        fmt::format("{} without a term of the glossary: the length limit has cut it off, or the vocabulary lacks its "
                    "characters (--json: missing_terms)",
                    counted(without_terms_, "translation")));
  }
  if (short_ > 0) {
    messages.push_back(fmt::format("{} {} suspiciously short for the source; text may be missing (line{} {}{})",
                                   counted(short_, "translation"), short_ == 1 ? "is" : "are", short_ == 1 ? "" : "s",
                                   fmt::join(first_short_, ", "), short_ > kNamedLines ? ", ..." : ""));
  }
  return messages;
}

void TranslationWarnings::log() const {
  for (const auto& message : messages()) {
    log_warning(message);
  }
}

TranslationOutput::TranslationOutput(const OutputOptions& options, std::unique_ptr<TranslationViewer> viewer)
    : options_(options),
      viewer_(std::move(viewer)),
      writer_(options.path),
      warnings_(options.lines_before),
      written_(options.lines_before) {}

CandidateFields TranslationOutput::candidate_fields() const {
  return {.alignments = options_.alignments, .word_scores = options_.word_scores, .score = options_.score};
}

nlohmann::ordered_json TranslationOutput::to_json(const Translation& translation) const {
  return options_.viewing.explain ? viewer_->explanation_json(translation)
                                  : translation_json(translation, candidate_fields(), options_.n_best);
}

std::string TranslationOutput::to_text(const Translation& translation) const {
  if (options_.viewing.explain) {
    return viewer_->explanation_text(translation);
  }
  auto fields = candidate_fields();
  fields.score = fields.score && !translation.nbest.empty();  // a blank pair has no score
  return options_.n_best ? nbest_text(translation, fields, written_) : candidate_text(translation, fields);
}

void TranslationOutput::write(const Translation& translation, const nlohmann::ordered_json& fields) {
  if (options_.viewing.together) {
    together_.push_back(translation);
  } else if (options_.json) {
    auto object = to_json(translation);
    add_missing_fields(fields, object);
    writer_.write(json_line(object));
  } else {
    writer_.write(to_text(translation));
  }
  ++written_;
  warnings_.add(translation);
  if (viewer_) {
    viewer_->add(translation);
  }
}

void TranslationOutput::write_error(const std::string& error, const nlohmann::ordered_json& fields) {
  if (options_.json) {
    nlohmann::ordered_json object = {{"error", error}};
    if (fields.is_object()) {
      add_missing_fields(fields, object);
    }
    writer_.write(json_line(object));
  } else {
    writer_.write(options_.n_best ? nbest_text({}, candidate_fields(), written_) : "");
    log_error(error);
  }
  ++written_;
  warnings_.add({});
}

void TranslationOutput::finish() {
  if (options_.viewing.together) {
    writer_.write(viewer_->batch_explanation(together_));
  }
  writer_.finish();
  warnings_.log();
  if (viewer_) {
    viewer_->finish();
  }
}

}  // namespace translate
