#pragma once

#include <string>
#include <vector>

#include "command_line/help_formatter.h"

namespace translate {

/// What completions offer that no option object knows.
struct CompletionWords {
  std::vector<std::string> keys = {};            ///< of configurations, for --set
  std::vector<std::string> configurations = {};  ///< that come with the programs, for --config
};

/// Return the scripts with which a shell completes a program's options and their values: the choices if there are few,
/// keys of the configuration, configurations, checkpoints and runs under runs/, or names of files and folders.
[[nodiscard]] std::string bash_completion(const CommandText& command, const CompletionWords& words);
[[nodiscard]] std::string zsh_completion(const CommandText& command, const CompletionWords& words);
[[nodiscard]] std::string fish_completion(const CommandText& command, const CompletionWords& words);

}  // namespace translate
