#include "interop/marian/shortlist.h"

#include <fmt/format.h>

#include <cstring>

#include "core/error.h"

namespace translate::tools {

namespace {

constexpr std::uint64_t kMagic = 0xF11A48D5013417F5;
constexpr std::size_t kNumber = sizeof(std::uint64_t);

/// The numbers at the beginning of the file.
struct Header {
  std::uint64_t magic;
  std::uint64_t checksum;
  std::uint64_t first;  ///< the number of most frequent subwords that are always allowed
  std::uint64_t best;   ///< the number of translations of a subword
  std::uint64_t offsets;
  std::uint64_t ids;
};

template <class Number>
Number number_at(std::string_view file, std::uint64_t offset) {
  Number number = 0;
  std::memcpy(&number, file.data() + offset, sizeof(number));
  return number;
}

/// The sum over the numbers of 64 bits from Header::first on; an odd number of 32 bits at the end does not count.
std::uint64_t checksum_of(std::string_view file) {
  std::uint64_t sum = 0;
  for (std::size_t place = 2 * kNumber; place + kNumber <= file.size(); place += kNumber) {
    sum ^= number_at<std::uint64_t>(file, place) + 0x9e3779b9 + (sum << 6U) + (sum >> 2U);
  }
  return sum;
}

}  // namespace

void check_marian_shortlist(std::string_view file, const std::string& name, std::int64_t source, std::int64_t target) {
  const auto fail = [&](const std::string& problem) { throw CheckpointError(fmt::format("{}: {}", name, problem)); };
  if (file.size() < sizeof(Header) || number_at<std::uint64_t>(file, 0) != kMagic) {
    fail("truncated, or not a shortlist of Bergamot");
  }
  Header header{};
  std::memcpy(&header, file.data(), sizeof(header));
  const auto left = file.size() - sizeof(Header);
  const bool fits = header.offsets <= left / kNumber && header.ids == (left - header.offsets * kNumber) / 4 &&
                    (left - header.offsets * kNumber) % 4 == 0;
  if (!fits) {
    fail(fmt::format("truncated or damaged: {} offsets and {} subwords cannot be in its {} bytes", header.offsets,
                     header.ids, file.size()));
  }
  if (header.offsets != static_cast<std::uint64_t>(source) + 1) {
    fail(fmt::format("it is for a vocabulary of {} source subwords, but the model's has {}", header.offsets - 1,
                     source));
  }
  if (header.checksum != checksum_of(file)) {
    fail("damaged: its checksum is wrong");
  }
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < header.offsets; ++i) {
    const auto offset = number_at<std::uint64_t>(file, sizeof(Header) + i * kNumber);
    if (offset < last || offset > header.ids) {
      fail(fmt::format("damaged: the list of source subword {} begins outside of it", i));
    }
    last = offset;
  }
  for (std::uint64_t i = 0; i < header.ids; ++i) {
    const auto id = number_at<std::uint32_t>(file, sizeof(Header) + header.offsets * kNumber + i * 4);
    if (id >= static_cast<std::uint64_t>(target)) {
      fail(fmt::format("it names the target subword {}, but the model's vocabulary has {}", id, target));
    }
  }
}

}  // namespace translate::tools
