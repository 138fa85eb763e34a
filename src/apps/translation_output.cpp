#include "translate/apps/translation_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "translate/apps/json_input.h"
#include "translate/apps/json_line.h"
#include "translate/apps/truncation.h"
#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/core/logging.h"

namespace translate {
namespace {

/// What is wrong with the place of a page should be known before the work is done. The file it stands for, links
/// followed.
std::filesystem::path page_place(const OutputOptions& options) {
  const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(options.attention));
  const auto fail = [&](const char* why) {
    throw RuntimeError(fmt::format("cannot write {}: {}", options.attention, why));
  };
  if (!std::filesystem::is_directory(file.parent_path())) {
    fail("no such folder");
  }
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file)) {
    fail(std::filesystem::is_directory(file) ? "it is a folder" : "it is no regular file");
  }
  for (const auto& [option, other] : {std::pair("--input", options.input), std::pair("--output", options.path)}) {
    if (!other.empty() && std::filesystem::weakly_canonical(std::filesystem::absolute(other)) == file) {
      throw ConfigError(fmt::format("--attention and {} name the same file, {}", option, other));
    }
  }
  return file;
}

}  // namespace

TranslationOutput::TranslationOutput(const OutputOptions& options, const LoadedModel& loaded, const PassOptions& where,
                                     const std::string& title)
    : options_(options), loaded_(loaded), where_(where) {
  check_layer(options.explanation, loaded.config.model);
  if (!options.attention.empty()) {
    page_place_ = page_place(options);
    page_.emplace(loaded, where, title);
  }
  writer_.emplace(options.path);
}

CandidateFields TranslationOutput::candidate_fields() const {
  return {.alignments = options_.alignments, .word_scores = options_.word_scores, .score = options_.score};
}

nlohmann::ordered_json TranslationOutput::to_json(const Translation& translation) const {
  return options_.explain ? explanation_json(loaded_, translation, options_.explanation, where_)
                          : translation_json(translation, candidate_fields(), options_.n_best);
}

std::string TranslationOutput::to_text(const Translation& translation) const {
  if (options_.explain) {
    return explanation_text(loaded_, translation, options_.explanation, where_);
  }
  const auto fields = candidate_fields();
  return options_.n_best ? nbest_text(translation, fields, written_) : candidate_text(translation, fields);
}

void TranslationOutput::write(const Translation& translation, const nlohmann::ordered_json& fields) {
  if (options_.json) {
    auto object = to_json(translation);
    add_missing_fields(fields, object);
    writer_->write(json_line(object));
  } else {
    writer_->write(to_text(translation));
  }
  ++written_;
  truncated_ += translation.truncated ? 1 : 0;
  if (page_) {
    page_->add(translation);
  }
}

void TranslationOutput::finish() {
  warn_of_truncation(truncated_);
  if (!page_) {
    return;
  }
  if (page_->is_overfull()) {
    log_warning(fmt::format("{}: shows the first {} sentences", options_.attention, AttentionPage::kMostSentences));
  }
  write_file_atomically(page_place_, page_->html());
  log_info(fmt::format("wrote {}: open it in a browser", options_.attention));
}

}  // namespace translate
