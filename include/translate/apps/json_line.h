#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace translate {

/// JSON on one line, without its newline, as every program prints it: UTF-8 as it is, U+FFFD for what is none.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

}  // namespace translate
