#include "translate/apps/model_viewer.h"

#include <fmt/format.h>

#include <utility>

#include "translate/apps/explanation.h"
#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/core/logging.h"

namespace translate {
namespace {

/// What is wrong with the place of a page should be known before the work is done. The file it stands for, links
/// followed.
std::filesystem::path page_place(const OutputOptions& options) {
  const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(options.viewing.attention));
  const auto fail = [&](const char* why) {
    throw RuntimeError(fmt::format("cannot write {}: {}", options.viewing.attention, why));
  };
  if (!std::filesystem::is_directory(file.parent_path())) {
    fail("no such folder");
  }
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file)) {
    fail(std::filesystem::is_directory(file) ? "it is a folder" : "it is not a regular file");
  }
  for (const auto& [option, other] : {std::pair("--input", options.input), std::pair("--output", options.path)}) {
    if (!other.empty() && std::filesystem::weakly_canonical(std::filesystem::absolute(other)) == file) {
      throw ConfigError(fmt::format("--attention and {} name the same file, {}", option, other));
    }
  }
  return file;
}

}  // namespace

ModelViewer::ModelViewer(const OutputOptions& options, ObservedModel model, const std::string& title)
    : options_(options), model_(std::move(model)) {
  check_layer(options_.viewing, model_.config.model);
  if (!options_.viewing.attention.empty()) {
    page_place_ = page_place(options_);
    page_.emplace(model_, title);
  }
}

std::string ModelViewer::explanation_text(const Translation& translation) const {
  return translate::explanation_text(model_, translation, options_.viewing);
}

nlohmann::ordered_json ModelViewer::explanation_json(const Translation& translation) const {
  return translate::explanation_json(model_, translation, options_.viewing);
}

void ModelViewer::add(const Translation& translation) {
  if (page_) {
    page_->add(translation);
  }
}

void ModelViewer::finish() {
  if (!page_) {
    return;
  }
  const auto& file = options_.viewing.attention;
  if (page_->is_overfull()) {
    log_warning(fmt::format("{}: shows the first {} sentences", file, AttentionPage::kMostSentences));
  }
  write_file_atomically(page_place_, page_->html());
  log_info(fmt::format("wrote {}: open it in a browser", file));
}

}  // namespace translate
