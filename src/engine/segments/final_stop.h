#pragma once

#include <string>
#include <string_view>

namespace translate {

/// Returns a translation with a final stop where its source has one, and without one where its source has none: models
/// add and leave out the stop as their training text did. Only a stop is concerned (. 。 । ۔ and those of other
/// scripts): question and exclamation marks, colons, ellipses, stops inside of closing quotes, abbreviations and
/// ordinals are left alone, and so are texts of scripts without such marks (Thai, Lao, Tibetan). A stop is added as the
/// script of the translation writes it, after a space if the source has one before its own. Both texts are valid UTF-8.
[[nodiscard]] std::string with_stop_of(std::string_view source, std::string translation);

}  // namespace translate
