#pragma once

#include <filesystem>
#include <string>

namespace translate {

/// Returns the licence that a model's own card states: the value of `license` in the front matter of README.md, as the
/// Hugging Face hub and model_card() write it. Empty if there is no such card (the path may be a file) or no such line.
[[nodiscard]] std::string license_of_card(const std::filesystem::path& model);

}  // namespace translate
