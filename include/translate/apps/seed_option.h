#pragma once

#include <CLI/CLI.hpp>

namespace translate {

/// Checks that an option's value is an integer from 0 to 2^64 - 1, as seeds are. CLI11 by itself takes -1 for 2^64 - 1.
[[nodiscard]] CLI::Validator is_seed();

}  // namespace translate
