#include "command_line/language_option.h"

#include <fmt/format.h>

#include "config/language_code.h"
#include "core/foreign_text.h"

namespace translate {

CLI::Option* add_language_option(CLI::App& app, const std::string& name, std::string& code, const std::string& help) {
  const auto check = [](const std::string& text) {
    if (text.empty() || is_language_code(text)) {
      return std::string();
    }
    return fmt::format("expected a language code of letters, digits, '-' and '_', such as pt-BR, got \"{}\"",
                       shown(text));
  };
  return app.add_option(name, code, help)->type_name("CODE")->check(check);
}

}  // namespace translate
