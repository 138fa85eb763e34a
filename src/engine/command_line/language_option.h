#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace translate {

/// Adds an option that takes the code of a language (see is_language_code) and refuses other text; empty text leaves
/// the default.
CLI::Option* add_language_option(CLI::App& app, const std::string& name, std::string& code, const std::string& help);

}  // namespace translate
