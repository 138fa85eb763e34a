#include "recipe/general_text.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/logging.h"
#include "corpora/corpus_reader.h"
#include "pairs/pair_preparation.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

std::uintmax_t bytes_of(const std::vector<CorpusFiles>& corpora) {
  std::uintmax_t bytes = 0;
  for (const auto& files : corpora) {
    bytes += fs::file_size(files.source) + fs::file_size(files.target);
  }
  return bytes;
}

}  // namespace

std::optional<GeneralText> find_general_text(const RunText& run, const Config& start) {
  constexpr std::uintmax_t kMostBytes = 100'000'000;  // more takes minutes to encode, and a training reads little of it
  if (!run.general.empty()) {
    const auto set = [&](const char* name) { return std::vector{corpus_of(run, run.general, name)}; };
    return GeneralText{.training = set("train"), .validation = set("validation"), .test = set("test")};
  }
  const auto& data = start.data;
  if (!are_there(data.validation.files)) {
    return std::nullopt;
  }
  GeneralText text{.training = {}, .validation = data.validation.files, .test = data.test};
  if (!are_there(text.test)) {
    text.test = text.validation;
  }
  if (are_there(data.train) && bytes_of(data.train) <= kMostBytes) {
    text.training = data.train;
  }
  log_info(fmt::format("general text: {} that the model was trained with",
                       text.training.empty() ? "the validation text" : "the text"));
  return text;
}

}  // namespace translate::trainer
