#include "recipe/translation_score.h"

#include <string_view>
#include <utility>

#include "corpora/corpus_reader.h"
#include "languages/language_tags.h"
#include "metrics/chrf.h"
#include "translate/translate.h"

namespace translate::trainer {

ScoredText read_scored_text(const std::vector<CorpusFiles>& corpora, std::size_t most) {
  ScoredText all;
  for (const auto& files : corpora) {
    for (auto& line : read_lines(files.source)) {
      all.sources.push_back(with_language_tag(files.target_language, std::move(line)));
    }
    for (auto& line : read_lines(files.target)) {
      all.references.push_back(std::move(line));
    }
  }
  if (all.sources.size() <= most) {
    return all;
  }
  ScoredText sample;
  for (std::size_t i = 0; i < most; ++i) {
    const auto place = i * all.sources.size() / most;
    sample.sources.push_back(std::move(all.sources[place]));
    sample.references.push_back(std::move(all.references[place]));
  }
  return sample;
}

TranslationScore score_translations(const std::filesystem::path& checkpoint, const ScoredText& text,
                                    BleuTokenization tokenization) {
  translate_mt::Model model(checkpoint.string(), {{"raw", "true"}});
  std::vector<std::string> translations;
  for (auto& translation : model.translate(text.sources)) {
    translations.push_back(std::move(translation.text));
  }
  const std::vector<std::string> references[] = {text.references};
  const auto score = [&](const CorpusMetric& metric, std::string_view name) {
    return metric.score(SentenceCounts(metric, name, translations, references).sums());
  };
  return {.bleu = score(Bleu({.tokenization = tokenization}), "BLEU"), .chrf = score(Chrf(), "chrF")};
}

}  // namespace translate::trainer
