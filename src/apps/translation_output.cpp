#include "translate/apps/translation_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "translate/apps/truncation.h"
#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/core/logging.h"

namespace translate {
namespace {

/// What is wrong with the place should be known before the work is done.
void check_place(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder) || std::filesystem::is_directory(file)) {
    throw RuntimeError(fmt::format("cannot write {}: {}", file.string(),
                                   std::filesystem::is_directory(file) ? "it is a folder" : "no such folder"));
  }
}

}  // namespace

TranslationOutput::TranslationOutput(const OutputOptions& options, const LoadedModel& loaded, const PassOptions& where,
                                     const std::string& title)
    : options_(options), loaded_(loaded), where_(where), writer_(options.path) {
  check_layer(options.explanation, loaded.config.model);
  if (!options.attention.empty()) {
    check_place(options.attention);
    page_.emplace(loaded, where, title);
  }
}

std::string TranslationOutput::to_line(const Translation& translation) const {
  if (options_.explain) {
    return options_.json ? explanation_json(loaded_, translation, options_.explanation, where_)
                         : explanation_text(loaded_, translation, options_.explanation, where_);
  }
  if (!options_.json) {
    return translation.text;
  }
  const nlohmann::ordered_json object = {{"source", translation.source},
                                         {"translation", translation.text},
                                         {"score", translation.score},
                                         {"tokens", translation.tokens},
                                         {"truncated", translation.truncated}};
  return object.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

void TranslationOutput::write(const Translation& translation) {
  writer_.write(to_line(translation));
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
  write_file_atomically(options_.attention, page_->html());
  log_info(fmt::format("wrote {}: open it in a browser", options_.attention));
}

}  // namespace translate
