#include "eval/test_scorings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/json_value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_descriptor.h"
#include "core/logging.h"
#include "core/utf8.h"

namespace translate::tools {

namespace {

constexpr std::int64_t kFormat = 1;

/// How often a test set was scored.
struct Count {
  TestSet set;
  std::int64_t scored = 0;
};

/// A lock on a folder, held while the object lives. It waits for the processes that hold it.
class FolderLock {
 public:
  /// Throws RuntimeError, also where the file system has no such locks.
  explicit FolderLock(const std::filesystem::path& folder)
      : descriptor_(open_file(folder, O_RDONLY | O_DIRECTORY, "lock")) {
    if (repeat_interrupted([&] { return ::flock(descriptor_.number(), LOCK_EX); }) != 0) {
      fail_with_reason("lock", folder);
    }
  }

 private:
  FileDescriptor descriptor_;
};

std::vector<std::string> names_from(const JsonValue& value) {
  std::vector<std::string> names;
  for (const auto& name : value.elements()) {
    names.push_back(name.text());
  }
  return names;
}

/// Reads the file; there are no counts without it. Throws CheckpointError if it is damaged.
std::vector<Count> read_counts(const std::filesystem::path& file) {
  std::vector<Count> counts;
  if (!std::filesystem::exists(file)) {
    return counts;
  }
  const auto json = parse_json_object(read_file(file), file);
  require_format(json, kFormat, kFormat, file);
  for (const auto& set : json.member("test_sets").elements()) {
    counts.push_back({.set = {.files = {.source = names_from(set.member("source")),
                                        .reference = names_from(set.member("reference"))},
                              .sentences = set.member("sentences").integer<std::int64_t>(),
                              .crc32 = set.member("crc32").integer<std::uint32_t>()},
                      .scored = set.member("scored").integer<std::int64_t>()});
  }
  return counts;
}

Json to_json(const std::vector<Count>& counts) {
  Json json = {{"format", kFormat}, {"test_sets", Json::array()}};
  for (const auto& [set, scored] : counts) {
    json["test_sets"].push_back({{"source", set.files.source},
                                 {"reference", set.files.reference},
                                 {"sentences", set.sentences},
                                 {"crc32", set.crc32},
                                 {"scored", scored}});
  }
  return json;
}

/// Counts a scoring in the file. Throws RuntimeError if it cannot be read or written, CheckpointError if it is damaged.
std::int64_t count_in(const std::filesystem::path& file, const TestSet& set) {
  auto counts = read_counts(file);
  auto known = std::ranges::find(counts, set, &Count::set);
  if (known == counts.end()) {
    known = counts.insert(known, {.set = set, .scored = 0});
  }
  ++known->scored;
  const auto scored = known->scored;
  write_file_atomically(file, json_to_text(to_json(counts), file) + "\n");
  return scored;
}

}  // namespace

TestSet test_set_of(TestFiles files, const std::vector<std::string>& source, References references) {
  std::string text;
  const auto add = [&text](const std::vector<std::string>& lines) {
    for (const auto& line : lines) {
      text += line + "\n";
    }
  };
  add(source);
  std::ranges::for_each(references, add);
  for (auto* names : {&files.source, &files.reference}) {
    std::ranges::transform(*names, names->begin(), [](const auto& name) { return replace_invalid_utf8(name); });
  }
  return {.files = std::move(files), .sentences = std::ssize(source), .crc32 = crc32(text)};
}

std::optional<std::int64_t> count_test_scoring(const std::filesystem::path& run_folder, const TestSet& set) {
  std::error_code ignored;
  if (run_folder.empty() || !std::filesystem::is_regular_file(run_folder / kConfigFile, ignored)) {
    return std::nullopt;
  }
  const auto file = run_folder / kTestScoringsFile;
  try {
    const FolderLock lock(run_folder);
    return count_in(file, set);
  } catch (const RuntimeError& unwritable) {
    log_debug(fmt::format("the scoring of the test set is not counted: {}", unwritable.what()));
  } catch (const CheckpointError& damaged) {
    log_warning(fmt::format("the scoring of the test set is not counted: {}; delete the file to count from 1 again",
                            damaged.what()));
  }
  return std::nullopt;
}

}  // namespace translate::tools
