#include "recipe/test_score.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/logging.h"
#include "corpora/corpus_reader.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "translate/translate.h"

namespace translate::trainer {

void report_test_score(const Config& config) {
  const auto& files = config.data.test.front();
  const auto references = read_lines(files.target);
  // With beam search as translations are made later, and raw, as translate-eval measures.
  translate_mt::Model model((config.run_dir / "best").string(), {{"raw", "true"}});
  std::vector<std::string> translations;
  for (auto& translation : model.translate(read_lines(files.source))) {
    translations.push_back(std::move(translation.text));
  }
  const std::vector<std::string> all_references[] = {references};
  const auto score = [&](const CorpusMetric& metric, std::string_view name) {
    return metric.score(SentenceCounts(metric, name, translations, all_references).sums());
  };
  log_info(fmt::format("test: BLEU {:.2f}, chrF {:.2f} on {} that training has not seen",
                       score(Bleu({.tokenization = config.training.bleu_tokenization}), "BLEU"), score(Chrf(), "chrF"),
                       counted(references.size(), "pair")));
}

}  // namespace translate::trainer
