#include "text/tokenizer_agreement.h"

#include <fmt/format.h>

#include <system_error>

#include "core/error.h"
#include "text/tokenizer_training.h"

namespace translate {

namespace {

/// True if both name the same files, one of which is no longer there.
bool name_lost_files(const TokenizerOptions& wanted, const TokenizerOptions& own) {
  const auto is_lost = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return !path.empty() && !std::filesystem::exists(path, ignored);
  };
  return wanted.source_model == own.source_model && wanted.target_model == own.target_model &&
         wanted.source_vocabulary == own.source_vocabulary && wanted.target_vocabulary == own.target_vocabulary &&
         (is_lost(own.source_model) || is_lost(own.target_model) || is_lost(own.source_vocabulary) ||
          is_lost(own.target_vocabulary));
}

}  // namespace

std::optional<std::string_view> differing_side(const TokenizerPair& a, const TokenizerPair& b) {
  if (a.source.serialized() != b.source.serialized()) {
    return "source";
  }
  return a.target.serialized() != b.target.serialized() ? std::optional<std::string_view>("target") : std::nullopt;
}

void check_tokenizers_of_weights(const TokenizerOptions& wanted, const TokenizersOfWeights& weights) {
  const bool names_none = wanted.source_model.empty() && wanted.target_model.empty();
  if (names_none || name_lost_files(wanted, weights.options)) {
    return;
  }
  const auto named = load_ready_tokenizers(wanted);
  const auto check = [&](const char* side, const Tokenizer& found, const Tokenizer& expected,
                         const std::filesystem::path& model) {
    if (found.serialized() == expected.serialized()) {
      return;
    }
    throw ConfigError(
        fmt::format("--init {}: the {} tokenizer of these weights is not {}, which tokenizer.{}_model names: its "
                    "subwords have other ids. Leave tokenizer.source_model and tokenizer.target_model out to use the "
                    "tokenizers of the weights, or train a new model, without --init",
                    weights.origin, side, model.string(), model == wanted.source_model ? "source" : "target"));
  };
  const auto& [source, target] = ready_models(wanted);
  check("source", named.source, weights.tokenizers.source, source);
  check("target", named.target, weights.tokenizers.target, target);
}

}  // namespace translate
