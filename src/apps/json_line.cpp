#include "translate/apps/json_line.h"

namespace translate {

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace translate
