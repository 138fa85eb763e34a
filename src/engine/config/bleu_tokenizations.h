#pragma once

#include <string>
#include <string_view>

namespace translate {

/// Returns why a tokenization that sacreBLEU has is not available here, and what to use instead; empty for any other
/// name.
[[nodiscard]] std::string absent_tokenization(std::string_view name);

}  // namespace translate
