#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "core/file.h"
#include "support/folders.h"

namespace translate {
namespace {

const std::filesystem::path kConfigs = project_folder() / "configs";

/// For every key a value that is not its default.
const std::vector<std::pair<std::string, std::string>>& other_values() {
  static const std::vector<std::pair<std::string, std::string>> values = {
      {"data.train", R"([{"source": "/a.en", "target": "/a.fr"},
                         {"source": ["/b.en", "/c.en"], "target": ["/b.fr", "/c.fr"], "weight": 2.5,
                          "source_language": "en", "target_language": "pt-BR", "markup": "html",
                          "alignment": ["/b.align", "/c.align"]}])"},
      {"data.sampling_temperature", "5.0"},
      {"data.validation", R"({"fraction": 0.125})"},
      {"data.test", R"([{"source": "/t.en", "target": "/t.fr"}])"},
      {"data.source_language", R"("en")"},
      {"data.target_language", R"("fr é \" \\")"},
      {"data.max_length", "77"},
      {"data.max_length_ratio", "2.5"},
      {"data.modifiers.upper_case", "0.07"},
      {"data.modifiers.title_case", "0.05"},
      {"data.modifiers.lower_case", "0.01"},
      {"data.modifiers.final_punctuation", "0.2"},
      {"data.modifiers.typos", "0.15"},
      {"data.modifiers.typo_words", "0.3"},
      {"data.modifiers.noise", "0.005"},
      {"data.modifiers.joined", "0.02"},
      {"data.modifiers.placeholders", "0.1"},
      {"data.modifiers.keep", "0.05"},
      {"data.modifiers.tags", "0.04"},
      {"data.modifiers.terms", "0.06"},
      {"data.cache_dir", R"("/cache")"},
      {"tokenizer.type", R"("unigram")"},
      {"tokenizer.vocab_size", "12345"},
      {"tokenizer.min_frequency", "2"},
      {"tokenizer.shared", "false"},
      {"tokenizer.character_coverage", "0.9995"},
      {"tokenizer.byte_fallback", "true"},
      {"tokenizer.normalization", R"("identity")"},
      {"tokenizer.target_normalization", R"("nfc")"},
      {"tokenizer.ignorable", R"("keep")"},
      {"tokenizer.pretokenized", "true"},
      {"tokenizer.sampling.source", "true"},
      {"tokenizer.sampling.target", "true"},
      {"tokenizer.sampling.alpha", "0.3"},
      {"tokenizer.sampling.nbest", "64"},
      {"tokenizer.sampling.second_pass", "true"},
      {"tokenizer.source_model", R"("/m/source.spm")"},
      {"tokenizer.target_model", R"("/m/target.spm")"},
      {"tokenizer.source_vocabulary", R"("/m/vocab.json")"},
      {"tokenizer.target_vocabulary", R"("/m/target_vocab.json")"},
      {"tokenizer.source_sos", "false"},
      {"model.d_model", "96"},
      {"model.num_layers", "9"},
      {"model.encoder_layers", "12"},
      {"model.decoder_layers", "2"},
      {"model.decoder", R"("ssru")"},
      {"model.num_heads", "3"},
      {"model.d_ff", "100"},
      {"model.dropout", "0.2"},
      {"model.attention_dropout", "0.0"},
      {"model.activation_dropout", "0.05"},
      {"model.layer_drop", "0.15"},
      {"model.norm", R"("post")"},
      {"model.layer_norm", R"("torch")"},
      {"model.layer_norm_epsilon", "1e-05"},
      {"model.embedding_scale", "false"},
      {"model.positions", R"("learned")"},
      {"model.sinusoid_layout", R"("halves")"},
      {"model.sinusoid_frequencies", R"("tensor2tensor")"},
      {"model.zero_start", "true"},
      {"model.activation", R"("swish")"},
      {"model.tie_embeddings", R"("decoder")"},
      {"model.attention_bias", "true"},
      {"model.init", R"("scaled")"},
      {"model.max_positions", "1000"},
      {"model.alignment_layer", "2"},
      {"model.alignment_head", "3"},
      {"model.input_alignment_layer", "1"},
      {"model.input_alignment_head", "2"},
      {"training.batch_tokens", "1000"},
      {"training.batch_sentences", "32"},
      {"training.pad_to", "300"},
      {"training.accumulation_steps", "4"},
      {"training.stages", R"([{"weights": [1, 0.5], "modifiers": {"typos": 0.2}, "steps": 100},
                              {"epochs": 1.5, "corpus": 1}, {"minutes": 3, "patience": 2}])"},
      {"training.optimizer.type", R"("muon")"},
      {"training.optimizer.beta1", "0.8"},
      {"training.optimizer.beta2", "0.999"},
      {"training.optimizer.epsilon", "1e-08"},
      {"training.optimizer.momentum", "0.9"},
      {"training.optimizer.matrix_update", "0.3"},
      {"training.optimizer.weight_decay", "0.01"},
      {"training.schedule", R"("cosine")"},
      {"training.warmup_steps", "123"},
      {"training.learning_rate", "0.0005"},
      {"training.label_smoothing", "0.0"},
      {"training.r_drop", "5.0"},
      {"training.sim_cut", "3.0"},
      {"training.sim_cut_probability", "0.1"},
      {"training.word_dropout.source", "0.1"},
      {"training.word_dropout.target", "0.05"},
      {"training.guided_alignment", R"("auto")"},
      {"training.guided_alignment_weight", "0.05"},
      {"training.teacher", R"("a,b")"},
      {"training.teacher_weight", "0.4"},
      {"training.ema_decay", "0.999"},
      {"training.clip_grad_norm", "1.5"},
      {"training.max_steps", "0"},
      {"training.max_epochs", "7"},
      {"training.max_minutes", "0.5"},
      {"training.patience", "5"},
      {"training.validate_every", "250"},
      {"training.show_translations", "2"},
      {"training.log_every", "1"},
      {"training.tensorboard", "false"},
      {"training.checkpoint_every", "500"},
      {"training.keep_last", R"("all")"},
      {"training.keep_best", "0"},
      {"training.gradient_precision", R"("bf16")"},
      {"training.if_not_finite", R"("skip")"},
      {"training.best_metric", R"("loss")"},
      {"training.bleu_tokenization", R"("zh")"},
      {"training.precision", R"("bf16")"},
      {"training.fused_kernels", "false"},
      {"training.seed", "18446744073709551615"},
      {"decoding.max_length", "99"},
      {"decoding.max_length_ratio", "1.5"},
      {"decoding.batch_tokens", "1024"},
      {"decoding.split_sentences", "false"},
      {"decoding.beam_size", "7"},
      {"decoding.n_best", "3"},
      {"decoding.length_penalty", "-0.5"},
      {"decoding.length_penalty_kind", R"("average")"},
      {"decoding.min_length", "2"},
      {"decoding.no_repeat_ngram", "3"},
      {"decoding.repetition_penalty", "1.2"},
      {"decoding.sampling", "true"},
      {"decoding.temperature", "0.7"},
      {"decoding.top_k", "50"},
      {"decoding.top_p", "0.9"},
      {"decoding.epsilon", "0.02"},
      {"decoding.seed", "18446744073709551615"},
      {"distillation.teachers", "2"},
      {"distillation.teacher", R"("a,b")"},
      {"distillation.reverse", R"("c")"},
      {"distillation.drawn", "5"},
      {"distillation.n_best", "4"},
      {"distillation.reverse_weight", "0.3"},
      {"distillation.reference_weight", "1.5"},
      {"distillation.shortlist", "20"},
      {"distillation.left_out", "0.05"},
      {"distillation.rounds", "2"},
      {"distillation.teacher_weight", "0.3"},
      {"distillation.student", R"({"model.dropout": 0.1, "training.precision": "bf16"})"},
      {"run_dir", R"("/runs/x")"},
  };
  return values;
}

