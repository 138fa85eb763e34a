#pragma once

#include <optional>
#include <string_view>

namespace translate {

/// Returns the key of the configuration that has another name in other systems (fairseq, OpenNMT, Marian, PyTorch's and
/// Hugging Face's trainers): "training.learning_rate" of "lr". Nothing if the name is unknown.
[[nodiscard]] std::optional<std::string_view> key_of_usual_name(std::string_view name);

}  // namespace translate
