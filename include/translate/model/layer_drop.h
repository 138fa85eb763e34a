#pragma once

namespace translate {

/// LayerDrop (Fan et al. 2019, "Reducing transformer depth on demand with structured dropout"): in training a layer is
/// left out of a pass with `probability`; what the others give is not scaled, and translating uses all of them. Drawn
/// from the CPU's default generator, for all sentences of a pass at once; nothing is drawn where nothing is left out.
class LayerDrop {
 public:
  explicit LayerDrop(double probability) : probability_(probability) {}

  /// Draws whether the next layer is left out.
  [[nodiscard]] bool skips(bool is_training) const;

 private:
  double probability_;
};

}  // namespace translate
