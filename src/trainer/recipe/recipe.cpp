#include "recipe/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checkpoint/manifest.h"
#include "core/counted.h"
#include "distillation/distillation.h"
#include "pairs/pair_preparation.h"
#include "training/advice.h"

namespace translate::trainer {

namespace {

constexpr std::uint64_t kTiny = 10'000;    // pairs; below, a model learns them by heart at once
constexpr std::uint64_t kSmall = 100'000;  // below, the paper's model is too large
constexpr double kEnoughSteps = 6000.0;

std::int64_t batch_tokens_for(std::uint64_t pairs) { return pairs < kTiny ? 1024 : pairs < kLargeText ? 2048 : 4096; }

/// With few pairs, a model learns whole words sooner than pieces of words, so 8,000 subwords at least. A text of very
/// few pairs does not have so many.
std::int64_t vocabulary_for(std::uint64_t pairs) {
  constexpr double kLeast = 8'000.0;
  constexpr double kMost = 16'000.0;
  constexpr double kMostOfAPair = 2.7;
  constexpr double kUnit = 500.0;
  const auto least = std::min(kMostOfAPair * static_cast<double>(pairs), kLeast);
  return static_cast<std::int64_t>(
      std::min(std::round(std::max(suitable_vocabulary(pairs), least) / kUnit) * kUnit, kMost));
}

double dropout_for(const TextFacts& facts, const ModelShape& shape) {
  const auto pairs = facts.pairs;
  if (!facts.written.empty()) {
    return 0.1;
  }
  if (pairs < kTiny) {
    return 0.3;
  }
  if (pairs < kSmall) {
    return shape.d_model > 128 ? 0.3 : 0.2;
  }
  return 0.1;
}

/// A number of steps that people like: of two digits.
std::int64_t rounded(double steps) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(steps, 1.0))) - 1.0));
  return static_cast<std::int64_t>(std::max(1.0, std::round(steps / unit) * unit));
}

/// If the learning rate rises faster, the model attends to the source much later (docs/recipe.md).
std::int64_t warm_up_for(double steps) {
  constexpr std::int64_t kFewest = 800;
  constexpr std::int64_t kMost = 1000;
  return std::clamp(rounded(0.1 * steps), std::min(rounded(steps / 3.0), kFewest), kMost);
}

double in_hundredths(double value) { return std::round(value * 100.0) / 100.0; }

/// The object at the path of a key's parent, which is made if it is missing.
void add_member(Json& root, const std::string& key, Json value) {
  Json* place = &root;
  std::size_t begin = 0;
  for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    place = &(*place)[key.substr(begin, dot - begin)];
    begin = dot + 1;
  }
  (*place)[key.substr(begin)] = std::move(value);
}

}  // namespace

std::vector<ModelShape> shapes_for(std::uint64_t pairs) {
  const ModelShape smallest{.d_model = 128, .layers = 4, .heads = 4, .d_ff = 256, .learning_rate = 0.005};
  if (pairs < kTiny) {
    return {smallest};
  }
  if (pairs < kSmall) {
    return {{.d_model = 256, .layers = 3, .heads = 4, .d_ff = 512, .learning_rate = 0.002}, smallest};
  }
  const ModelShape middle{.d_model = 256, .layers = 4, .heads = 4, .d_ff = 1024, .learning_rate = 0.002};
  if (pairs < kLargeText) {
    return {middle, smallest};
  }
  return {{.d_model = 512, .layers = 6, .heads = 8, .d_ff = 2048, .learning_rate = 0.001}, middle, smallest};
}

ModelShape shape_of(StudentSize size) {
  ModelShape shape{.d_model = 256,
                   .layers = 6,
                   .decoder_layers = 2,
                   .heads = 8,
                   .d_ff = 1536,
                   .learning_rate = 0.002,
                   .is_for_speed = true};
  if (size == StudentSize::kBase) {
    shape.d_model = 384;
    shape.learning_rate = 0.0014;
  } else if (size == StudentSize::kLarge) {
    shape.d_model = 512;
    shape.d_ff = 2048;
    shape.learning_rate = 0.001;
  }
  return shape;
}

std::string in_words(const ModelShape& shape) {
  return fmt::format("{} + {} layers, {} wide", shape.layers,
                     shape.decoder_layers > 0 ? shape.decoder_layers : shape.layers, shape.d_model);
}

Choice precision_choice(bool bf16) {
  return {.key = "training.precision",
          .value = bf16 ? "bf16" : "fp32",
          .reason = bf16 ? "this processor multiplies bf16, which takes about half the time"
                         : "this processor does not multiply bf16"};
}

