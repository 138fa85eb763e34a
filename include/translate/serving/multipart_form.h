#pragma once

#include <string_view>

#include "translate/serving/form_text.h"

namespace translate {

/// The fields of a multipart/form-data body (RFC 7578), those with a file included; `content_type` is the request's and
/// names the boundary. Throws RequestError (400) if the body is not such a form.
[[nodiscard]] FormFields multipart_fields(std::string_view content_type, std::string_view body);

}  // namespace translate
