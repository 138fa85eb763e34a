#include "inference/attention_cache.h"

#include <algorithm>
#include <utility>

namespace translate {

void KeyValueRows::keep(std::int64_t count, const float* from, std::int64_t stride, float* to) const {
  for (std::int64_t row = 0; row < count; ++row, from += stride, to += size()) {
    if (half_) {
      round_to_half(from, 2 * d_model_, reinterpret_cast<Half*>(to));
    } else {
      std::copy_n(from, 2 * d_model_, to);
    }
  }
}

void KeyValueRows::attend(const HeadShape& shape, const float* query, const float* kept, const std::int32_t* index,
                          std::int64_t count, float* weights, float* out) const {
  const auto attend_to = [&](const auto* data) {
    using Number = std::remove_cvref_t<decltype(*data)>;
    const CachedRows<Number> rows{data, 2 * d_model_, d_model_, index, count};
    attend_to_cache(shape, query, rows, weights, out);
  };
  if (half_) {
    attend_to(reinterpret_cast<const Half*>(kept));
  } else {
    attend_to(kept);
  }
}

TargetCache::TargetCache(std::int64_t layers, std::int64_t width)
    : width_(width), values_(static_cast<std::size_t>(layers)) {}

void TargetCache::add(std::int64_t count) {
  rows_.resize(rows_.size() + static_cast<std::size_t>(count));
  places_.resize(rows_.size() * static_cast<std::size_t>(capacity_));
}

std::int32_t TargetCache::new_node(std::int32_t parent) {
  std::int32_t node = 0;
  if (free_.empty()) {
    node = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[static_cast<std::size_t>(node)] = {.parent = parent, .users = 1};
  return node;
}

void TargetCache::release(std::int32_t node) {
  while (node != kNone && --nodes_[static_cast<std::size_t>(node)].users == 0) {
    free_.push_back(node);
    node = nodes_[static_cast<std::size_t>(node)].parent;
  }
}

void TargetCache::widen_rows(std::int64_t capacity) {
  std::vector<std::int32_t> wider(rows_.size() * static_cast<std::size_t>(capacity));
  for (std::int64_t row = 0; row < rows(); ++row) {
    std::copy_n(places(row), length(row), wider.data() + row * capacity);
  }
  places_ = std::move(wider);
  capacity_ = capacity;
}

void TargetCache::extend() {
  const auto longest = std::ranges::max_element(rows_, {}, &Row::length);
  if (longest != rows_.end() && longest->length == capacity_) {
    widen_rows(2 * capacity_);
  }
  for (std::int64_t i = 0; i < rows(); ++i) {
    auto& row = rows_[static_cast<std::size_t>(i)];
    row.last = new_node(row.last);  // the new node takes over the row's use of the previous position
    places_[static_cast<std::size_t>(i * capacity_ + row.length)] = row.last;
    ++row.length;
  }
  reserve_places(std::ssize(nodes_));
}

void TargetCache::reserve_places(std::int64_t count) {
  if (count <= reserved_) {
    return;
  }
  const auto wanted = std::max(count, 2 * reserved_);
  for (auto& layer : values_) {
    layer.grow(static_cast<std::size_t>(wanted * width_));
  }
  reserved_ = wanted;
}

void TargetCache::select(std::span<const std::int64_t> parents) {
  next_rows_.clear();
  next_places_.resize(parents.size() * static_cast<std::size_t>(capacity_));
  auto* to = next_places_.data();
  for (const auto parent : parents) {
    const auto& row = rows_[static_cast<std::size_t>(parent)];
    if (row.last != kNone) {
      ++nodes_[static_cast<std::size_t>(row.last)].users;
    }
    next_rows_.push_back(row);
    std::copy_n(places(parent), row.length, to);
    to += capacity_;
  }
  for (const auto& row : rows_) {
    release(row.last);
  }
  std::swap(rows_, next_rows_);
  std::swap(places_, next_places_);
}

}  // namespace translate