/// {"model": {"d_model": VALUE}} for "model.d_model".
std::string nested(const std::string& path, const std::string& value) {
  std::string text = value;
  std::stringstream names(path);
  std::vector<std::string> parts;
  for (std::string part; std::getline(names, part, '.');) {
    parts.push_back(part);
  }
  std::reverse(parts.begin(), parts.end());
  for (const std::string& part : parts) {
    text = fmt::format("{{\"{}\": {}}}", part, text);
  }
  return text;
}

Config read(const std::string& text) { return config_from_json_text(text, "test.json", "/base"); }

std::string row_of(const KeyDescription& key) {
  return fmt::format("| `{}` | {} | `{}` | {} |", key.path, key.type, key.default_value, key.comment);
}

TEST(KeysTest, OtherValuesCoverEveryKey) {
  std::vector<std::string> covered;
  for (const auto& [path, value] : other_values()) {
    covered.push_back(path);
  }
  std::vector<std::string> known;
  for (const KeyDescription& key : describe_keys()) {
    known.push_back(key.path);
  }
  EXPECT_EQ(covered, known);
}

TEST(KeysTest, EveryKeySetsItsOptionAloneAndSurvivesWritingAndReading) {
  for (const auto& [path, value] : other_values()) {
    SCOPED_TRACE(path);
    const Config changed = read(nested(path, value));
    EXPECT_NE(changed, Config{});
    EXPECT_EQ(read(config_to_json(changed)), changed);
    const std::vector<std::string> expected =
        path == "model.num_layers" ? std::vector<std::string>{"model.encoder_layers", "model.decoder_layers"}
                                   : std::vector<std::string>{path};
    EXPECT_EQ(changed_keys(Config{}, changed), expected);
    if (path != "model.num_layers") {
      EXPECT_EQ(find_key(path)->write(changed), Json::parse(value));
    }
  }
}

