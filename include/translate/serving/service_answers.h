#pragma once

#include <string_view>

#include "translate/config/json_text.h"
#include "translate/serving/http_message.h"
#include "translate/serving/service_options.h"

namespace translate {

/// JSON, as an answer; what is not UTF-8 in it becomes U+FFFD.
[[nodiscard]] HttpAnswer json_answer(int status, const Json& json);

/// {"error": message}
[[nodiscard]] HttpAnswer error_answer(int status, std::string_view message);

/// The languages, with their names and what they can be translated to; the target, too, for clients look up its name.
[[nodiscard]] HttpAnswer languages_answer(const ServiceOptions& options);

/// What a page of LibreTranslate's asks before it shows itself.
[[nodiscard]] HttpAnswer settings_answer(const ServiceOptions& options);

/// What this server answers to, as OpenAPI 3 has it, with its own languages in the examples.
[[nodiscard]] HttpAnswer description_answer(const ServiceOptions& options);

/// A page, forbidden to load anything from elsewhere or to be framed.
[[nodiscard]] HttpAnswer page_answer(std::string_view page);

/// For OPTIONS: what a browser asks before a script of another site may send something to a path that takes `method`.
[[nodiscard]] HttpAnswer options_answer(std::string_view method);

/// Whether two codes are the same: capitals do not count.
[[nodiscard]] bool same_language(std::string_view a, std::string_view b);

}  // namespace translate
