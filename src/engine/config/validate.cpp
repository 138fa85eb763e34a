#include "config/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "config/text_checks.h"
#include "core/error.h"

namespace translate {

namespace {

/// A higher peak is not a learning rate for Adam, but a leftover factor of the noam schedule under another schedule.
constexpr double kLargestPeak = 0.1;
constexpr std::int64_t kStartAndEnd = 2;

/// The keys whose faults also come from options of the programs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOptionsOfKeys = {
    {{"decoding.beam_size", "--beam-size"},
     {"decoding.n_best", "--n-best"},
     {"decoding.min_length", "--min-length"},
     {"decoding.temperature", "--temperature"},
     {"decoding.top_k", "--top-k"},
     {"decoding.top_p", "--top-p"},
     {"decoding.epsilon", "--epsilon"}}};

void check_positions(const Config& config, Faults& faults) {
  const ModelOptions& model = config.model;
  if (model.positions == PositionKind::kSinusoidal && model.d_model % 2 != 0) {
    faults.push_back(
        {"model.d_model",
         fmt::format("expected an even number with sinusoidal positions, got {}: sines and cosines come in "
                     "pairs",
                     model.d_model),
         {"model.positions"}});
  }
  if (model.positions != PositionKind::kLearned) {
    return;
  }
  const auto check = [&](const char* key, std::int64_t length, std::int64_t tags) {
    const std::int64_t needed = length + kStartAndEnd + tags;
    if (needed > model.max_positions) {
      faults.push_back({"model.max_positions",
                        fmt::format("expected at least {} with learned positions ({} {}, start and end{}), got {}: "
                                    "raise it or lower {}",
                                    needed, key, length, tags > 0 ? ", and a tag" : "", model.max_positions, key),
                        {"model.positions", key}});
    }
  };
  check("data.max_length", config.data.max_length, has_language_tags(config.data) ? 1 : 0);
  check("decoding.max_length", config.decoding.max_length, 0);
}

/// Whether both languages have the same subwords under the same ids.
bool have_one_vocabulary(const TokenizerOptions& tokenizer) {
  const bool one_file =
      tokenizer.target_vocabulary.empty() || tokenizer.target_vocabulary == tokenizer.source_vocabulary;
  return tokenizer.shared || (!tokenizer.source_vocabulary.empty() && one_file);
}

/// A layer and a head that give alignments, by the keys `prefix`_layer and `prefix`_head, must be those of the model.
void check_aligning_attention(const ModelOptions& model, const std::string& prefix,
                              const std::optional<std::int64_t>& layer, const std::optional<std::int64_t>& head,
                              Faults& faults) {
  const auto layer_key = prefix + "_layer";
  const auto head_key = prefix + "_head";
  if (layer && *layer >= model.decoder_layers) {
    faults.push_back(
        {layer_key,
         fmt::format("expected one of the {} decoder layers, counted from 0, got {}", model.decoder_layers, *layer),
         {"model.decoder_layers"}});
  }
  if (head && *head >= model.num_heads) {
    faults.push_back({head_key,
                      fmt::format("expected one of the {} heads, counted from 0, got {}", model.num_heads, *head),
                      {"model.num_heads"}});
  }
  if (head && !layer) {
    faults.push_back({head_key,
                      fmt::format("is a head of {}, which is not set: set it, or leave the head out", layer_key),
                      {layer_key}});
  }
}

void check_model(const Config& config, Faults& faults) {
  const ModelOptions& model = config.model;
  if (model.d_model % model.num_heads != 0) {
    faults.push_back({"model.num_heads",
                      fmt::format("d_model must be a multiple of it, but {} is not a multiple of {}", model.d_model,
                                  model.num_heads),
                      {"model.d_model"}});
  }
  if (model.tie_embeddings == EmbeddingTying::kAll && !have_one_vocabulary(config.tokenizer)) {
    faults.push_back(
        {"model.tie_embeddings",
         "\"all\" needs one vocabulary for both languages: set tokenizer.shared to true, or use \"decoder\"",
         {"tokenizer.shared"}});
  }
  check_positions(config, faults);
  check_aligning_attention(model, "model.alignment", model.alignment_layer, model.alignment_head, faults);
  check_aligning_attention(model, "model.input_alignment", model.input_alignment_layer, model.input_alignment_head,
                           faults);
}

void check_schedule(const TrainingOptions& training, Faults& faults) {
  if (falls_to_max_steps(training.schedule) && training.max_steps <= training.warmup_steps) {
    faults.push_back(
        {"training.max_steps",
         fmt::format("the {} schedule falls to 0 at this step: expected more than warmup_steps ({}), got {}",
                     to_string(training.schedule), training.warmup_steps, training.max_steps),
         {"training.schedule", "training.warmup_steps"}});
  }
  if (training.schedule != ScheduleKind::kNoam && training.learning_rate > kLargestPeak) {
    faults.push_back({"training.learning_rate",
                      fmt::format("the peak of the {} schedule, expected at most {} (0.0005 is a good start), got {}: "
                                  "only noam takes a factor",
                                  to_string(training.schedule), kLargestPeak, training.learning_rate),
                      {"training.schedule"}});
  }
}

void check_optimizer(const OptimizerOptions& optimizer, Faults& faults) {
  const auto check = [&](const char* key, bool is_given) {
    if (is_given && optimizer.type != OptimizerType::kMuon) {
      faults.push_back({fmt::format("training.optimizer.{}", key),
                        "has an effect only with Muon: set training.optimizer.type to \"muon\", or leave it out",
                        {"training.optimizer.type"}});
    }
  };
  check("momentum", optimizer.momentum != OptimizerOptions().momentum);
  check("matrix_update", optimizer.matrix_update != OptimizerOptions().matrix_update);
}

/// R-Drop compares two passes that differ by their dropout masks alone; SimCut's second pass has less to read.
void check_two_passes(const Config& config, Faults& faults) {
  if (config.training.r_drop > 0 && config.training.sim_cut > 0) {
    faults.push_back({"training.sim_cut",
                      "a batch is computed twice either for SimCut or for R-Drop: set one of the two to 0",
                      {"training.r_drop"}});
  }
  const ModelOptions& model = config.model;
  const WordDropoutOptions& words = config.training.word_dropout;
  const bool differ = model.dropout > 0 || model.attention_dropout.value_or(0) > 0 ||
                      model.activation_dropout.value_or(0) > 0 || words.source > 0 || words.target > 0;
  if (config.training.r_drop > 0 && !differ) {
    faults.push_back(
        {"training.r_drop",
         "both passes over a batch would be the same: set model.dropout (or another dropout), or leave r_drop out",
         {"model.dropout", "model.attention_dropout", "model.activation_dropout", "training.word_dropout"}});
  }
  const bool has_two_passes = config.training.r_drop > 0 || config.training.sim_cut > 0;
  if (const auto& sampling = config.tokenizer.sampling; sampling.second_pass && (!sampling.source || !has_two_passes)) {
    faults.push_back({"tokenizer.sampling.second_pass",
                      "needs drawn segmentations of the source and a second pass: set tokenizer.sampling.source, and "
                      "training.r_drop or training.sim_cut, or leave it out",
                      {"tokenizer.sampling.source", "training.r_drop", "training.sim_cut"}});
  }
}

/// The links of a pair hold for the subwords that it was encoded in.
void check_guided_alignment(const Config& config, Faults& faults) {
  const bool is_on = config.training.guided_alignment != GuidedAlignment::kOff;
  if (!is_on && !config.data.modifiers.need_links() && has_alignments(config.data.train)) {
    faults.push_back({"data.train",
                      "`alignment` has an effect only with training.guided_alignment \"auto\", or with the modifiers "
                      "placeholders, keep, tags and terms: set one of these, or leave it out",
                      {"training.guided_alignment"}});
  }
  const auto& sampling = config.tokenizer.sampling;
  if (is_on && ((sampling.source && !sampling.second_pass) || sampling.target)) {
    faults.push_back(
        {"training.guided_alignment",
         "links the subwords of each pair once, and tokenizer.sampling draws others in every epoch: switch "
         "one of the two off",
         {"tokenizer.sampling"}});
  }
  if (!is_on && config.training.guided_alignment_weight != TrainingOptions().guided_alignment_weight) {
    faults.push_back({"training.guided_alignment_weight",
                      "has an effect only with training.guided_alignment: set it to \"auto\", or leave the weight out",
                      {"training.guided_alignment"}});
  }
}

/// The predictions for a pair hold for the labels that it was encoded in.
void check_teacher(const Config& config, Faults& faults) {
  const auto& training = config.training;
  if (training.teacher.empty() && training.teacher_weight != TrainingOptions().teacher_weight) {
    faults.push_back({"training.teacher_weight",
                      "has an effect only with training.teacher: set it, or leave the weight out",
                      {"training.teacher"}});
  }
  if (!training.teacher.empty() && config.tokenizer.sampling.target) {
    faults.push_back(
        {"training.teacher",
         "predicts the labels of each pair once, and tokenizer.sampling.target draws others in every epoch: "
         "switch one of the two off",
         {"tokenizer.sampling"}});
  }
}

void check_batches(const TrainingOptions& training, Faults& faults) {
  if (training.batch_tokens.is_auto() && training.batch_sentences > 0) {
    faults.push_back({"training.batch_tokens",
                      fmt::format("\"auto\" sizes batches by tokens, but batch_sentences = {} sizes them by sentences: "
                                  "leave one of them out",
                                  training.batch_sentences),
                      {"training.batch_sentences"}});
  }
}

/// Batches of a fixed length hold every training pair, and a learned table has a position for each column.
void check_padding(const Config& config, Faults& faults) {
  const auto pad_to = config.training.pad_to;
  if (pad_to == 0) {
    return;
  }
  if (config.training.batch_tokens.is_auto()) {
    faults.push_back(
        {"training.pad_to",
         "\"auto\" sizes batches by the memory of unpadded sentences: give training.batch_tokens a number, "
         "or leave pad_to out",
         {"training.batch_tokens"}});
  }
  const auto longest = config.data.max_length + kStartAndEnd + (has_language_tags(config.data) ? 1 : 0);
  if (pad_to < longest) {
    faults.push_back({"training.pad_to",
                      fmt::format("expected at least {}, the longest training sentence (data.max_length {}, start and "
                                  "end), got {}: raise it or lower data.max_length",
                                  longest, config.data.max_length, pad_to),
                      {"data.max_length"}});
  }
  if (config.model.positions == PositionKind::kLearned && pad_to > config.model.max_positions) {
    faults.push_back({"training.pad_to",
                      fmt::format("expected at most model.max_positions ({}) with learned positions, got {}",
                                  config.model.max_positions, pad_to),
                      {"model.positions", "model.max_positions"}});
  }
}

void check_limits(const Config& config, Faults& faults) {
  const TrainingOptions& training = config.training;
  if (training.patience > 0 && !has_validation(config.data)) {
    faults.push_back({"training.patience", "counts validations, but there is no data.validation", {"data.validation"}});
  } else if (training.max_steps == 0 && training.max_epochs == 0 && training.max_minutes == 0 &&
             training.patience == 0 && (training.stages.empty() || !training.stages.back().has_end())) {
    faults.push_back({"training",
                      "the run would never end: set a limit (max_steps, max_epochs, max_minutes or patience)",
                      {"training.max_steps", "training.max_epochs", "training.max_minutes", "training.patience"}});
  }
}

/// Whether the options of a distillation are as they are without one, but for those that turn it on.
bool is_plain(DistillationOptions options) {
  options.teachers = 0;
  options.teacher.clear();
  return options == DistillationOptions();
}

/// The settings that a student cannot have of its own.
void check_student_settings(const Config& config, Faults& faults) {
  for (const auto& setting : config.distillation.student) {
    const auto key = setting.substr(0, setting.find('='));
    for (const std::string_view fixed : {"data.train", "training.seed", "run_dir", "distillation"}) {
      if (key == fixed || key.starts_with(std::string(fixed) + ".")) {
        faults.push_back({"distillation.student", fmt::format("{} is not for a student alone", key), {}});
      }
    }
  }
  Config student = config;
  try {
    override_config(student, config.distillation.student, "distillation.student");
  } catch (const ConfigError& error) {
    faults.push_back({"distillation.student", error.what(), {}});
  }
}

void check_distillation(const Config& config, Faults& faults) {
  const auto& options = config.distillation;
  if (!is_on(options)) {
    if (!is_plain(options)) {
      faults.push_back({"distillation",
                        "has an effect only with teachers: set teachers or teacher, or leave it out (--teachers 0)",
                        {"distillation.teachers", "distillation.teacher"}});
    }
    return;
  }
  const auto add = [&](const char* key, const std::string& message, std::vector<std::string> others) {
    faults.push_back({key, message, std::move(others)});
  };
  if (options.teachers > 0 && !options.teacher.empty()) {
    add("distillation.teacher", "the teachers are ready, or they are trained: leave teacher or teachers out",
        {"distillation.teachers"});
  }
  const bool has_reverse = options.teachers > 0 || !options.reverse.empty();
  if (!has_reverse && (options.reverse_weight > 0.0 || options.left_out > 0.0)) {
    add(options.left_out > 0.0 ? "distillation.left_out" : "distillation.reverse_weight",
        "needs a model of the other direction: set reverse, or leave it out", {"distillation.reverse"});
  }
  if ((options.n_best > 1) != (options.reverse_weight > 0.0 || options.reference_weight > 0.0)) {
    add("distillation.n_best",
        "several translations, and reverse_weight or reference_weight to choose one by, go together: set both or "
        "neither",
        {"distillation.reverse_weight", "distillation.reference_weight"});
  }
  if (config.data.validation.files.empty()) {
    add("distillation",
        "needs validation files: pairs held out of each training's own text would judge a student by what its teachers "
        "have read",
        {"data.validation"});
  }
  if (has_language_tags(config.data) || has_markup(config.data.train)) {
    add("distillation", "corpora with languages of their own or with markup are not translated anew: leave it out",
        {"data.train"});
  }
  if (std::ranges::any_of(config.training.stages, [](const auto& stage) { return !stage.weights.empty(); })) {
    add("training.stages", "weights are those of the corpora of data.train, and students read more: leave them out",
        {"distillation.teachers", "distillation.teacher"});
  }
  if (options.teacher_weight > 0.0 && config.tokenizer.sampling.target) {
    add("distillation.teacher_weight",
        "teachers predict the labels of each pair once, and tokenizer.sampling.target draws others in every epoch: "
        "switch one of the two off",
        {"tokenizer.sampling"});
  }
  check_student_settings(config, faults);
}

void check_decoding(const DecodingOptions& decoding, Faults& faults) {
  if (decoding.beam_size > kMostHypotheses) {  // of an imported model: a configuration's range is checked as it is read
    faults.push_back(
        {"decoding.beam_size", fmt::format("expected at most {}, got {}", kMostHypotheses, decoding.beam_size), {}});
  }
  if (!decoding.sampling && decoding.n_best > decoding.beam_size) {
    faults.push_back({"decoding.n_best",
                      fmt::format("a search with beam_size {} cannot give {} translations: raise beam_size, or draw "
                                  "them (sampling)",
                                  decoding.beam_size, decoding.n_best),
                      {"decoding.beam_size", "decoding.sampling"}});
  }
  if (decoding.min_length > decoding.max_length) {
    faults.push_back({"decoding.min_length",
                      fmt::format("expected at most max_length ({}), got {}", decoding.max_length, decoding.min_length),
                      {"decoding.max_length"}});
  }
  const auto check = [&](const char* key, bool is_given) {
    if (is_given && !decoding.sampling) {
      faults.push_back({key,
                        "has an effect only with sampling: set decoding.sampling to true (--sampling), or leave it out",
                        {"decoding.sampling"}});
    }
  };
  check("decoding.temperature", decoding.temperature != 1.0);
  check("decoding.top_k", decoding.top_k != 0);
  check("decoding.top_p", decoding.top_p != 1.0);
  check("decoding.epsilon", decoding.epsilon != 0.0);
}

void throw_faults(const Faults& faults, const std::string& file) {
  std::string message;
  for (const KeyFault& fault : faults) {
    message += fmt::format("{}{}{}: {}", message.empty() ? "" : "\n", file.empty() ? "" : file + ": ",
                           describe_key(fault.key), fault.message);
  }
  if (!message.empty()) {
    throw ConfigError(message);
  }
}

/// Vocabularies of whole words have neither symbols inside of words nor made-up names. (A ready model knows its own
/// type.)
void check_changed_words(const Config& config, Faults& faults) {
  const auto& tokenizer = config.tokenizer;
  const auto& modifiers = config.data.modifiers;
  const bool is_ready = !tokenizer.source_model.empty() || !tokenizer.target_model.empty();
  const bool has_words = tokenizer.type == TokenizerType::kWord || tokenizer.type == TokenizerType::kWordLevel;
  const auto check = [&](const char* key, double probability, const char* what) {
    if (probability > 0.0 && has_words && !is_ready) {
      faults.push_back({key,
                        fmt::format("needs {}, which \"{}\" tokenizers do not have: use \"bpe\", \"unigram\" or "
                                    "\"char\", or leave it out",
                                    what, to_string(tokenizer.type)),
                        {"tokenizer.type"}});
    }
  };
  check("data.modifiers.placeholders", modifiers.placeholders, "symbols inside of words");
  check("data.modifiers.tags", modifiers.tags, "symbols inside of words");
  check("data.modifiers.terms", modifiers.terms, "symbols inside of words");
  check("data.modifiers.keep", modifiers.keep, "parts of words");
}

}  // namespace

