#include "command_line/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "checkpoint/checkpoint_directory.h"
#include "command_line/help_formatter.h"
#include "command_line/line_stream.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "config/usual_names.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/processor.h"
#include "core/stop_signal.h"
#include "core/system/allocator.h"
#include "core/system/memory.h"
#include "core/terminal.h"
#include "core/text_distance.h"
#include "core/threads.h"
#include "core/utf8.h"
#include "core/version.h"
#include "inference/weight_format.h"

namespace translate {

namespace {

std::string instructions() {
  if (has_neon_kernels()) {
    return std::string("NEON") + (has_dot_kernels() ? ", dot products" : "") + (has_i8mm_kernels() ? ", I8MM" : "") +
           (has_bf16_kernels() ? ", BF16" : "");
  }
  if (!has_avx2_kernels()) {
    return "the processor's baseline";
  }
  std::string names = has_avx512_kernels() ? "AVX-512" : "AVX2";
  names += has_bf16_kernels() ? ", BF16" : "";
  names += has_vnni_kernels() ? ", VNNI" : "";
  return names;
}

std::string precisions(Work work) {
  const std::string names = has_bf16_kernels() ? "fp32, bf16" : "fp32, bf16 (slow: emulated)";
  return names + (work == Work::kTraining ? "" : ", int8");
}

}  // namespace

std::string version_text(const std::string& program, Work work, const std::string& libraries) {
  auto versions = fmt::format("{} {}", program, version());
  if (!libraries.empty()) {
    versions += "\n" + libraries;
  }
  if (work == Work::kConversion) {
    return versions;
  }
  return fmt::format("{}\ninstructions: {}\nprecisions on the CPU: {}", versions, instructions(), precisions(work));
}

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const auto& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

/// Returns the only option that begins with `name`, as in --check for --checkpoint.
std::optional<std::string> only_completion(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t kShortest = 4;  // "--" and two letters
  std::optional<std::string> completion;
  for (const auto& candidate : names) {
    if (name.size() >= kShortest && candidate.starts_with(name)) {
      if (completion) {
        return std::nullopt;
      }
      completion = candidate;
    }
  }
  return completion;
}

bool contains(const std::vector<std::string>& names, const char* name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns what translate-train has for an option of another system: the --set of a key of this name, as in
/// --max-steps, or of one that is called so elsewhere, as in --lr; or a device.
std::optional<std::string> setting_of(const std::string& option, const std::vector<std::string>& names) {
  if (!contains(names, "--set") || !option.starts_with("--")) {
    return std::nullopt;
  }
  const auto name = replace_all(option.substr(2), "-", "_");
  if (name == "gpu" || name == "gpus" || name == "cuda") {
    return "--device cuda";
  }
  if (const auto usual = key_of_usual_name(name)) {
    return fmt::format("--set {}=VALUE", *usual);
  }
  const auto end = "." + name;
  const auto key = std::ranges::find_if(all_keys(), [&](const Key& each) { return each.path.ends_with(end); });
  return key == all_keys().end() ? std::nullopt : std::optional("--set " + key->path + "=VALUE");
}

/// Returns a text with the option that the argument was probably meant for: a configuration or a checkpoint.
std::string describe_unexpected(const std::string& argument, const std::vector<std::string>& names) {
  const char* option = nullptr;
  if (argument.ends_with(".json")) {
    option = "--config";
  }
  if (CheckpointDirectory::is_name(argument)) {
    option = "--checkpoint";
  }
  const bool is_meant = option != nullptr && contains(names, option);
  return fmt::format("unexpected argument \"{}\"{}", argument,
                     is_meant ? fmt::format("; did you mean {} {}?", option, argument) : "");
}

/// An option that another program has now.
struct MovedOption {
  std::string_view program;
  std::string_view option;
};

constexpr const char* kExplain = "translate-explain";
constexpr std::array<MovedOption, 8> kMovedToExplain = {{{"translate-infer", "--explain"},
                                                         {"translate-infer", "--layer"},
                                                         {"translate-infer", "--together"},
                                                         {"translate-infer", "--attention"},
                                                         {"translate-infer", "--learn"},
                                                         {"translate-infer", "--example"},
                                                         {"translate-infer", "--random-weights"},
                                                         {"translate-train", "--explain-step"}}};

std::string describe_unknown(const std::string& program, const std::string& argument,
                             const std::vector<std::string>& names) {
  const auto name = argument.substr(0, argument.find('='));
  const auto is_this = [&](const MovedOption& moved) { return moved.program == program && moved.option == name; };
  if (std::ranges::any_of(kMovedToExplain, is_this)) {
    return fmt::format("{} belongs to another program now: {} {}", name, kExplain, name);
  }
  if (name.find(' ') != std::string::npos) {
    return fmt::format("unknown option {}; put -- before text that begins with a dash", argument);
  }
  auto meant = only_completion(name, names);
  if (!meant) {
    meant = setting_of(name, names);
  }
  if (!meant && name.size() > 2) {  // any letter would be near to another
    meant = nearest_name(name, names);
  }
  return fmt::format("unknown option {}{}", name, meant ? fmt::format("; did you mean {}?", *meant) : "");
}

}  // namespace

std::string unknown_options(const CLI::App& app) {
  const auto names = option_names(app);
  std::string options;
  std::string others;
  for (const auto& argument : app.remaining()) {
    const bool is_option = argument.size() > 1 && argument.front() == '-' && argument != "--";
    auto& lines = is_option ? options : others;
    lines += lines.empty() ? "" : "\n";
    lines += is_option ? describe_unknown(app.get_name(), argument, names) : describe_unexpected(argument, names);
  }
  return options.empty() ? others : options;
}

namespace {

constexpr auto kOutOfMemory =
    "out of memory: make more memory available, or use a smaller batch (training.batch_tokens, --batch-tokens) or a "
    "smaller model";

constexpr auto kNoThread =
    "a thread cannot be started: raise the limit on memory (ulimit -v) or on processes (ulimit -u), or set --threads 1";

constexpr const char* kCommonGroup = "Common";

int fail(const std::string& message, ExitCode code) {
  show_progress("");
  log_error(message);
  return static_cast<int>(code);
}

/// Reports an error of the file system with its paths and the system's reason. A name that is too long is the user's.
int fail(const std::filesystem::filesystem_error& error) {
  const auto paths = error.path1().string() + (error.path2().empty() ? "" : ", " + error.path2().string());
  const bool is_mistake = error.code() == std::errc::filename_too_long;
  return fail(fmt::format("{}: {}", paths, error.code().message()),
              is_mistake ? ExitCode::kUserMistake : ExitCode::kFailed);
}

void add_precision_option(CLI::App& app, CommonOptions& options, Work work) {
  std::string help =
      "The precision of matrix products: auto (bf16 on a GPU and on a CPU with instructions for it, else fp32), "
      "fp32 or bf16";
  std::vector<std::string> names;
  if (work == Work::kTraining) {
    for (const auto& precision : kPrecisionNames) {
      names.emplace_back(precision.name);
    }
  } else {
    help = "The precision of matrix products: fp32, bf16, int8 (on the CPU) or auto (bf16 on a GPU; ";
    help += work == Work::kEvaluation ? "else fp32)" : "else int8 where it is much faster, or fp32)";
    names.assign(kTranslationPrecisions.begin(), kTranslationPrecisions.end());
  }
  app.add_option("--precision", options.computing.precision, help)
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group(kCommonGroup);
}

void add_computing_options(CLI::App& app, CommonOptions& options, Work work) {
  app.add_option("--device", options.computing.device,
                 "The device to compute on: auto (a GPU if there is one), cpu, cuda or cuda:N")
      ->capture_default_str()
      ->type_name("DEVICE")
      ->group(kCommonGroup);
  app.add_option("--threads", options.threads, "The number of threads (default: the number of processors available)")
      ->check(CLI::Range(1, kMostThreads))
      ->group(kCommonGroup);
  add_precision_option(app, options, work);
}

/// Shortens very long numbers in `text`, which would fill the terminal.
std::string shorten_numbers(const std::string& text) {
  constexpr std::size_t kLongest = 40;
  constexpr std::size_t kShown = 20;
  std::string shortened;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find_first_not_of("0123456789+-.eE", begin), text.size());
    const auto length = end - begin;
    shortened += length > kLongest ? fmt::format("{}... ({} characters)", text.substr(begin, kShown), length)
                                   : text.substr(begin, length);
    if (end < text.size()) {
      shortened += text[end];
    }
    begin = end + 1;
  }
  return shortened;
}

