#include "interop/export/huggingface_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "checkpoint/manifest.h"
#include "checkpoint/model_card.h"
#include "checkpoint/safetensors_writing.h"
#include "core/file.h"
#include "core/logging.h"
#include "interop/export/huggingface_tokenizer.h"
#include "interop/export/huggingface_weights.h"
#include "interop/export/json_file.h"
#include "interop/import/huggingface_generation.h"
#include "model/memory_need.h"

namespace translate::tools {

using Json = nlohmann::ordered_json;

namespace {

/// The sizes and rates that encoder and decoder have one each of.
void add_stacks(const ModelOptions& options, Json& config) {
  for (const auto& [stack, layers] :
       {std::pair("encoder", options.encoder_layers), std::pair("decoder", options.decoder_layers)}) {
    const auto key = [stack = stack](const char* name) { return fmt::format("{}_{}", stack, name); };
    config[key("layers")] = layers;
    config[key("attention_heads")] = options.num_heads;
    config[key("ffn_dim")] = options.d_ff;
    config[key("layerdrop")] = options.layer_drop;
  }
}

void add_ids(const ModelToExport& model, Json& config) {
  const auto& special = model.tokenizers.target.special_tokens();
  config["bos_token_id"] = special.sos;
  config["eos_token_id"] = special.eos;
  config["pad_token_id"] = special.pad;
  config["decoder_start_token_id"] = decoder_start_id(model);
  config["forced_eos_token_id"] = nullptr;  // a translation that reaches the limit ends without eos
}

/// The settings that transformers does not have, with which an import of the folder translates as the model does.
Json own_settings(const Config& config) {
  const auto& decoding = config.decoding;
  Json own = {{"max_source_length", config.data.max_length},
              {"max_length_ratio", decoding.max_length_ratio},
              {"length_penalty_kind", to_string(decoding.length_penalty_kind)}};
  if (decoding.sampling) {
    own["seed"] = decoding.seed;
  }
  if (decoding.split_sentences != SentenceSplitting::kAuto) {
    own["split_sentences"] = decoding.split_sentences == SentenceSplitting::kOn;
  }
  return own;
}

bool is_gnmt(const DecodingOptions& decoding) {
  return decoding.length_penalty != 0.0 && decoding.length_penalty_kind == LengthPenaltyKind::kGnmt;
}

constexpr const char* kUse = R"(With `pip install transformers torch`{}:

```python
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForSeq2SeqLM.from_pretrained(".")
found = model.generate(**tokenizer(["The cat sat."], return_tensors="pt", padding=True))
{}
```
)";

std::string use(ExportedTokenizers tokenizers) {
  const bool are_two = tokenizers == ExportedTokenizers::kTwo;
  const std::string decode = are_two ? "target = AutoTokenizer.from_pretrained(\"./target\")\n"
                                       "print(target.batch_decode(found, skip_special_tokens=True)[0])"
                                     : "print(tokenizer.batch_decode(found, skip_special_tokens=True)[0])";
  return fmt::format(kUse, tokenizers == ExportedTokenizers::kMarian ? " and `sentencepiece`" : "", decode);
}

/// Sentences on what is different there.
std::vector<std::string> differences(const ModelToExport& model) {
  std::vector<std::string> notes;
  const auto& decoding = model.config.decoding;
  if (is_gnmt(decoding)) {
    notes.push_back(fmt::format(
        "The length penalty of the model's own search, ((5 + length) / 6)^{0}, cannot be expressed in transformers, "
        "which "
        "has length^{0}: translations of a beam search may differ. With `length_penalty=0.0`, or with `num_beams=1`, "
        "they are the same.",
        decoding.length_penalty));
  }
  if (exported_positions(model.config.model) == ExportedPositions::kStored &&
      huggingface_class(model.config.model) == HuggingFaceClass::kMarian) {
    notes.emplace_back(
        "The position vectors are those of the file. MarianMTModel reads them, but does not write them again: a copy "
        "made "
        "with `save_pretrained` computes something else.");
  }
  return notes;
}

CardSystem card_system(const ModelToExport& model) {
  CardSystem system{.name = "Hugging Face's transformers",
                    .library = "transformers",
                    .use = use(exported_tokenizers(model)),
                    .notes = differences(model)};
  system.notes.insert(system.notes.begin(),
                      fmt::format("A source may have {} subwords, its start and end counted, and a translation {}.",
                                  huggingface_positions(model.config), model.config.decoding.max_length));
  return system;
}

}  // namespace