bool falls_to_max_steps(ScheduleKind schedule) {
  return schedule == ScheduleKind::kCosine || schedule == ScheduleKind::kLinear;
}

bool has_validation(const DataOptions& data) { return !data.validation.files.empty() || data.validation.fraction > 0; }

std::string describe_key(const std::string& key) {
  const auto* option =
      std::ranges::find(kOptionsOfKeys, std::string_view(key), [](const auto& pair) { return pair.first; });
  return option == kOptionsOfKeys.end() ? key : fmt::format("{} ({})", key, option->second);
}

std::vector<KeyFault> find_faults(const Config& config) {
  Faults faults;
  check_data(config.data, faults);
  check_tokenizer(config.tokenizer, faults);
  check_changed_words(config, faults);
  check_model(config, faults);
  check_batches(config.training, faults);
  check_padding(config, faults);
  check_schedule(config.training, faults);
  check_optimizer(config.training.optimizer, faults);
  check_two_passes(config, faults);
  check_guided_alignment(config, faults);
  check_teacher(config, faults);
  check_limits(config, faults);
  check_stages(config, faults);
  check_decoding(config.decoding, faults);
  check_distillation(config, faults);
  return faults;
}

std::vector<KeyFault> find_model_faults(const Config& config) {
  Faults faults;
  check_tokenizer(config.tokenizer, faults);
  check_model(config, faults);
  check_decoding(config.decoding, faults);
  return faults;
}

void validate(const Config& config, const std::string& file) { throw_faults(find_faults(config), file); }

void validate_model(const Config& config, const std::string& file) { throw_faults(find_model_faults(config), file); }

void validate_decoding(const Config& config, const std::string& file) {
  Faults faults;
  check_decoding(config.decoding, faults);
  throw_faults(faults, file);
}

}  // namespace translate