/// Returns the message for a wrong command line. Unknown options take precedence over `error`, because they are often
/// its cause.
std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error) {
  const auto unknown = unknown_options(app);
  return unknown.empty() ? shorten_numbers(error.what()) : unknown;
}

/// Parses the command line. Returns an exit code if the program must end: after --help and --version, whose text it
/// writes, or after a mistake. Throws the errors of print_result.
std::optional<int> parse_or_answer(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      std::ostringstream text;
      const int code = app.exit(error, text, text);
      print_result(text.str());
      return code;
    }
    std::cerr << fit_window(describe_mistake(app, error), STDERR_FILENO) << "\nRun with --help for more information.\n";
    return static_cast<int>(ExitCode::kUserMistake);
  }
  return std::nullopt;
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options, Work work) {
  options.computing.exact = work != Work::kTranslation;
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_help_ptr()->description("Show this help and exit");
  app.set_version_flag(
      "--version",
      [name = app.get_name(), work, libraries = options.libraries] { return version_text(name, work, libraries); },
      work == Work::kConversion ? "Show the versions, and exit"
                                : "Show the versions, the CPU instructions and the precisions in use, and exit");
  if (work != Work::kConversion) {
    add_computing_options(app, options, work);
  }
  app.add_option("--log-level", options.log_level, "The least severe messages to show on stderr")
      ->check(CLI::IsMember(std::vector<std::string>(kLogLevelNames.begin(), kLogLevelNames.end())))
      ->capture_default_str()
      ->group(kCommonGroup);
  app.add_flag("--quiet", options.quiet, "Show only warnings and errors (the same as --log-level warning)")
      ->group(kCommonGroup);
}

