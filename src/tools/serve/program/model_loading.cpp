#include "serve/program/model_loading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/logging.h"
#include "decoding/translator.h"
#include "languages/directions.h"
#include "languages/language_names.h"
#include "serve/http/http_bodies.h"
#include "text/tokenizer.h"

namespace translate::tools {

void add_model_options(CLI::App& app, ModelArguments& arguments) {
  add_checkpoint_options(app, arguments.checkpoint);
  app.add_option(
         "--model", arguments.further,
         "A further model, or in place of --checkpoint each of several (repeatable): the name that --checkpoint "
         "takes, after the codes of its languages if it should not have its own (fr:de=runs/fr-de/best; fr:= "
         "names the source alone, and of several targets the one after the colon is served); languages that the model "
         "names itself can have other codes, but not become others")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("WHICH");
  app.add_flag("--no-pivot", arguments.no_pivot,
               "Do not translate through a third language where no model has the direction");
  app.add_flag("--learn", arguments.learn,
               "Also offer /learn, a page in which a browser computes a small model, to experiment with; it gives the "
               "weights to everyone who opens it");
  app.add_option("--source-language", arguments.languages.source,
                 "The code of the source language for clients (default: the configuration's data.source_language, "
                 "otherwise the extension of the training file, such as de of train.de.gz, otherwise source)")
      ->type_name("CODE");
  app.add_option("--target-language", arguments.languages.target,
                 "The code of the target language for clients (default: in the same way); of a model with several "
                 "targets, the one to serve (default: all)")
      ->type_name("CODE");
  app.add_option("--alternatives", arguments.alternatives,
                 "The most alternatives that a request may ask for; they come from the beam (default: 3, or as many "
                 "as the beam gives)")
      ->check(CLI::Range(0, 64))
      ->type_name("N");
  add_splitting_option(app, arguments.decoding);
  add_raw_option(app, arguments.decoding, "--no-raw");
  add_keep_option(app, arguments.decoding);
  add_glossary_option(app, arguments.decoding);
  add_decoding_options(app, arguments.decoding);
}

std::vector<ModelChoice> model_choices(const ModelArguments& arguments) {
  std::vector<ModelChoice> choices;
  if (arguments.checkpoint.chosen || arguments.further.empty()) {
    choices.push_back({.options = arguments.checkpoint, .languages = arguments.languages});
  } else {
    for (const auto& [option, value] : {std::pair("--config", &arguments.checkpoint.config),
                                        std::pair("--tokenizers", &arguments.checkpoint.tokenizers),
                                        std::pair("--source-language", &arguments.languages.source),
                                        std::pair("--target-language", &arguments.languages.target)}) {
      if (!value->empty()) {
        throw ConfigError(
            fmt::format("{} concerns the model of --checkpoint, which is missing; the languages of a "
                        "--model are named before it: --model SOURCE:TARGET=WHICH",
                        option));
      }
    }
  }
  for (const auto& text : arguments.further) {
    auto [name, languages] = read_named_model(text);
    CheckpointOptions options;
    options.checkpoint = std::move(name);
    options.chosen = true;
    choices.push_back({.options = std::move(options), .languages = std::move(languages)});
  }
  return choices;
}

namespace {

TranslateLines make_translate_lines(const std::shared_ptr<const InferenceModel>& model, const TokenizerPair& tokenizers,
                                    const TranslatorOptions& options) {
  const auto translator = std::make_shared<Translator>(model, tokenizers.source, tokenizers.target, options);
  return [translator](LineSource& lines) { translator->translate(lines); };
}

/// Tells how clients name the languages of a model that names none itself, unless the user does.
void tell_codes(const ModelFacts& facts, const DataOptions& data, const LanguageCodes& given) {
  const bool is_told = !given.source.empty() && !given.target.empty();
  const bool is_configured =
      name_languages(data.train) || (!data.source_language.empty() && !data.target_language.empty());
  if (!is_told && !is_configured && facts.directions.size() == 1) {
    const auto& [source, target, tag] = facts.directions.front();
    log_info(fmt::format(
        "the configuration of the model {} does not name its languages: clients call them {} and {} (to name them: "
        "--source-language CODE, --target-language CODE, or --model SOURCE:TARGET=WHICH; for new models "
        "data.source_language, data.target_language)",
        facts.name, source, target));
  }
}

/// Returns the page to experiment with a model, for its first direction.
std::string page_of(const std::vector<LoadedModel>& models, const ModelFacts& facts, const PageMaker& make_page) {
  auto translating = translator_options(models.front().config);
  translating.language_tag = facts.directions.front().tag;
  return make_page(models, facts.name, translating);
}

}  // namespace

namespace {

constexpr const char* kOneDirection =
    "--glossary: its terms are those of one direction, and this server has several; give them with each request, in "
    "its "
    "field glossary";

}  // namespace

ModelLoader::ModelLoader(const ModelArguments& arguments, const ComputeOptions& computing, const QueueOptions& queue,
                         PageMaker make_page)
    : choices_(model_choices(arguments)),
      alternatives_(arguments.alternatives),
      make_page_(arguments.learn ? std::move(make_page) : nullptr),
      decoding_(arguments.decoding),
      computing_(computing),
      queue_(queue) {
  if (arguments.learn && !make_page_) {
    throw ConfigError("--learn: this translate-serve is built without the page to experiment with");
  }
  if (!decoding_.glossary.empty() && choices_.size() > 1) {
    throw ConfigError(kOneDirection);
  }
  if (!decoding_.shortlist.empty() && choices_.size() > 1) {
    throw ConfigError("--shortlist: it belongs to the vocabulary of one model, and this server has several");
  }
}

ModelSource ModelLoader::open(std::size_t index) const { return {choices_.at(index).options, Verify::kServing}; }

ModelTranslators ModelLoader::make_translators(const std::vector<LoadedModel>& models, ModelFacts& facts) const {
  constexpr std::int64_t kAlternatives = 3;
  auto options = options_for_models(models);
  options.source_words = source_words_of(models);
  options.split_sentences = models.front().config.decoding.split_sentences != SentenceSplitting::kOff;
  options.raw = decoding_.raw.value_or(false);
  options.keep = kept_terms(decoding_);
  options.shortlist = read_shortlist(decoding_.shortlist, models.front().tokenizers);
  if (!decoding_.glossary.empty() && facts.directions.size() > 1) {
    throw ConfigError(kOneDirection);
  }
  const auto& direction = facts.directions.front();
  options.glossary = glossary_of(decoding_, {.source = direction.source, .target = direction.target});
  options.warn = false;  // lines have no numbers here, and the client that sent a suspicious one does not read the log
  const auto is_other = [&](const Direction& one) { return one.source != facts.directions.front().source; };
  if (std::ranges::any_of(facts.directions, is_other)) {
    options.source_language.clear();  // lines are split without a language's abbreviations
  }
  const auto& decoding = options.decoding;
  const auto most = decoding.sampling ? kAlternatives : std::min(kAlternatives, decoding.beam_size - 1);
  facts.max_alternatives = alternatives_.value_or(static_cast<int>(most));
  const auto model = open_models(models, computing_);
  facts.bytes = model->weight_bytes();
  const auto& tokenizers = models.front().tokenizers;
  ModelTranslators translators;
  options.decoding.n_best = 1;
  translators.plain = make_translate_lines(model, tokenizers, options);
  if (facts.max_alternatives > 0) {
    options.decoding.n_best = facts.max_alternatives + 1;
    translators.several = make_translate_lines(model, tokenizers, options);
  }
  return translators;
}

LoadedServedModel ModelLoader::load(std::size_t index, const ModelSource& source) const {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  const auto& [options, given] = choices_.at(index);
  name_default_model(options, source);
  auto stamps = source.stamps();  // before the files are read: a later change then counts as one
  auto models = source.load_all();
  auto& config = models.front().config;
  ModelFacts facts{.name = source.title(), .directions = {}};
  facts.directions = named_directions(directions(config, models.front().tokenizers.source), named_sides(config.data),
                                      given, source.name());
  tell_codes(facts, config.data, given);
  auto wanted = decoding_;
  wanted.n_best = alternatives_.value_or(0) + 1;
  apply_decoding_options(wanted, config);
  auto translators = make_translators(models, facts);
  if (make_page_) {
    facts.learn_page = share_body(page_of(models, facts, make_page_));
  }
  auto text = fmt::format("{}, {}, {:.1f} MiB of weights", source.path().string(), directions_text(facts.directions),
                          static_cast<double>(facts.bytes) / kMebibyte);
  return {.model = std::make_unique<ServedModel>(std::move(facts), std::move(translators), queue_),
          .text = std::move(text),
          .stamps = std::move(stamps)};
}

}  // namespace translate::tools