TEST(KeysTest, AllKeysAtOnceSurviveWritingAndReading) {
  Config config;
  for (const auto& [path, value] : other_values()) {
    const Key& key = *find_key(path);
    key.copy(read(nested(path, value)), config);
  }
  EXPECT_EQ(read(config_to_json(config)), config);
  EXPECT_EQ(changed_keys(Config{}, config).size(), other_values().size() - 1);  // num_layers is no option of its own
  EXPECT_EQ(read(config_to_json(Config{})), Config{});
  EXPECT_EQ(read("{}"), Config{});
}

TEST(KeysTest, EveryNameOfEveryEnumerationIsRead) {
  const auto check = [](auto value, const std::string& path) {
    for (const auto& entry : enum_names(value)) {
      EXPECT_EQ(from_string<decltype(value)>(entry.name), entry.value);
      const Config config = read(nested(path, fmt::format("\"{}\"", entry.name)));
      EXPECT_EQ(find_key(path)->write(config), std::string(entry.name));
      EXPECT_EQ(to_string(entry.value), entry.name);
    }
    EXPECT_EQ(from_string<decltype(value)>("none of them"), std::nullopt);
  };
  check(TokenizerType{}, "tokenizer.type");
  check(Normalization{}, "tokenizer.normalization");
  check(Normalization{}, "tokenizer.target_normalization");
  check(IgnorableCharacters{}, "tokenizer.ignorable");
  check(NormPlacement{}, "model.norm");
  check(LayerNormKind{}, "model.layer_norm");
  check(PositionKind{}, "model.positions");
  check(Activation{}, "model.activation");
  check(EmbeddingTying{}, "model.tie_embeddings");
  check(Initialization{}, "model.init");
  check(OptimizerType{}, "training.optimizer.type");
  check(ScheduleKind{}, "training.schedule");
  check(GuidedAlignment{}, "training.guided_alignment");
  check(BestMetric{}, "training.best_metric");
  check(BleuTokenization{}, "training.bleu_tokenization");
  check(Precision{}, "training.precision");
  check(LengthPenaltyKind{}, "decoding.length_penalty_kind");
}

TEST(KeysTest, DefaultsAreThoseOfTheReferenceAndThePaper) {
  const Config config;
  EXPECT_EQ(config.model.d_model, 512);
  EXPECT_EQ(config.model.encoder_layers, 6);
  EXPECT_EQ(config.model.decoder_layers, 6);
  EXPECT_EQ(config.model.num_heads, 8);
  EXPECT_EQ(config.model.d_ff, 2048);
  EXPECT_EQ(config.model.dropout, 0.1);
  EXPECT_EQ(config.model.norm, NormPlacement::kPre);
  EXPECT_EQ(config.training.optimizer, (OptimizerOptions{.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9}));
  EXPECT_EQ(config.training.warmup_steps, 4000);
  EXPECT_EQ(config.training.label_smoothing, 0.1);
  EXPECT_EQ(config.tokenizer.character_coverage, 1.0);
}

TEST(KeysTest, ResumingMayChangeWhatDoesNotShapeTheWeights) {
  const std::set<std::string> expected = {"data.test",
                                          "data.source_language",
                                          "data.target_language",
                                          "model.alignment_layer",
                                          "model.alignment_head",
                                          "model.input_alignment_layer",
                                          "model.input_alignment_head",
                                          "training.max_steps",
                                          "training.max_epochs",
                                          "training.max_minutes",
                                          "training.patience",
                                          "training.validate_every",
                                          "training.show_translations",
                                          "training.log_every",
                                          "training.tensorboard",
                                          "training.checkpoint_every",
                                          "training.keep_last",
                                          "training.keep_best",
                                          "training.gradient_precision",
                                          "training.if_not_finite",
                                          "run_dir",
                                          "data.cache_dir"};
  for (const KeyDescription& key : describe_keys()) {
    const bool may_change = expected.contains(key.path) || key.path.starts_with("decoding.");
    EXPECT_EQ(may_change_on_resume(key.path), may_change) << key.path;
  }
  EXPECT_FALSE(may_change_on_resume("no.such.key"));
}

TEST(KeysTest, ReadmeHasTheRowOfEveryKeyAndNoOther) {
  std::vector<std::string> documented;
  std::stringstream readme(read_file(kConfigs / "README.md"));
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("| `")) {
      documented.push_back(line);
    }
  }
  std::vector<std::string> expected;
  for (const KeyDescription& key : describe_keys()) {
    expected.push_back(row_of(key));
  }
  for (const std::string& row : expected) {
    EXPECT_NE(std::find(documented.begin(), documented.end(), row), documented.end()) << "configs/README.md lacks\n"
                                                                                      << row;
  }
  for (const std::string& row : documented) {
    EXPECT_NE(std::find(expected.begin(), expected.end(), row), expected.end()) << "configs/README.md is out of date:\n"
                                                                                << row;
  }
  EXPECT_EQ(documented.size(), expected.size());
}

}  // namespace
}  // namespace translate
