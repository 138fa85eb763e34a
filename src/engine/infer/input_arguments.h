#pragma once

#include <CLI/CLI.hpp>

#include "infer/translation_input.h"

namespace translate {

/// Adds TEXT, --input and the options that say what a line of the input holds. `verb`: what happens to the lines, for
/// the help, "translate" or "explain". `options` must live as long as the app.
void add_input_options(CLI::App& app, InputOptions& options, const std::string& verb);

/// Warns of a text of the command line that is the name of a file, which --input would read.
void warn_of_file_name(const InputOptions& options);

}  // namespace translate