std::vector<Choice> choices_for_shape(const TextFacts& facts, const ModelShape& shape, bool bf16) {
  std::vector<Choice> choices;
  const auto add = [&](std::string key, Json value, std::string reason = {}) {
    choices.push_back({std::move(key), std::move(value), std::move(reason)});
  };
  const auto as_json = [](const CorpusFiles& files) {
    return Json{{"source", files.source.string()}, {"target", files.target.string()}};
  };
  const auto files = [&](const std::filesystem::path& folder, const std::string& set) {
    return as_json(prepared_files(folder, set, facts.languages));
  };
  const auto& best = facts.clean.empty() ? facts.folder : facts.clean;
  const auto pairs = fmt::format("{} pairs", with_commas(static_cast<std::int64_t>(facts.pairs)));
  auto train = Json::array({files(facts.folder, "train")});
  if (!facts.clean.empty()) {
    train.push_back(files(best, "train"));
  }
  for (const auto& written : facts.written) {
    train.push_back(as_json(written));
  }
  add("data.train", train.size() == 1 ? train.front() : train,
      fmt::format("{}{}; without what harms a training, which left-out.tsv has",
                  facts.clean.empty() ? "the text" : "all text, and that of better quality",
                  facts.written.empty() ? "" : ", and what the teachers have written"));
  add("data.validation", files(best, "validation"), "held out at random; shares no side with the training text");
  add("data.test", files(best, "test"), "the same, for translate-eval alone");
  if (!facts.languages.source.empty()) {
    add("data.source_language", facts.languages.source);
  }
  if (!facts.languages.target.empty()) {
    add("data.target_language", facts.languages.target);
  }
  add("data.max_length", 128, "longer pairs take much memory and teach little");
  add("data.modifiers",
      {{"upper_case", 0.05}, {"title_case", 0.03}, {"final_punctuation", 0.1}, {"typos", 0.3}, {"noise", 0.005}},
      "so that capitals, missing stops and typos do not confuse the model");
  if (facts.teachers.tokenizers.empty()) {
    add("tokenizer.vocab_size", vocabulary_for(facts.pairs), "rises with the root of the pairs, from 8,000: " + pairs);
  } else {
    add("tokenizer.source_model", tokenizer_file(facts.teachers.tokenizers, kSourceTokenizer).string(),
        "this key and the next one: those of the teachers, so that all can translate together");
    add("tokenizer.target_model", tokenizer_file(facts.teachers.tokenizers, kTargetTokenizer).string());
  }
  add("model.d_model", shape.d_model, "the size of the model: for " + pairs + ", and for the steps that fit");
  if (shape.is_for_speed) {
    add("model.encoder_layers", shape.layers, "a shallow decoder translates fast");
    add("model.decoder_layers", shape.decoder_layers);
    add("model.decoder", "ssru", "recurrent units translate faster than self-attention");
    add("model.zero_start", true, "this key and the next three: as Marian has it, so that it can run the model");
    add("model.sinusoid_layout", "halves");
    add("model.sinusoid_frequencies", "tensor2tensor");
    add("tokenizer.source_sos", false);
  } else {
    add("model.num_layers", shape.layers);
  }
  add("model.num_heads", shape.heads);
  add("model.d_ff", shape.d_ff);
  add("model.dropout", dropout_for(facts, shape),
      facts.written.empty() ? "the fewer pairs for the size, the more"
                            : "there is much text, of which models wrote most");
  add("model.attention_dropout", 0, "the fast attention of the CPU knows no dropout");
  add("model.activation_dropout", 0);
  add("model.layer_norm", "torch");
  add("model.tie_embeddings", "all", "one table for all three embeddings: fewer parameters to learn");
  add("model.init", "scaled");
  add("training.batch_tokens", batch_tokens_for(facts.pairs), "small batches learn most from little text");
  add("training.learning_rate", shape.learning_rate, "for this size");
  if (facts.pairs < kLargeText) {
    add("training.guided_alignment", "auto",
        "the model sees sooner which words translate which, by a word aligner's links");
    if (facts.pairs < kTiny) {
      add("training.guided_alignment_weight", kGuidedAlignmentWeight, "the fewer pairs, the more");
    }
  }
  if (!facts.teachers.models.empty()) {
    add("training.teacher", facts.teachers.models, "what they predict is learnt besides the labels");
    add("training.teacher_weight", facts.teachers.weight);
  }
  choices.push_back(precision_choice(bf16));
  return choices;
}

