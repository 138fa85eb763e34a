#include "translate/apps/translation_output.h"

#include <utility>

#include "translate/apps/json_input.h"
#include "translate/apps/json_line.h"
#include "translate/core/logging.h"

namespace translate {

TranslationOutput::TranslationOutput(const OutputOptions& options, std::unique_ptr<TranslationViewer> viewer)
    : options_(options), viewer_(std::move(viewer)), writer_(options.path) {}

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
  fields.score = fields.score && !translation.nbest.empty();  // a blank pair has none
  return options_.n_best ? nbest_text(translation, fields, written_) : candidate_text(translation, fields);
}

void TranslationOutput::write(const Translation& translation, const nlohmann::ordered_json& fields) {
  if (options_.json) {
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
  writer_.finish();
  warnings_.log();
  if (viewer_) {
    viewer_->finish();
  }
}

}  // namespace translate
