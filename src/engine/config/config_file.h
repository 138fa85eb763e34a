#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// Reads a configuration file, then each override, in order, on top of it, and checks the whole (see validate).
///
/// An override is "key.path=value", as --set takes it: the value is read as JSON, or as plain text if it is not JSON,
/// and replaces the previous value (an object or a list as a whole). Relative paths are relative to the file's folder
/// in the file and to the current folder in an override; they are made absolute. Without `run_dir` the run's folder is
/// runs/<file name without its extension> in the current folder. Patterns among the corpora are replaced by the files
/// that they match (see expand_patterns).
///
/// Throws ConfigError, naming the file, line, column and key, the expected and the actual value.
[[nodiscard]] Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Reads a configuration of which only `model`, `tokenizer` and `decoding` are used, for a model trained elsewhere: it
/// need not name training text. Throws ConfigError as read_config does.
[[nodiscard]] Config read_model_config(const std::filesystem::path& file);

/// Applies overrides, as read_config takes them, to a configuration. Messages call an override `origin`. Throws
/// ConfigError for an unknown key or a value that it cannot have, but does not check the configuration as a whole.
void override_config(Config& config, std::span<const std::string> overrides, const std::string& origin);

/// Reads a configuration that a program wrote (a checkpoint's config.json) without checking it as a whole. Relative
/// paths are relative to `base_dir`; messages call the text `name`. Throws ConfigError as read_config does.
[[nodiscard]] Config config_from_json_text(const std::string& text, const std::string& name,
                                           const std::filesystem::path& base_dir);

/// Returns the complete configuration as indented JSON; config_from_json_text reads it back unchanged.
/// Throws ConfigError if a path is not valid UTF-8, which JSON cannot hold.
[[nodiscard]] std::string config_to_json(const Config& config);

/// Returns the file that --config names. A name without folders is looked up as given, then in configs/ of the current
/// folder, then among the installed configurations (../share/translate/configs beside the program's folder), then in
/// the checkout that the program was built in (build/<preset>/bin). `executable_dir` is the folder of the program.
/// Throws ConfigError with the places searched and the nearest name found there.
[[nodiscard]] std::filesystem::path find_config(const std::string& name, const std::filesystem::path& executable_dir);

/// Returns the folder of the example corpus, data/en-fr, in the current folder, in the installation or in the checkout
/// that the programs were built in. Throws ConfigError if there is none.
[[nodiscard]] std::filesystem::path find_example_corpus(const std::filesystem::path& executable_dir);

}  // namespace translate