void start_logging(const CommonOptions& options) {
  initialise_logging(options.quiet ? LogLevel::kWarning : log_level_of(options.log_level).value_or(LogLevel::kInfo));
}

void start_computing(const CommonOptions& options) {
  check_device_name(options.computing.device);
  keep_freed_memory();
  (void)set_kernel_threads(options.threads);
}

int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  open_missing_standard_streams();
  ignore_file_size_signals();
  try {
    if (const auto code = parse_or_answer(app, argc, argv)) {
      return *code;
    }
    return body();
  } catch (const BrokenPipe&) {
    show_progress("");
    return exit_code_of_signal(SIGPIPE);  // silently, as if the signal had ended the program
  } catch (const Error& error) {
    return fail(error.what(), error.exit_code());
  } catch (const StoppedBySignal& stopped) {
    show_progress("");
    log_info(fmt::format("stopped by {} before training began", signal_name(stopped.signal())));
    return exit_code_of_signal(stopped.signal());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(error);
  } catch (const std::system_error& error) {
    const bool is_thread = error.code() == std::errc::resource_unavailable_try_again;
    return fail(is_thread ? kNoThread : error.what(), ExitCode::kFailed);
  } catch (const std::exception& error) {
    return fail(is_out_of_memory(error) ? kOutOfMemory : error.what(), ExitCode::kFailed);
  }
}

}  // namespace translate
