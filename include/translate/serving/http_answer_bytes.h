#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "translate/serving/http_message.h"
#include "translate/serving/http_request_head.h"

namespace translate {

/// How long a connection lives on after an answer.
struct KeepAlive {
  std::chrono::seconds idle;  ///< until the next request
  std::size_t requests;       ///< at most
};

/// An answer as it is sent: its head, and its body unless the request was HEAD. Without `keep_alive` it says that the
/// connection is closed.
[[nodiscard]] std::string http_answer_bytes(const HttpAnswer& answer, const HttpHead& head,
                                            const std::optional<KeepAlive>& keep_alive);

}  // namespace translate
