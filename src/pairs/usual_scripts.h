#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace translate {

/// The scripts that a text is usually written in.
class UsualScripts {
 public:
  /// Learns from a sentence (valid UTF-8).
  void add(std::string_view text);

  /// Whether fewer than half of a sentence's letters are in scripts that at least a hundredth of the letters learnt
  /// are in. False as long as hardly any letters were learnt, and for a sentence without letters.
  [[nodiscard]] bool is_other(std::string_view text) const;

 private:
  std::map<int, std::uint64_t> letters_;  ///< by ICU's number of the script
  std::uint64_t all_ = 0;
};

}  // namespace translate
