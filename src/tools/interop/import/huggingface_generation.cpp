// The search of a MarianMT folder. The keys are those of transformers' GenerationConfig, with the defaults that it has.

#include "interop/import/huggingface_generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/key_table.h"
#include "core/foreign_text.h"

namespace translate::tools {

namespace {

/// A setting that is not computed here, and the value, as JSON, with which it has no effect. So has null.
struct NeutralSetting {
  const char* key;
  const char* value;
};

constexpr std::array<NeutralSetting, 26> kNotComputed = {{{"num_beam_groups", "1"},
                                                          {"diversity_penalty", "0"},
                                                          {"penalty_alpha", "0"},
                                                          {"typical_p", "1"},
                                                          {"min_p", "0"},
                                                          {"top_h", "1"},
                                                          {"eta_cutoff", "0"},
                                                          {"encoder_repetition_penalty", "1"},
                                                          {"encoder_no_repeat_ngram_size", "0"},
                                                          {"guidance_scale", "1"},
                                                          {"token_healing", "false"},
                                                          {"forced_bos_token_id", "null"},
                                                          {"forced_decoder_ids", "null"},
                                                          {"begin_suppress_tokens", "[]"},
                                                          {"sequence_bias", "null"},
                                                          {"exponential_decay_length_penalty", "null"},
                                                          {"watermarking_config", "null"},
                                                          {"constraints", "null"},
                                                          {"force_words_ids", "null"},
                                                          {"dola_layers", "null"},
                                                          {"stop_strings", "null"},
                                                          {"max_time", "null"},
                                                          {"assistant_early_exit", "null"},
                                                          {"assistant_ensemble_weight", "null"},
                                                          {"speculation_type", "null"},
                                                          {"use_mtp", "false"}}};

/// The keys that are read below or by check_huggingface_ids.
constexpr std::array<std::string_view, 21> kRead = {"num_beams",
                                                    "max_length",
                                                    "max_new_tokens",
                                                    "min_length",
                                                    "min_new_tokens",
                                                    "length_penalty",
                                                    "do_sample",
                                                    "no_repeat_ngram_size",
                                                    "repetition_penalty",
                                                    "temperature",
                                                    "top_k",
                                                    "top_p",
                                                    "epsilon_cutoff",
                                                    "num_return_sequences",
                                                    "bad_words_ids",
                                                    "suppress_tokens",
                                                    "eos_token_id",
                                                    "pad_token_id",
                                                    "forced_eos_token_id",
                                                    "decoder_start_token_id",
                                                    kOwnKey};

/// The keys without an effect on translations, or with one that docs/interop.md describes.
constexpr std::array<std::string_view, 30> kIgnored = {"early_stopping",
                                                       "renormalize_logits",
                                                       "bos_token_id",
                                                       "transformers_version",
                                                       "_from_model_config",
                                                       "_commit_hash",
                                                       "use_cache",
                                                       "cache_implementation",
                                                       "cache_config",
                                                       "max_cache_len",
                                                       "return_legacy_cache",
                                                       "output_attentions",
                                                       "output_hidden_states",
                                                       "output_scores",
                                                       "output_logits",
                                                       "return_dict_in_generate",
                                                       "remove_invalid_values",
                                                       "low_memory",
                                                       "compile_config",
                                                       "disable_compile",
                                                       "continuous_batching_config",
                                                       "prefill_chunk_size",
                                                       "is_assistant",
                                                       "num_assistant_tokens",
                                                       "num_assistant_tokens_schedule",
                                                       "assistant_confidence_threshold",
                                                       "assistant_lookbehind",
                                                       "target_lookbehind",
                                                       "prompt_lookup_num_tokens",
                                                       "max_matching_ngram_size"};

/// The same keys in the newer or, if they are not there, in the older place.
struct GenerationKeys {
  const JsonValue& generation;
  const JsonValue& config;

