#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "translate/serving/http_message.h"

namespace translate {

/// The content of a body with that Content-Encoding: none, "identity", "gzip" or "deflate". Throws RequestError: 415 if
/// it is another one, 400 if the body is damaged, 413 if the content is longer than `limit` bytes.
[[nodiscard]] std::string decode_content(std::string body, std::string_view coding, std::size_t limit);

/// Compresses the body of an answer if that is worthwhile and the client takes gzip, as its Accept-Encoding says.
void compress_answer(HttpAnswer& answer, std::string_view accepted);

}  // namespace translate