Json huggingface_config(const ModelToExport& model) {
  const auto& options = model.config.model;
  const bool is_marian = huggingface_class(options) == HuggingFaceClass::kMarian;
  const bool is_one_table = options.tie_embeddings == EmbeddingTying::kAll;
  const auto sizes = vocabulary_sizes(model.tokenizers);
  Json config = {{"architectures", {is_marian ? "MarianMTModel" : "PegasusForConditionalGeneration"}},
                 {"model_type", is_marian ? "marian" : "pegasus"},
                 {"is_encoder_decoder", true},
                 {"dtype", "float32"},
                 {"d_model", options.d_model},
                 {"num_hidden_layers", options.encoder_layers}};
  add_stacks(options, config);
  config["activation_function"] = to_string(options.activation);
  config["dropout"] = options.dropout;
  config["attention_dropout"] = options.attention_dropout.value_or(options.dropout);
  config["activation_dropout"] = options.activation_dropout.value_or(options.dropout);
  config["normalize_before"] = !is_marian;  // of older versions, and CTranslate2's converter
  config["normalize_embedding"] = false;
  config["add_final_layer_norm"] = !is_marian;
  config["static_position_embeddings"] = true;
  config["scale_embedding"] = options.embedding_scale;
  config["max_position_embeddings"] = huggingface_positions(model.config);
  config["vocab_size"] = sizes.source;
  if (is_marian) {
    config["decoder_vocab_size"] = sizes.target;
    config["share_encoder_decoder_embeddings"] = is_one_table;
  }
  config["tie_word_embeddings"] = options.tie_embeddings != EmbeddingTying::kNone;
  config["init_std"] = 0.02;
  config["use_cache"] = true;
  add_ids(model, config);
  return config;
}

Json generation_config(const ModelToExport& model) {
  const auto& decoding = model.config.decoding;
  Json config = Json::object();
  add_ids(model, config);
  config["max_length"] = decoding.max_length + 1;  // the start counts there
  config["num_beams"] = decoding.sampling ? 1 : decoding.beam_size;
  config["do_sample"] = decoding.sampling;
  if (decoding.sampling) {
    config["temperature"] = decoding.temperature;
    config["top_k"] = decoding.top_k;
    config["top_p"] = decoding.top_p;
    if (decoding.epsilon > 0.0) {
      config["epsilon_cutoff"] = decoding.epsilon;
    }
  }
  config["length_penalty"] = decoding.length_penalty;
  config["early_stopping"] = "never";  // that is, when no hypothesis can become better than those that have ended
  if (decoding.min_length > 0) {
    config["min_new_tokens"] = decoding.min_length;
  }
  if (decoding.no_repeat_ngram > 0) {
    config["no_repeat_ngram_size"] = decoding.no_repeat_ngram;
  }
  if (decoding.repetition_penalty != 1.0) {
    config["repetition_penalty"] = decoding.repetition_penalty;
  }
  config[kOwnKey] = own_settings(model.config);
  return config;
}

void export_huggingface(const ModelToExport& model, const std::filesystem::path& folder) {
  (void)exported_tokenizers(model);  // refuses before the weights are read
  write_json_file(folder / "config.json", huggingface_config(model));
  write_json_file(folder / kGenerationFile, generation_config(model));
  write_huggingface_tokenizers(model, huggingface_positions(model.config), folder);
  (void)write_safetensors(folder / kModelFile, huggingface_weights(model), {{"format", "pt"}});
  write_file_synced(folder / "README.md", model_card(model.config, model.tokenizers, model.facts, card_system(model)));
  for (const auto& note : differences(model)) {
    log_warning(note);
  }
}

}  // namespace translate::tools
