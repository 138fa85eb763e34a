#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/loaded_model.h"
#include "decoding/translation.h"

namespace translate {

/// The largest model that a page holds: such a page has about 20 MB, and a browser still computes it within seconds.
inline constexpr std::int64_t kMostParametersOfPage = 4'000'000;

/// What a page has in addition to its model.
struct LearnPageOptions {
  std::string title;                   ///< the name of the model on the page
  std::vector<std::string> sentences;  ///< the page translates the first one when it opens, and offers all of them
  TranslatorOptions translating;       ///< its limits and its language tag are the page's
};

/// Returns a page to experiment with a model: one self-contained HTML file that holds the weights and the tokenizers,
/// and computes translations in the browser by the code in src/apps/learn/*.js. Throws ConfigError if the model is
/// larger than kMostParametersOfPage or its tokenizer has something that this code does not compute, CheckpointError if
/// the weights do not fit the model.
[[nodiscard]] std::string learn_page(const LoadedModel& model, const LearnPageOptions& options);

}  // namespace translate
