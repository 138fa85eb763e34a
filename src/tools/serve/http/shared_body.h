#pragma once

#include <memory>
#include <string>

namespace translate {

/// The body of an answer that is the same for all clients: made and compressed once, and shared by all answers that
/// have it, so that it takes no memory for each of them.
struct SharedBody {
  std::string bytes;
  std::shared_ptr<const SharedBody> gzip = nullptr;  ///< the same, compressed; nothing if that is not worthwhile
};

/// Returns the body with these bytes, which it compresses if that is worthwhile.
[[nodiscard]] std::shared_ptr<const SharedBody> share_body(std::string bytes);

}  // namespace translate
