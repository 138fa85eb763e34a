// The exercises in docs/examples: they are in the index, their claims hold or depart as it says, and all steps equal
// PyTorch's.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "config/json.h"
#include "core/file.h"
#include "core/terminal.h"
#include "explain/text_layout.h"
#include "support/example_file_test.h"
#include "support/folders.h"

namespace translate::tools {
namespace {

const std::filesystem::path kExamples = project_folder() / "docs/examples";
const std::filesystem::path kGolden = project_folder() / "tests/golden/exercises/expected.json";

std::set<std::string> shipped_files() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
    if (entry.path().extension() == ".json") {
      files.insert(entry.path().lexically_relative(kExamples).string());
    }
  }
  return files;
}

/// A row of the tables in the index: | [file](file) | kind | what it shows | the first step that departs, or - |
struct IndexRow {
  std::string kind;
  std::string departs;
};

std::map<std::string, IndexRow> read_index() {
  std::map<std::string, IndexRow> rows;
  std::istringstream lines(read_file(kExamples / "README.md"));
  const std::regex row(R"(\| \[[^\]]+\]\(([^)]+)\) \| (\w+) \| .* \| `?([^|` ]+)`? \|)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      EXPECT_TRUE(rows.emplace(match[1], IndexRow{match[2], match[3]}).second) << match[1] << " is there twice";
    }
  }
  return rows;
}

/// All numbers of nested lists, in their order.
std::vector<double> numbers_of(const Json& json) {
  if (!json.is_array()) {
    return {json.is_null() ? -std::numeric_limits<double>::infinity() : json.get<double>()};
  }
  std::vector<double> numbers;
  for (const auto& element : json) {
    const auto inner = numbers_of(element);
    numbers.insert(numbers.end(), inner.begin(), inner.end());
  }
  return numbers;
}

TEST(ShippedExamples, TheIndexHasEveryFile) {
  const auto index = read_index();
  std::set<std::string> listed;
  for (const auto& [file, row] : index) {
    listed.insert(file);
  }
  EXPECT_EQ(listed, shipped_files());
  EXPECT_GE(listed.size(), 30U);
}

TEST(ShippedExamples, ClaimsHoldOrDepartWhereTheIndexSays) {
  for (const auto& [file, row] : read_index()) {
    const auto example = compute_example(kExamples / file);
    EXPECT_EQ(example.kind, row.kind) << file;
    EXPECT_TRUE(std::ranges::any_of(example.steps, [](const auto& step) { return step.claimed.has_value(); })) << file;
    const auto* departure = example.first_departure();
    EXPECT_EQ(departure == nullptr ? "-" : departure->name, row.departs) << file;
    EXPECT_EQ(file.starts_with("slips/"), departure != nullptr) << file;
    if (departure == nullptr) {
      EXPECT_LE(example.tolerance, 1e-4) << file;
    }
  }
}

TEST(ShippedExamples, TheTextFitsTheTerminal) {
  for (const auto& file : shipped_files()) {
    std::istringstream lines(to_text(compute_example(kExamples / file)));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), kTerminalWidth) << file << ": " << line;
    }
  }
}

TEST(ShippedExamples, StepsEqualThoseOfPyTorch) {
  const auto golden = parse_json(read_file(kGolden));
  std::set<std::string> files;
  for (const auto& [file, steps] : golden.items()) {
    files.insert(file);
    const auto example = compute_example(kExamples / file);
    for (const auto& [name, rows] : steps.items()) {
      const auto step = std::ranges::find(example.steps, name, &ExampleStep::name);
      ASSERT_NE(step, example.steps.end()) << file << ": " << name;
      const auto expected = numbers_of(rows);
      const auto computed = numbers_of(tensor_json(step->value));
      ASSERT_EQ(computed.size(), expected.size()) << file << ": " << name;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool is_relative = step->comparison == Comparison::kRelative;
        const auto limit = 1e-5 * (is_relative ? std::abs(expected[i]) : std::max(1.0, std::abs(expected[i])));
        EXPECT_NEAR(computed[i], expected[i], limit) << file << ": " << name << ", number " << i;
      }
    }
  }
  EXPECT_EQ(files, shipped_files());  // scripts/make-exercise-golden adds what is missing
}

}  // namespace
}  // namespace translate::tools
