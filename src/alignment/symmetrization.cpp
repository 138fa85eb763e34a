#include "alignment/symmetrization.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace translate {

namespace {

/// The links that have been chosen, and those that may be.
class GrowingAlignment {
 public:
  GrowingAlignment(std::span<const std::int32_t> source_of_target, std::span<const std::int32_t> target_of_source)
      : sources_(std::ssize(target_of_source)), targets_(std::ssize(source_of_target)) {
    const auto cells = target_of_source.size() * source_of_target.size();
    in_union_.resize(cells);
    source_linked_.resize(target_of_source.size());
    target_linked_.resize(source_of_target.size());
    for (std::ptrdiff_t target = 0; target < targets_; ++target) {
      const auto source = source_of_target[static_cast<std::size_t>(target)];
      if (source == kNoWord) {
        continue;
      }
      in_union_[cell(source, target)] = true;
      if (target_of_source[static_cast<std::size_t>(source)] == target) {
        choose(source, target);
      }
    }
    for (std::ptrdiff_t source = 0; source < sources_; ++source) {
      const auto target = target_of_source[static_cast<std::size_t>(source)];
      if (target != kNoWord) {
        in_union_[cell(source, target)] = true;
      }
    }
  }

  /// Adds links of the union around present ones, including those that it adds, until none is left.
  void grow() {
    constexpr std::array<std::pair<int, int>, 8> kNeighbours{
        {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};
    for (std::size_t next = 0; next < order_.size(); ++next) {
      const auto [source, target] = order_[next];
      for (const auto& [down, right] : kNeighbours) {
        const auto near_source = source + down;
        const auto near_target = target + right;
        const bool inside = near_source >= 0 && near_source < sources_ && near_target >= 0 && near_target < targets_;
        if (inside && in_union_[cell(near_source, near_target)] &&
            !(source_has_link(near_source) && target_has_link(near_target))) {
          choose(near_source, near_target);
        }
      }
    }
  }

  /// Adds a link if neither of its words has one.
  void add_if_free(std::ptrdiff_t source, std::ptrdiff_t target) {
    if (!source_has_link(source) && !target_has_link(target)) {
      choose(source, target);
    }
  }

  [[nodiscard]] Alignment links() const {
    Alignment alignment;
    for (const auto& [source, target] : order_) {
      alignment.push_back({.source = source, .target = target});
    }
    std::ranges::sort(alignment);
    return alignment;
  }

 private:
  [[nodiscard]] std::size_t cell(std::ptrdiff_t source, std::ptrdiff_t target) const {
    return static_cast<std::size_t>(source * targets_ + target);
  }
  [[nodiscard]] bool source_has_link(std::ptrdiff_t source) const {
    return source_linked_[static_cast<std::size_t>(source)];
  }
  [[nodiscard]] bool target_has_link(std::ptrdiff_t target) const {
    return target_linked_[static_cast<std::size_t>(target)];
  }

  void choose(std::ptrdiff_t source, std::ptrdiff_t target) {
    source_linked_[static_cast<std::size_t>(source)] = true;
    target_linked_[static_cast<std::size_t>(target)] = true;
    order_.emplace_back(source, target);
  }

  std::ptrdiff_t sources_;
  std::ptrdiff_t targets_;
  std::vector<bool> in_union_;  // [sources, targets]: links of either direction
  std::vector<bool> source_linked_;
  std::vector<bool> target_linked_;
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> order_;  // chosen links, as they were chosen
};

}  // namespace

Alignment grow_diag_final_and(std::span<const std::int32_t> source_of_target,
                              std::span<const std::int32_t> target_of_source) {
  GrowingAlignment growing(source_of_target, target_of_source);
  growing.grow();
  for (std::size_t target = 0; target < source_of_target.size(); ++target) {
    if (source_of_target[target] != kNoWord) {
      growing.add_if_free(source_of_target[target], static_cast<std::ptrdiff_t>(target));
    }
  }
  for (std::size_t source = 0; source < target_of_source.size(); ++source) {
    if (target_of_source[source] != kNoWord) {
      growing.add_if_free(static_cast<std::ptrdiff_t>(source), target_of_source[source]);
    }
  }
  return growing.links();
}

}  // namespace translate
