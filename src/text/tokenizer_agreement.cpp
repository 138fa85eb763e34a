#include "text/tokenizer_agreement.h"

#include <fmt/format.h>

#include "core/error.h"

namespace translate {

void check_tokenizers_of_weights(const TokenizerOptions& options, const TokenizerPair& of_weights,
                                 const std::string& origin) {
  if (options.source_model.empty() && options.target_model.empty()) return;
  const auto named = load_ready_tokenizers(options);
  const auto check = [&](const char* side, const Tokenizer& found, const Tokenizer& expected,
                         const std::filesystem::path& model) {
    if (found.serialized() == expected.serialized()) return;
    throw ConfigError(
        fmt::format("--init {}: the {} tokenizer of these weights is not {}, which tokenizer.{}_model names, so its "
                    "subwords have other ids. Leave tokenizer.source_model and tokenizer.target_model out to use the "
                    "tokenizers of the weights, or train a new model, without --init",
                    origin, side, model.string(), model == options.source_model ? "source" : "target"));
  };
  const auto& [source, target] = ready_models(options);
  check("source", named.source, of_weights.source, source);
  check("target", named.target, of_weights.target, target);
}

}  // namespace translate
