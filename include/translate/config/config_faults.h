#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "translate/config/validate.h"

namespace translate {

/// What is wrong with a configuration, gathered so that all of it is told at once.
class ConfigFaults {
 public:
  /// Runs `read`, which sets the key (or object) at `path`. A ConfigError that it throws is gathered, and what is at
  /// `path` counts as unknown.
  void gather(const std::string& path, const std::function<void()>& read);

  /// Gathers a message that needs no key.
  void add(const std::string& message);

  /// What is at `path` was meant to be set, in a way that is wrong.
  void add_unknown(const std::string& path);

  /// True where nothing is known of a value that the fault is about: it may be none at all then.
  [[nodiscard]] bool hide(const KeyFault& fault) const;

  /// Throws ConfigError with a line for each fault, where there is one; with a heading where there are several.
  void throw_all() const;

  /// The same without the heading, for a caller that gathers in its turn.
  void throw_lines() const;

 private:
  [[nodiscard]] bool is_unknown(const std::string& path) const;

  std::string lines_;
  std::size_t count_ = 0;
  std::vector<std::string> unknown_;
};

}  // namespace translate
