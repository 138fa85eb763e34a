#include "recipe/test_score.h"

#include <fmt/format.h>

#include <limits>

#include "core/counted.h"
#include "core/logging.h"
#include "recipe/translation_score.h"

namespace translate::trainer {

std::filesystem::path report_test_score(const Config& config) {
  const auto text = read_scored_text({config.data.test.front()}, std::numeric_limits<std::size_t>::max());
  const auto score = score_translations(config.run_dir / "best", text, config.training.bleu_tokenization);
  log_info(fmt::format("test: BLEU {:.2f}, chrF {:.2f} on {} that training has not seen", score.bleu, score.chrf,
                       counted(text.sources.size(), "pair")));
  return {};
}

}  // namespace translate::trainer
