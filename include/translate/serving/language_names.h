#pragma once

#include <string>
#include <string_view>

namespace translate {

/// The English name of a language by its code (ISO 639-1, also with a region or script behind: "pt-BR" is Portuguese
/// (BR)); the code itself where it is not known.
[[nodiscard]] std::string language_name(std::string_view code);

}  // namespace translate
