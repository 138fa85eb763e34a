#pragma once

#include <compare>
#include <string>
#include <vector>

namespace translate::simulated {

/// A place in the program: the return addresses of the calls that led there. Taking one is quick; its text, with the
/// names of functions, is made when somebody reads it.
class StackTrace {
 public:
  /// The caller's place.
  [[nodiscard]] static StackTrace here();

  /// A line for each call, the innermost first.
  [[nodiscard]] std::string text() const;

  auto operator<=>(const StackTrace&) const = default;

 private:
  std::vector<void*> addresses_;
};

}  // namespace translate::simulated
