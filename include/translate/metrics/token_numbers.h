#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace translate {

/// Gives each distinct token a number, so that sequences are compared as numbers.
class TokenNumbers {
 public:
  [[nodiscard]] std::vector<std::uint32_t> encode(std::vector<std::string> tokens) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(tokens.size());
    for (std::string& token : tokens) {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      numbers.push_back(numbers_.try_emplace(std::move(token), next).first->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace translate
