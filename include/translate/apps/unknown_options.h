#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace translate {

/// A line for each option of the parsed command line that `app` does not have, with the option that was probably meant
/// ("unknown option --confg; did you mean --config?"), and for each argument that it does not take; "" where all are
/// known. An argument alone (the value of an unknown option, it may be) is named only where no option is unknown.
[[nodiscard]] std::string unknown_options(const CLI::App& app);

}  // namespace translate
