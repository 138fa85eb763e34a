#pragma once

#include <span>

#include "config/options.h"
#include "decoding/line_part.h"
#include "text/tokenizer.h"

namespace translate {

/// With sampling, returns whether to draw more samples of a line: there are fewer than n_best different texts, and
/// fewer than 8 n_best samples were drawn. If so, the sentences of the parts are ready to be decoded again for the
/// next samples; otherwise they hold all samples. `target`: the tokenizer of the translations.
[[nodiscard]] bool draws_more(std::span<LinePart> parts, const DecodingOptions& options, const Tokenizer& target);

}  // namespace translate