  [[nodiscard]] JsonValue member(const std::string& key) const {
    return (generation.has(key) ? generation : config).member(key);
  }
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t missing, double lowest) const {
    return member(key).integer_or(missing, between(lowest, kAnySize.highest));
  }
};

/// Refuses what would change translations in a way that is not computed here.
void check_supported(const GenerationKeys& keys) {
  for (const auto& [key, neutral] : kNotComputed) {
    keys.member(key).require_one_of({Json::parse(neutral)});
  }
  for (const auto& [key, value] : keys.generation.members()) {
    const auto is_key = [&key = key](const NeutralSetting& setting) { return setting.key == key; };
    const bool is_known = std::ranges::find(kRead, key) != kRead.end() ||
                          std::ranges::find(kIgnored, key) != kIgnored.end() ||
                          std::ranges::any_of(kNotComputed, is_key);
    if (!is_known && keys.generation.has(key)) {
      value.fail("unknown key, which may change translations; remove it if it does not");
    }
  }
}

/// The settings of the program's own that transformers does not have, as translate-export keeps them.
void read_own(const JsonValue& own, DecodingOptions& decoding) {
  // There is no limit by the source in transformers. With none, a search could not end before the longest translation
  // of all became impossible, which takes four times as long.
  constexpr double kMaxLengthRatio = 10.0;
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 62U;
  decoding.max_length_ratio = own.member("max_length_ratio").number_or(kMaxLengthRatio, above(0));
  decoding.length_penalty_kind = own.member("length_penalty_kind").choice_or(LengthPenaltyKind::kAverage);
  decoding.seed = static_cast<std::uint64_t>(own.member("seed").integer_or(1, between(0, kMostSeed)));
  if (const auto split = own.member("split_sentences"); split.exists()) {
    decoding.split_sentences = split.boolean() ? SentenceSplitting::kOn : SentenceSplitting::kOff;
  }
}

void read_sampling(const GenerationKeys& keys, DecodingOptions& decoding) {
  constexpr std::int64_t kTopK = 50;
  decoding.sampling = keys.member("do_sample").boolean_or(false);
  decoding.temperature = keys.member("temperature").number_or(1.0, above(0));
  decoding.top_k = keys.integer("top_k", decoding.sampling ? kTopK : 0, 0);
  decoding.top_p = keys.member("top_p").number_or(1.0, {.lowest = 0, .highest = 1, .lowest_excluded = true});
  decoding.epsilon = keys.member("epsilon_cutoff").number_or(0.0, between(0, 1));
  if (decoding.sampling && decoding.beam_size > 1) {
    keys.member("do_sample")
        .fail(fmt::format("true with num_beams {} is not supported: sampling has no beam here; expected num_beams 1, "
                          "or do_sample false",
                          decoding.beam_size));
  }
}

/// The limits. `max_length` and `min_length` count the start token there.
void read_limits(const GenerationKeys& keys, DecodingOptions& decoding) {
  constexpr std::int64_t kMaxLength = 512;
  decoding.max_length = keys.member("max_new_tokens").exists() ? keys.integer("max_new_tokens", kMaxLength, 1)
                                                               : keys.integer("max_length", kMaxLength, 2) - 1;
  const bool counts_new = keys.member("min_new_tokens").exists();
  decoding.min_length = counts_new ? keys.integer("min_new_tokens", 0, 0)
                                   : std::max<std::int64_t>(0, keys.integer("min_length", 0, 0) - 1);
  if (decoding.min_length > decoding.max_length) {
    keys.member(counts_new ? "min_new_tokens" : "min_length")
        .fail(fmt::format("{} subwords are more than a translation may have ({})", decoding.min_length,
                          decoding.max_length));
  }
}

}  // namespace

DecodingOptions read_huggingface_decoding(const JsonValue& generation, const JsonValue& config) {
  const GenerationKeys keys{generation, config};
  check_supported(keys);
  DecodingOptions decoding;
  decoding.beam_size = keys.integer("num_beams", 1, 1);
  read_limits(keys, decoding);
  decoding.length_penalty =
      keys.member("length_penalty").number_or(1.0, between(-kLargestLengthPenalty, kLargestLengthPenalty));
  decoding.no_repeat_ngram = keys.integer("no_repeat_ngram_size", 0, 0);
  decoding.repetition_penalty = keys.member("repetition_penalty").number_or(1.0, above(0));
  read_sampling(keys, decoding);
  decoding.n_best = keys.integer("num_return_sequences", 1, 1);
  if (!decoding.sampling && decoding.n_best > decoding.beam_size) {
    keys.member("num_return_sequences")
        .fail(fmt::format("expected at most num_beams, {}, got {}", decoding.beam_size, decoding.n_best));
  }
  read_own(generation.member(kOwnKey), decoding);
  return decoding;
}

namespace {

/// Throws if a key that holds a subword's id, or a list of one, has another id.
void check_id(const JsonValue& value, std::int64_t id, const char* subword) {
  if (value.exists() && value.json() != Json(id) && value.json() != Json::array({id})) {
    value.fail(fmt::format("is {}, but {} has the id {} in the vocabulary", shown(value.json().dump()), subword, id));
  }
}

/// Throws unless a list forbids only subwords that are never generated here. Its elements: ids, or lists of one.
void check_forbidden(const JsonValue& value, const SpecialTokens& special) {
  const auto is_never_generated = [&](const Json& entry) {
    const auto& id = entry.is_array() && entry.size() == 1 ? entry.front() : entry;
    return id == Json(special.unk) || id == Json(special.sos) || id == Json(special.pad);
  };
  if (value.exists() && (!value.json().is_array() || !std::ranges::all_of(value.json(), is_never_generated))) {
    value.fail(
        fmt::format("only <unk>, <pad> and the start ({}, {} and {}), which are never generated here, can be "
                    "forbidden; remove the others",
                    special.unk, special.pad, special.sos));
  }
}

}  // namespace

void check_huggingface_ids(const std::filesystem::path& folder, const SpecialTokens& special) {
  for (const char* file : {kConfigFile, kGenerationFile}) {
    const auto keys = read_huggingface_json(folder / file);
    check_id(keys.member("eos_token_id"), special.eos, "</s>");
    check_id(keys.member("forced_eos_token_id"), special.eos, "</s>");
    check_id(keys.member("pad_token_id"), special.pad, "<pad>");
    check_id(keys.member("decoder_start_token_id"), special.sos, special.sos == special.pad ? "<pad>" : "<s>");
    check_forbidden(keys.member("bad_words_ids"), special);
    check_forbidden(keys.member("suppress_tokens"), special);
  }
}

}  // namespace translate::tools
