#include "translate/apps/seed_option.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

namespace translate {

CLI::Validator is_seed() {
  return CLI::Validator(
      [](const std::string& text) {
        std::uint64_t seed = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, seed);
        const bool is_right = error == std::errc() && rest == end;
        return is_right ? std::string()
                        : fmt::format("expected an integer from 0 to {}, got {}",
                                      std::numeric_limits<std::uint64_t>::max(), text);
      },
      "");
}

}  // namespace translate
