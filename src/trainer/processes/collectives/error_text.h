#pragma once

#include <exception>
#include <string>

namespace translate::trainer {

/// Returns the message of an error in one line: LibTorch's without their stack.
[[nodiscard]] std::string one_line(const std::exception& error);

}  // namespace translate::trainer
