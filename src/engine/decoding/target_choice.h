#pragma once

#include <span>
#include <string>

#include "decoding/translation.h"
#include "languages/directions.h"

namespace translate {

/// Sets the target language of a translator's lines. `wanted` is its code, in the words of `option`
/// ("--target-language") if it is wrong; if it is empty, the model's only target is chosen, and of several none, so
/// that lines need a tag of their own and the translator warns of one without. Throws ConfigError if the model has no
/// such target.
void choose_target(std::span<const Direction> directions, const std::string& wanted, const std::string& option,
                   TranslatorOptions& options);

}  // namespace translate
