#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

namespace translate::tools {

/// How the difference between a value and its claim is measured.
enum class Comparison {
  kAbsolute,  ///< as it is
  kRelative,  ///< as a share of the value, for steps whose values differ in size by orders of magnitude
};

/// A step of an exercise, and what its file claims of it.
struct ExampleStep {
  /// Another value that a claim may have, because all later steps come out the same.
  struct Equivalent {
    at::Tensor value;
    std::string meaning;  ///< how one arrives at it, in a few words
  };

  /// The numbers where value and claim differ most.
  struct Contrast {
    double value = 0.0;
    double claimed = 0.0;
  };

  std::string name;
  std::string meaning;  ///< the formula, in a few words
  at::Tensor value;     ///< (rows, columns), or (heads, rows, columns) with several heads
  Comparison comparison = Comparison::kAbsolute;
  std::optional<Equivalent> equivalent{};
  std::optional<at::Tensor> claimed{};  ///< of the same shape; NaN where the file claims no number
  bool has_blanks = false;              ///< numbers of the claim are still to be filled in by the reader

  /// Returns the largest difference between value and claim; nothing if there is no claim.
  [[nodiscard]] std::optional<double> largest_difference() const;

  /// Returns the largest difference between the equivalent value and the claim; nothing if one of them is missing.
  [[nodiscard]] std::optional<double> difference_from_equivalent() const;

  /// Returns the numbers where they differ most. There must be a claim.
  [[nodiscard]] Contrast largest_contrast() const;
};

}  // namespace translate::tools
