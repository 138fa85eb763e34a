#include "translate/apps/evaluation_text.h"

#include <vector>

#include "translate/core/error.h"
#include "translate/core/logging.h"
#include "translate/data/moved_text.h"
#include "translate/data/training_data.h"

namespace translate {
namespace {

constexpr const char* kAdvice = "; give --source FILE --reference FILE";

/// The same files where they are now.
void find_text(std::vector<CorpusFiles>& files, const std::vector<CorpusSum>& sums, const RunPlaces& run,
               const std::string& key) {
  try {
    files = find_moved_text(files, sums, run, key);
  } catch (const DataError& error) {
    throw DataError(error.what() + std::string(kAdvice));
  }
}

bool has_validation(const DataOptions& data) { return !data.validation.files.empty() || data.validation.fraction > 0; }

}  // namespace

ParallelCorpus read_evaluation_text(const ModelSource& model, const std::string& split) {
  auto config = model.config();
  auto& data = config.data;
  const bool falls_back = split.empty() && data.test.empty() && has_validation(data);
  const bool wants_test = split != "validation" && !falls_back;
  if (falls_back) {
    log_info(
        "data.test: the run's configuration names no test set; evaluating on its validation set, which training has "
        "used to choose checkpoints (to use another text: --source FILE --reference FILE)");
  }
  if (const auto checkpoint = model.checkpoint()) {
    const RunPlaces run{.then = config.run_dir, .now = checkpoint->run_folder()};
    const auto sums = checkpoint->text_sums().value_or(TextSums());
    if (wants_test) {
      find_text(data.test, sums.test, run, "data.test");
    } else if (data.validation.fraction > 0) {
      find_text(data.train, sums.train, run, "data.train");
    } else {
      find_text(data.validation.files, sums.validation, run, "data.validation");
    }
  }
  return wants_test ? read_test_text(config) : read_validation_text(config);
}

}  // namespace translate
