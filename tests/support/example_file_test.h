#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "explain/worked_example.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {

/// A fixture that computes exercises from the text of their files.
class ExampleFileTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] tools::WorkedExample compute(const std::string& json) const {
    std::ofstream(folder_ / "example.json") << json;
    return tools::compute_example(folder_ / "example.json");
  }

  /// The message of the ConfigError that a wrong file gives.
  [[nodiscard]] std::string complaint(const std::string& json) const {
    return testing::error_of<ConfigError>([&] { return compute(json); });
  }

  [[nodiscard]] static const tools::ExampleStep& step_of(const tools::WorkedExample& example, const std::string& name) {
    const auto found = std::ranges::find(example.steps, name, &tools::ExampleStep::name);
    if (found == example.steps.end()) {
      throw std::out_of_range("the exercise has no step " + name);
    }
    return *found;
  }

  [[nodiscard]] static const at::Tensor& value_of(const tools::WorkedExample& example, const std::string& name) {
    return step_of(example, name).value;
  }

  [[nodiscard]] static std::vector<std::string> names_of(const tools::WorkedExample& example) {
    std::vector<std::string> names;
    for (const auto& step : example.steps) {
      names.push_back(step.name);
    }
    return names;
  }
};

}  // namespace translate
