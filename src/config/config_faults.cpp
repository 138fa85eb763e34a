#include "translate/config/config_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "translate/config/key_table.h"
#include "translate/core/error.h"

namespace translate {

void ConfigFaults::gather(const std::string& path, const std::function<void()>& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    add(error.what());
    add_unknown(path);
  }
}

void ConfigFaults::add(const std::string& message) {
  if (!lines_.empty()) lines_ += "\n";
  lines_ += message;
  count_ += 1 + static_cast<std::size_t>(std::ranges::count(message, '\n'));
}

void ConfigFaults::add_unknown(const std::string& path) { unknown_.push_back(path); }

bool ConfigFaults::is_unknown(const std::string& path) const {
  return std::ranges::any_of(unknown_, [&](const std::string& other) {
    return path == other || path.starts_with(other + ".") || other.starts_with(path + ".");
  });
}

bool ConfigFaults::hide(const KeyFault& fault) const {
  const bool is_key = find_key(fault.key) != nullptr;  // not an object, in which other keys may be wrong
  return (is_key && is_unknown(fault.key)) ||
         std::ranges::any_of(fault.others, [this](const std::string& key) { return is_unknown(key); });
}

void ConfigFaults::throw_all() const {
  if (count_ > 1) throw ConfigError(fmt::format("{} errors in the configuration:\n{}", count_, lines_));
  throw_lines();
}

void ConfigFaults::throw_lines() const {
  if (count_ > 0) throw ConfigError(lines_);
}

}  // namespace translate