Recipe choose_recipe(const TextFacts& facts, std::span<const MeasuredShape> measured, double minutes, bool bf16) {
  constexpr double kShareOfSteps = 0.95;  // the rest is for validation and checkpoints
  constexpr double kRDropEpochs = 120.0;
  constexpr double kValidations = 15.0;
  constexpr double kShareOfAllText = 0.75;
  constexpr int kPatienceWithAllText = 4;
  const auto seconds = 60.0 * minutes * kShareOfSteps;
  const auto steps_of = [&](const MeasuredShape& one) { return seconds / one.step_seconds; };
  const auto enough = std::ranges::find_if(measured, [&](const auto& one) { return steps_of(one) >= kEnoughSteps; });
  const auto& chosen = enough == measured.end() ? measured.back() : *enough;

  Recipe recipe{.choices = choices_for_shape(facts, chosen.shape, bf16), .shape = chosen.shape};
  const auto tokens = static_cast<double>(batch_tokens_for(facts.pairs));
  const auto epochs_in = [&](double steps) { return steps * tokens / std::max(1.0, facts.target_tokens); };
  recipe.steps = steps_of(chosen);
  const bool has_time = epochs_in(recipe.steps) >= kRDropEpochs;
  recipe.steps /= has_time ? 2.0 : 1.0;
  recipe.epochs = epochs_in(recipe.steps);

  const auto add = [&](std::string key, Json value, std::string reason = {}) {
    recipe.choices.push_back({std::move(key), std::move(value), std::move(reason)});
  };
  const auto every = std::clamp(rounded(recipe.steps / kValidations), std::int64_t{50}, std::int64_t{2000});
  const auto fitting =
      fmt::format("about {} steps, {:.0f} epochs, fit", with_commas(rounded(recipe.steps)), recipe.epochs);
  if (has_time) {
    add("training.r_drop", 5, "there is time to read the text often: two passes with different dropout should agree");
  }
  add("training.max_steps", 0, "no limit but the time");
  add("training.max_minutes", in_hundredths(minutes), fitting);
  if (!facts.clean.empty() && facts.written.empty()) {
    add("training.stages",
        {{{"minutes", in_hundredths(kShareOfAllText * minutes)}, {"patience", kPatienceWithAllText}},
         {{"weights", {0, 1}}}},
        "first all text, then that of better quality alone");
  }
  add("training.schedule", "inverse_sqrt", "has no end that must be known");
  add("training.warmup_steps", warm_up_for(recipe.steps),
      "a tenth of the steps, at least 800 and at most 1,000; a third of fewer steps");
  add("training.clip_grad_norm", 1);
  add("training.ema_decay", recipe.steps < 3000.0 ? 0.995 : 0.999, "the average of the weights translates better");
  add("training.validate_every", every, fmt::format("{:.0f} times", recipe.steps / static_cast<double>(every)));
  add("training.checkpoint_every", every);
  add("training.keep_last", 1);
  add("training.keep_best", 1);
  add("training.patience", 10, "ends early once ten validations in a row were no better");
  add("training.show_translations", 3);
  add("decoding.max_length", 128);
  add("decoding.beam_size", 4);
  add("decoding.length_penalty_kind", "average",
      "by the mean log-probability of a subword; gnmt prefers shorter translations");
  add("decoding.length_penalty", 1);
  return recipe;
}

std::string recipe_file(std::span<const Choice> choices, std::span<const std::string> head) {
  Json root = Json::object();
  for (const auto& choice : choices) {
    add_member(root, choice.key, choice.value);
  }
  std::string text;
  for (const auto& line : head) {
    text += "// " + line + "\n";
  }
  text += "{\n";
  for (auto object = root.begin(); object != root.end(); ++object) {
    text += fmt::format("  {}: {{\n", Json(object.key()).dump());
    for (auto member = object->begin(); member != object->end(); ++member) {
      const auto key = object.key() + "." + member.key();
      const auto choice = std::ranges::find(choices, key, &Choice::key);
      const bool is_last = std::next(member) == object->end();
      const bool has_reason =
          choice != choices.end() && !choice->reason.empty();  // a nested object is no choice itself
      text += fmt::format("    {}: {}{}{}\n", Json(member.key()).dump(), member->dump(), is_last ? "" : ",",
                          has_reason ? "  // " + choice->reason : "");
    }
    text += std::next(object) == root.end() ? "  }\n" : "  },\n";
  }
  return text + "}\n";
}

}  // namespace translate::trainer
