#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/loaded_model.h"
#include "decoding/translation.h"
#include "model/parameters.h"

namespace translate::tools {

/// The largest model that a page holds: such a page has about 20 MB, and a browser still computes it within seconds.
inline constexpr std::int64_t kMostParametersOfPage = 4'000'000;

/// What a page has in addition to its model.
struct LearnPageOptions {
  std::string title;                   ///< the name of the model on the page
  std::vector<std::string> sentences;  ///< the page translates the first one when it opens, and offers all of them
  TranslatorOptions translating;       ///< its limits and its language tag are the page's
};

/// Throws ConfigError if a model with these vocabularies has more than kMostParametersOfPage.
void check_page_size(const ModelOptions& model, const VocabularySizes& sizes);

/// Returns a page to experiment with a model: one self-contained HTML file that holds the weights and the tokenizers,
/// and computes translations in the browser by the code in src/tools/explain/learn/*.js. Throws ConfigError if there
/// are several models, if the decoder is not a Transformer's, if the model is too large (see check_page_size) or its
/// tokenizer has something that this code does not compute, CheckpointError if the weights do not fit the model.
[[nodiscard]] std::string learn_page(std::span<const LoadedModel> models, const LearnPageOptions& options);

}  // namespace translate::tools
