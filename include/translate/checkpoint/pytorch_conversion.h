#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace translate {

/// How the two lines of a conversion come by the weights.
struct PytorchConversion {
  std::string_view load;     ///< a Python expression in which {} stands for the file's name, quoted
  std::string_view weights;  ///< a Python expression of `state`, what was loaded
};

/// For files of torch.save that hold more than data, or are older than PyTorch 1.6.
inline constexpr std::string_view kTorchLoad = "torch.load({}, map_location=\"cpu\", weights_only=False)";

/// Two indented lines of Python that turn `file` into one that can be read here, for the end of an error message.
[[nodiscard]] std::string pytorch_conversion(const std::filesystem::path& file, const PytorchConversion& conversion);

}  // namespace translate
