#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/http/http_messages.h"

namespace translate::tools {

/// Names and values, in the order of the request.
using FormFields = std::vector<std::pair<std::string, std::string>>;

/// Returns the text with each "%XX" replaced by its byte. A percent sign without two digits stays.
[[nodiscard]] std::string decode_percent(std::string_view text);

/// Returns the fields of an application/x-www-form-urlencoded text, the body of a form or a query: "a=1&b=2", where '+'
/// is a space.
[[nodiscard]] FormFields form_fields(std::string_view text);

/// A part of a multipart/form-data body.
struct FormPart {
  std::string name;
  std::optional<std::string> file_name;  ///< as sent, of a part that is a file
  std::string_view value;                ///< in the body
};

/// Returns the parts of a multipart/form-data body (RFC 7578), which must outlive them; `content_type` is the request's
/// and names the boundary. Throws RequestError (400) if the body is not such a form.
[[nodiscard]] std::vector<FormPart> multipart_parts(std::string_view content_type, std::string_view body);

/// Returns the same parts, including those with a file, as fields.
[[nodiscard]] FormFields multipart_fields(std::string_view content_type, std::string_view body);

/// Returns the decoded content of a body with that Content-Encoding: none, "identity", "gzip" or "deflate". Throws
/// RequestError: 415 for another encoding, 400 if the body is damaged, 413 if the content is longer than `limit` bytes.
[[nodiscard]] std::string decode_content(std::string body, std::string_view coding, std::size_t limit);

/// Returns the body with these bytes, which it compresses if that is worthwhile.
[[nodiscard]] std::shared_ptr<const SharedBody> share_body(std::string bytes);

/// Compresses the body of an answer if that is worthwhile and the client accepts gzip, by its Accept-Encoding. In place
/// of a shared body, the answer gets the compressed one that is shared, too.
void compress_answer(HttpAnswer& answer, std::string_view accepted);

}  // namespace translate::tools
