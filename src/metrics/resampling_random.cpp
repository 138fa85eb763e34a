#include "translate/metrics/resampling_random.h"

#include <bit>
#include <cstddef>

namespace translate {
namespace {

/// NumPy's SeedSequence (after O'Neill's seed_seq_fe): a seed is spread over a pool of four words, and any number of
/// words drawn from the pool.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> entropy = {static_cast<std::uint32_t>(seed),
                                                  static_cast<std::uint32_t>(seed >> 32U), 0, 0};
    std::uint32_t constant = 0x43b0d7e5U;
    const auto hash = [&constant](std::uint32_t value) {
      value ^= constant;
      constant *= 0x931e8875U;
      value *= constant;
      return value ^ (value >> 16U);
    };
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(entropy[i]);
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = mix(pool_[to], hash(pool_[from]));
      }
    }
  }

  /// The first words that it gives, two of 32 bits in each.
  [[nodiscard]] std::array<std::uint64_t, 4> words() const {
    std::array<std::uint64_t, 4> words{};
    std::uint32_t constant = 0x8b51f9ddU;
    for (std::size_t i = 0; i < 2 * words.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ constant;
      constant *= 0x58f38dedU;
      value *= constant;
      value ^= value >> 16U;
      words[i / 2] |= static_cast<std::uint64_t>(value) << (32U * (i % 2));
    }
    return words;
  }

 private:
  static std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t mixed = 0xca01f9ddU * a - 0x4973f715U * b;
    return mixed ^ (mixed >> 16U);
  }

  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

ResamplingRandom::ResamplingRandom(std::uint64_t seed) {
  const auto words = SeedSequence(seed).words();
  increment_ = {(words[2] << 1U) | (words[3] >> 63U), (words[3] << 1U) | 1U};
  step();
  state_ = add(state_, {words[0], words[1]});
  step();
}

std::uint32_t ResamplingRandom::below(std::uint32_t limit) {
  if (limit == 1) return 0;
  std::uint64_t product = static_cast<std::uint64_t>(next_32()) * limit;
  if (static_cast<std::uint32_t>(product) < limit) {
    const std::uint32_t threshold = (0U - limit) % limit;
    while (static_cast<std::uint32_t>(product) < threshold) product = static_cast<std::uint64_t>(next_32()) * limit;
  }
  return static_cast<std::uint32_t>(product >> 32U);
}

bool ResamplingRandom::flag() {
  if (flags_left_ == 0) {
    flags_ = next_32();
    flags_left_ = 32;
  }
  const bool set = (flags_ & 1U) != 0;
  flags_ >>= 1U;
  --flags_left_;
  return set;
}

ResamplingRandom::Wide ResamplingRandom::add(Wide a, Wide b) {
  const std::uint64_t low = a.low + b.low;
  return {a.high + b.high + (low < a.low ? 1U : 0U), low};
}

ResamplingRandom::Wide ResamplingRandom::multiply(Wide a, Wide b) {
  const auto lower = [](std::uint64_t x) { return x & 0xffffffffU; };
  const auto upper = [](std::uint64_t x) { return x >> 32U; };
  const std::uint64_t low_low = lower(a.low) * lower(b.low);
  const std::uint64_t high_low = upper(a.low) * lower(b.low) + upper(low_low);
  const std::uint64_t low_high = lower(a.low) * upper(b.low) + lower(high_low);
  const std::uint64_t carried = upper(a.low) * upper(b.low) + upper(high_low) + upper(low_high);
  return {carried + a.high * b.low + a.low * b.high, (low_high << 32U) | lower(low_low)};
}

void ResamplingRandom::step() {
  state_ = add(multiply(state_, {0x2360ED051FC65DA4U, 0x4385DF649FCCF645U}), increment_);
}

std::uint64_t ResamplingRandom::next_64() {
  step();
  return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58U));
}

std::uint32_t ResamplingRandom::next_32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const std::uint64_t both = next_64();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

}  // namespace translate
