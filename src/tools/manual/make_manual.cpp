// Writes the programs' man pages and completions into a folder; the completions offer the names of the configurations
// in another one. The build runs it; it is not installed.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "command_line/manual.h"
#include "command_line/shell_completion.h"
#include "config/key_table.h"
#include "core/file.h"
#include "core/version.h"
#include "infer/infer_program.h"
#ifdef TRANSLATE_HAS_DATA
#include "data/data_program.h"
#endif
#ifdef TRANSLATE_HAS_EVAL
#include "eval/eval_program.h"
#endif
#ifdef TRANSLATE_HAS_EXPLAIN
#include "explain/program/explain_program.h"
#endif
#ifdef TRANSLATE_HAS_INTEROP
#include "interop/program/export_program.h"
#include "interop/program/import_program.h"
#endif
#ifdef TRANSLATE_HAS_SERVE
#include "serve/program/serve_program.h"
#endif
#ifdef TRANSLATE_HAS_TRAINER
#include "train/train_program.h"
#endif

namespace {

using translate::write_file_atomically;

std::vector<std::string> others(const std::vector<translate::CommandText>& commands, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command.name != name) {
      names.push_back(command.name);
    }
  }
  return names;
}

/// The programs that are built.
std::vector<translate::CommandText> describe_commands() {
  return {
#ifdef TRANSLATE_HAS_TRAINER
      translate::describe_command(*translate::trainer::train_command_line()),
#endif
#ifdef TRANSLATE_HAS_DATA
      translate::describe_command(*translate::tools::data_command_line()),
#endif
#ifdef TRANSLATE_HAS_EVAL
      translate::describe_command(*translate::tools::eval_command_line()),
#endif
#ifdef TRANSLATE_HAS_EXPLAIN
      translate::describe_command(*translate::tools::explain_command_line()),
#endif
#ifdef TRANSLATE_HAS_INTEROP
      translate::describe_command(*translate::tools::export_command_line()),
      translate::describe_command(*translate::tools::import_command_line()),
#endif
#ifdef TRANSLATE_HAS_SERVE
      translate::describe_command(*translate::tools::serve_command_line()),
#endif
      translate::describe_command(*translate::infer_command_line()),
  };
}

translate::CompletionWords words_of(const std::filesystem::path& configurations) {
  translate::CompletionWords words;
  for (const auto& key : translate::all_keys()) {
    words.keys.push_back(key.path);
  }
  for (const auto& file : std::filesystem::directory_iterator(configurations)) {
    if (file.path().extension() == ".json") {
      words.configurations.push_back(file.path().filename().string());
    }
  }
  std::ranges::sort(words.configurations);
  return words;
}

void write_manual(const std::filesystem::path& folder, const std::filesystem::path& configurations) {
  const auto commands = describe_commands();
  const auto words = words_of(configurations);
  for (const auto* kind : {"man", "bash", "zsh", "fish"}) {
    std::filesystem::create_directories(folder / kind);
  }
  for (const auto& command : commands) {
    const auto page = translate::man_page(command, translate::version(), others(commands, command.name));
    write_file_atomically(folder / "man" / (command.name + ".1"), page);
    write_file_atomically(folder / "bash" / command.name, translate::bash_completion(command, words));
    write_file_atomically(folder / "zsh" / ("_" + command.name), translate::zsh_completion(command, words));
    write_file_atomically(folder / "fish" / (command.name + ".fish"), translate::fish_completion(command, words));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: make-manual FOLDER CONFIGURATIONS\n";
    return 2;
  }
  try {
    write_manual(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "make-manual: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
