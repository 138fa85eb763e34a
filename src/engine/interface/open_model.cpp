#include "interface/open_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "config/config_file.h"
#include "config/validate.h"
#include "core/error.h"
#include "core/threads.h"
#include "decoding/glossary_file.h"
#include "decoding/target_choice.h"
#include "languages/directions.h"
#include "languages/language_names.h"

namespace translate {

namespace {

/// Returns the terms of the file, between the languages of the model, and of translate_options_add_term; null if there
/// are none.
std::shared_ptr<const Glossary> glossary_of(const translate_options& options, const LanguageCodes& languages) {
  auto terms = options.terms;
  if (!options.glossary.empty()) {
    const auto of_file = read_glossary(options.glossary, languages)->terms();
    terms.insert(terms.end(), of_file.begin(), of_file.end());
  }
  return terms.empty() ? nullptr : std::make_shared<const Glossary>(std::move(terms));
}

TranslatorOptions translator_options_of(std::vector<LoadedModel> files, const translate_options& options) {
  auto& config = files.front().config;
  override_config(config, options.decoding, "option");
  validate_decoding(config);
  auto translating = options_for_models(files);
  translating.alignments = options.alignments;
  translating.word_scores = options.word_scores;
  translating.raw = options.raw.value_or(config.decoding.n_best > 1);
  translating.shortlist = read_shortlist(options.shortlist, files.front().tokenizers);
  translating.keep = std::make_shared<const KeptTerms>(options.keep);
  translating.split_sentences = config.decoding.split_sentences != SentenceSplitting::kOff;
  choose_target(directions(config, files.front().tokenizers.source), options.target_language, "target_language",
                translating);
  translating.glossary =
      glossary_of(options, {.source = translating.source_language, .target = translating.target_language});
  if (translating.glossary && config.decoding.sampling) {
    throw ConfigError("option glossary: samples are drawn freely; set beam_size in place of sampling");
  }
  return translating;
}

std::unique_ptr<translate_model> make_model(std::shared_ptr<const OpenModel> shared, const TranslatorOptions& options) {
  const auto& tokenizers = shared->files.front().tokenizers;
  Translator translator(shared->weights, tokenizers.source, tokenizers.target, options);
  return std::unique_ptr<translate_model>(new translate_model{
      .shared = std::move(shared), .options = options, .mutex = {}, .translator = std::move(translator)});
}

}  // namespace

std::unique_ptr<translate_model> open_model(const char* checkpoint, const translate_options& options) {
  auto choice = options.checkpoint;
  choice.checkpoint = checkpoint;
  (void)set_kernel_threads(options.threads);
  OpenModel open{.files = ModelSource(choice, Verify::kInference).load_all(), .weights = nullptr};
  const auto translating = translator_options_of(open.files, options);  // before the weights are read
  open.weights = open_models(open.files, options.computing);
  for (auto& file : open.files) {
    file.weights = {};
  }
  return make_model(std::make_shared<const OpenModel>(std::move(open)), translating);
}

std::unique_ptr<translate_model> with_options(const translate_model& model, const translate_options& options) {
  if (!options.of_opening.empty()) {
    throw ConfigError(fmt::format("option {}: it is that of the model that was opened, and cannot be another",
                                  fmt::join(options.of_opening, ", ")));
  }
  return make_model(model.shared, translator_options_of(model.shared->files, options));
}

}  // namespace translate
