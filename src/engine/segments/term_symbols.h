#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate {

// A model that was trained with data.modifiers.terms reads required translations behind the words that they are for, as
// in `the <[> cat<|> chat<]> sees` (the method of Dinu et al. 2019, "Training neural machine translation to apply
// terminology constraints").

/// The symbols that its vocabularies have: in front of a term, between it and its translation, and behind that.
[[nodiscard]] std::vector<std::string> term_symbols();

/// Returns a term with its required translation.
[[nodiscard]] std::string annotated_term(std::string_view source, std::string_view target);

/// Returns a text without the symbols and the translations.
[[nodiscard]] std::string without_annotations(std::string_view text);

}  // namespace translate
