#include "translate/apps/translation_output.h"

#include <utility>

#include "translate/apps/translation_text.h"
#include "translate/apps/truncation.h"

namespace translate {

TranslationOutput::TranslationOutput(const OutputOptions& options, std::unique_ptr<TranslationViewer> viewer)
    : options_(options), viewer_(std::move(viewer)), writer_(options.path) {}

std::string TranslationOutput::to_lines(const Translation& translation) const {
  if (viewer_) {
    if (auto explanation = viewer_->explanation(translation)) {
      return *std::move(explanation);
    }
  }
  const CandidateFields fields{
      .alignments = options_.alignments, .word_scores = options_.word_scores, .score = options_.score};
  if (options_.json) {
    return translation_json(translation, fields, options_.n_best);
  }
  return options_.n_best ? nbest_text(translation, fields, written_) : candidate_text(translation, fields);
}

void TranslationOutput::write(const Translation& translation) {
  writer_.write(to_lines(translation));
  ++written_;
  truncated_ += translation.truncated ? 1 : 0;
  if (viewer_) {
    viewer_->add(translation);
  }
}

void TranslationOutput::finish() {
  warn_of_truncation(truncated_);
  if (viewer_) {
    viewer_->finish();
  }
}

}  // namespace translate
