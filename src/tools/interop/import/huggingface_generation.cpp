// The search of a MarianMT folder. The keys are those of transformers' GenerationConfig, with the defaults that it has.

#include "interop/import/huggingface_generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "core/foreign_text.h"

namespace translate {

namespace {

/// A setting that is not computed here, and the value, as JSON, with which it has no effect. So has null.
struct NeutralSetting {
  const char* key;
  const char* value;
};

constexpr std::array<NeutralSetting, 27> kNotComputed = {{{"num_beam_groups", "1"},
                                                          {"diversity_penalty", "0"},
                                                          {"penalty_alpha", "0"},
                                                          {"typical_p", "1"},
                                                          {"min_p", "0"},
                                                          {"top_h", "1"},
                                                          {"epsilon_cutoff", "0"},
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
constexpr std::array<std::string_view, 20> kRead = {"num_beams",
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
class GenerationKeys {
 public:
  GenerationKeys(const JsonKeys& generation, const JsonKeys& config) : generation_(generation), config_(config) {}

  [[nodiscard]] const JsonKeys& with(const std::string& key) const {
    return generation_.has(key) ? generation_ : config_;
  }
  [[nodiscard]] bool has(const std::string& key) const { return with(key).has(key); }

  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t missing, std::int64_t lowest) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31U;
    return with(key).integer(key, missing, lowest, kMost);
  }
  /// A number for which `is_valid` holds.
  template <class IsValid>
  [[nodiscard]] double number(const std::string& key, double missing, const char* range,
                              const IsValid& is_valid) const {
    const double value = with(key).number(key, missing);
    if (!is_valid(value)) {
      with(key).fail(key, fmt::format("expected {}, found {}", range, value));
    }
    return value;
  }

  /// Refuses what would change translations in a way that is not computed here.
  void check_supported() const {
    for (const auto& [key, neutral] : kNotComputed) {
      if (has(key) && with(key).value(key) != Json::parse(neutral)) {
        with(key).fail(key, fmt::format("{} is not supported; expected {}, or no such key",
                                        shown(with(key).value(key).dump()), neutral));
      }
    }
    for (const auto& key : generation_.names()) {
      const auto is_key = [&](const NeutralSetting& setting) { return setting.key == key; };
      const bool is_known = std::ranges::find(kRead, key) != kRead.end() ||
                            std::ranges::find(kIgnored, key) != kIgnored.end() ||
                            std::ranges::any_of(kNotComputed, is_key);
      if (!is_known && generation_.has(key)) {
        generation_.fail(key, "unknown key, which may change translations; remove it if it does not");
      }
    }
  }

 private:
  const JsonKeys& generation_;
  const JsonKeys& config_;
};

/// The settings of the program's own that transformers does not have, as translate-export keeps them.
void read_own(const JsonKeys& own, DecodingOptions& decoding) {
  // There is no limit by the source in transformers. With none, a search could not end before the longest translation
  // of all became impossible, which takes four times as long.
  constexpr double kMaxLengthRatio = 10.0;
  decoding.max_length_ratio = own.number("max_length_ratio", kMaxLengthRatio);
  if (!(decoding.max_length_ratio > 0.0)) {
    own.fail("max_length_ratio", fmt::format("expected more than 0, found {}", decoding.max_length_ratio));
  }
  const auto kind = own.text("length_penalty_kind", to_string(LengthPenaltyKind::kAverage));
  const auto known = from_string<LengthPenaltyKind>(kind);
  if (!known) {
    own.fail("length_penalty_kind", fmt::format("expected gnmt or average, found {}", describe_value(kind)));
  }
  decoding.length_penalty_kind = *known;
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 62U;
  decoding.seed = static_cast<std::uint64_t>(own.integer("seed", 1, 0, kMostSeed));
  if (own.has("split_sentences")) {
    decoding.split_sentences = own.boolean("split_sentences", true) ? SentenceSplitting::kOn : SentenceSplitting::kOff;
  }
}

void read_sampling(const GenerationKeys& keys, DecodingOptions& decoding) {
  constexpr std::int64_t kTopK = 50;
  const auto is_positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  decoding.sampling = keys.with("do_sample").boolean("do_sample", false);
  decoding.temperature = keys.number("temperature", 1.0, "a number above 0", is_positive);
  decoding.top_k = keys.integer("top_k", decoding.sampling ? kTopK : 0, 0);
  decoding.top_p = keys.number("top_p", 1.0, "a number from 0 to 1 (0 excluded)",
                               [](double value) { return value > 0.0 && value <= 1.0; });
  if (decoding.sampling && decoding.beam_size > 1) {
    keys.with("do_sample")
        .fail("do_sample", fmt::format("true with num_beams {} is not supported: sampling has no beam "
                                       "here; expected num_beams 1, or do_sample false",
                                       decoding.beam_size));
  }
}

/// The limits. `max_length` and `min_length` count the start token there.
void read_limits(const GenerationKeys& keys, DecodingOptions& decoding) {
  constexpr std::int64_t kMaxLength = 512;
  decoding.max_length = keys.has("max_new_tokens") ? keys.integer("max_new_tokens", kMaxLength, 1)
                                                   : keys.integer("max_length", kMaxLength, 2) - 1;
  decoding.min_length = keys.has("min_new_tokens") ? keys.integer("min_new_tokens", 0, 0)
                                                   : std::max<std::int64_t>(0, keys.integer("min_length", 0, 0) - 1);
  if (decoding.min_length > decoding.max_length) {
    const char* key = keys.has("min_new_tokens") ? "min_new_tokens" : "min_length";
    keys.with(key).fail(key, fmt::format("{} subwords are more than a translation may have ({})", decoding.min_length,
                                         decoding.max_length));
  }
}

}  // namespace

DecodingOptions read_huggingface_decoding(const JsonKeys& generation, const JsonKeys& config) {
  const GenerationKeys keys(generation, config);
  keys.check_supported();
  DecodingOptions decoding;
  decoding.beam_size = keys.integer("num_beams", 1, 1);
  read_limits(keys, decoding);
  decoding.length_penalty =
      keys.number("length_penalty", 1.0, fmt::format("-{0} to {0}", kLargestLengthPenalty).c_str(),
                  [](double value) { return std::abs(value) <= kLargestLengthPenalty; });
  decoding.no_repeat_ngram = keys.integer("no_repeat_ngram_size", 0, 0);
  decoding.repetition_penalty = keys.number("repetition_penalty", 1.0, "a number above 0",
                                            [](double value) { return std::isfinite(value) && value > 0.0; });
  read_sampling(keys, decoding);
  decoding.n_best = keys.integer("num_return_sequences", 1, 1);
  if (!decoding.sampling && decoding.n_best > decoding.beam_size) {
    keys.with("num_return_sequences")
        .fail("num_return_sequences",
              fmt::format("expected at most num_beams, {}, found {}", decoding.beam_size, decoding.n_best));
  }
  read_own(JsonKeys(generation, kOwnKey), decoding);
  return decoding;
}

namespace {

/// Throws if a key that holds a subword's id, or a list of one, has another id.
void check_id(const JsonKeys& keys, const char* key, std::int64_t id, const char* subword) {
  if (!keys.has(key)) {
    return;
  }
  const auto& value = keys.value(key);
  if (value != Json(id) && value != Json::array({id})) {
    keys.fail(key, fmt::format("is {}, but {} has the id {} in the vocabulary", shown(value.dump()), subword, id));
  }
}

/// Throws unless a list forbids only subwords that are never generated here. Its elements: ids, or lists of one.
void check_forbidden(const JsonKeys& keys, const char* key, const SpecialTokens& special) {
  if (!keys.has(key)) {
    return;
  }
  const auto is_never_generated = [&](const Json& entry) {
    const auto& id = entry.is_array() && entry.size() == 1 ? entry.front() : entry;
    return id == Json(special.unk) || id == Json(special.sos) || id == Json(special.pad);
  };
  const auto& value = keys.value(key);
  if (!value.is_array() || !std::ranges::all_of(value, is_never_generated)) {
    keys.fail(key,
              fmt::format("only <unk>, <pad> and the start ({}, {} and {}), which are never generated here, can be "
                          "forbidden; remove the others",
                          special.unk, special.pad, special.sos));
  }
}

}  // namespace

void check_huggingface_ids(const std::filesystem::path& folder, const SpecialTokens& special) {
  for (const char* file : {kConfigFile, kGenerationFile}) {
    const JsonKeys keys(folder / file);
    check_id(keys, "eos_token_id", special.eos, "</s>");
    check_id(keys, "forced_eos_token_id", special.eos, "</s>");
    check_id(keys, "pad_token_id", special.pad, "<pad>");
    check_id(keys, "decoder_start_token_id", special.sos, special.sos == special.pad ? "<pad>" : "<s>");
    check_forbidden(keys, "bad_words_ids", special);
    check_forbidden(keys, "suppress_tokens", special);
  }
}

}  // namespace translate
