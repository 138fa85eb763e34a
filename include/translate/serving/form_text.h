#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace translate {

/// Names and values, in the order of the request.
using FormFields = std::vector<std::pair<std::string, std::string>>;

/// The text with each "%XX" replaced by the byte that it stands for. A percent sign without two digits stays.
[[nodiscard]] std::string decode_percent(std::string_view text);

/// The fields of an application/x-www-form-urlencoded text, that is, of a form's body or of a query: "a=1&b=2", where
/// '+' is a space.
[[nodiscard]] FormFields form_fields(std::string_view text);

}  // namespace translate
