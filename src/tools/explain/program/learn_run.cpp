#include "explain/program/learn_run.h"

#include <fmt/format.h>

#include <utility>

#include "core/file.h"
#include "core/logging.h"
#include "core/system/allocator.h"
#include "decoding/target_choice.h"
#include "decoding/translator.h"
#include "explain/learn/learn_page.h"
#include "explain/page_place.h"
#include "languages/directions.h"
#include "operators/operator_model.h"
#include "tensors/device.h"

namespace translate::tools {

void write_learn_page(const LearnRunOptions& options) {
  const auto place = page_place("--learn", options.page);
  keep_freed_memory();
  (void)trainer::set_threads(options.common.threads);
  const ModelSource source(options.checkpoint, Verify::kInference);
  if (options.checkpoint.random_weights) {  // to draw those of a large model would take long
    check_page_size(source.config().model, /*sizes=*/{});
  }
  auto models = source.load_all(trainer::draw_weights);
  auto& model = models.front();
  apply_decoding_options(options.decoding, model.config);
  auto translating = translator_options(model.config);
  choose_target(directions(model.config, model.tokenizers.source), options.target_language, kTargetLanguageOption,
                translating);
  if (!translating.missing_tag_warning.empty()) {
    log_warning(translating.missing_tag_warning);
  }
  const auto page = learn_page(
      models, {.title = source.title(), .sentences = options.sentences, .translating = std::move(translating)});
  name_default_model(options.checkpoint, source);
  write_file_atomically(place, page);
  log_info(fmt::format("wrote {}: open it in a browser", options.page));
}

}  // namespace translate::tools
