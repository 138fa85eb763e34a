#include "checkpoint/shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "core/file.h"
#include "corpora/unpacked_file.h"

namespace translate {

namespace {

constexpr std::uint64_t kMagic = 0xF11A48D5013417F5;
constexpr std::size_t kNumber = sizeof(std::uint64_t);

/// The numbers at the beginning of the file.
struct Header {
  std::uint64_t magic;
  std::uint64_t checksum;
  std::uint64_t frequent;
  std::uint32_t most;          ///< of the ids in a list
  std::uint32_t vocabularies;  ///< their checksum; 0: unknown
  std::uint64_t offsets;
  std::uint64_t ids;
};

template <class Number>
Number number_at(std::string_view file, std::uint64_t offset) {
  Number number = 0;
  std::memcpy(&number, file.data() + offset, sizeof(number));
  return number;
}

template <class Number>
void append(Number number, std::string& file) {
  const auto size = file.size();
  file.resize(size + sizeof(number));
  std::memcpy(file.data() + size, &number, sizeof(number));
}

/// The sum over the numbers of 64 bits from Header::frequent on; an odd number of 32 bits at the end does not count.
std::uint64_t checksum_of(std::string_view file) {
  std::uint64_t sum = 0;
  for (std::size_t place = 2 * kNumber; place + kNumber <= file.size(); place += kNumber) {
    sum ^= number_at<std::uint64_t>(file, place) + 0x9e3779b9 + (sum << 6U) + (sum >> 2U);
  }
  return sum;
}

/// The number of subwords without a padding that is the last of them.
std::int64_t size_without_padding(const Tokenizer& tokenizer) {
  const auto size = tokenizer.vocab_size();
  return tokenizer.special_tokens().pad == size - 1 ? size - 1 : size;
}

/// The first `size` subwords, a line each.
std::string subwords_of(const Tokenizer& tokenizer, std::int64_t size) {
  std::string all;
  for (std::int64_t id = 0; id < size; ++id) {
    all.append(tokenizer.subword(id)).push_back('\n');
  }
  return all;
}

}  // namespace

ListedVocabularies listed_vocabularies(const TokenizerPair& tokenizers) {
  const auto source = size_without_padding(tokenizers.source);
  const auto target = size_without_padding(tokenizers.target);
  return {.source = source,
          .target = target,
          .eos = tokenizers.target.special_tokens().eos,
          .are_one = tokenizers.source.serialized() == tokenizers.target.serialized(),
          .checksum = crc32(subwords_of(tokenizers.source, source) + subwords_of(tokenizers.target, target))};
}

Shortlist::Shortlist(std::string_view file, const std::string& name, const ListedVocabularies& vocabularies)
    : vocabularies_(vocabularies) {
  const auto fail = [&](const std::string& problem) { throw CheckpointError(fmt::format("{}: {}", name, problem)); };
  if (file.size() < sizeof(Header) || number_at<std::uint64_t>(file, 0) != kMagic) {
    fail("truncated, or not a shortlist in the format of Bergamot and Firefox");
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
  if (header.offsets != static_cast<std::uint64_t>(vocabularies.source) + 1) {
    fail(fmt::format("it is for a vocabulary of {} source subwords, but the model's has {}", header.offsets - 1,
                     vocabularies.source));
  }
  if (header.checksum != checksum_of(file)) {
    fail("damaged: its checksum is wrong");
  }
  if (header.vocabularies != 0 && header.vocabularies != vocabularies.checksum) {
    fail(
        "it was learnt for a vocabulary of the same size, but with other subwords: learn one for this model "
        "(translate-data shortlist --checkpoint MODEL)");
  }
  if (header.frequent > static_cast<std::uint64_t>(vocabularies.target)) {
    fail(fmt::format("it allows the {} most frequent target subwords, but the model's vocabulary has {}",
                     header.frequent, vocabularies.target));
  }
  frequent_ = static_cast<std::int64_t>(header.frequent);
  for (std::uint64_t i = 0; i < header.offsets; ++i) {
    const auto offset = number_at<std::uint64_t>(file, sizeof(Header) + i * kNumber);
    if (offset < (begins_.empty() ? 0 : begins_.back()) || offset > header.ids) {
      fail(fmt::format("damaged: the list of source subword {} begins outside of it", i));
    }
    begins_.push_back(offset);
  }
  for (std::uint64_t i = 0; i < header.ids; ++i) {
    const auto id = number_at<std::uint32_t>(file, sizeof(Header) + header.offsets * kNumber + i * 4);
    if (id >= static_cast<std::uint64_t>(vocabularies.target)) {
      fail(fmt::format("it names the target subword {}, but the model's vocabulary has {}", id, vocabularies.target));
    }
    ids_.push_back(id);
  }
}

std::vector<std::int64_t> Shortlist::subwords_for(std::span<const std::int64_t> source,
                                                  std::span<const std::int64_t> others) const {
  constexpr std::uint64_t kBits = 64;
  // A bit for each subword: sorting would take as long as a step of decoding. A subword of `others` may be the padding.
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(vocabularies_.target) / kBits + 1);
  const auto take = [&](std::uint64_t subword) { bits[subword / kBits] |= std::uint64_t{1} << subword % kBits; };
  for (std::int64_t subword = 0; subword < frequent_; ++subword) {
    take(static_cast<std::uint64_t>(subword));
  }
  take(static_cast<std::uint64_t>(vocabularies_.eos));
  for (const auto subword : others) {
    take(static_cast<std::uint64_t>(subword));
  }
  for (const auto subword : source) {
    if (subword >= vocabularies_.source) {
      continue;  // a padding
    }
    if (vocabularies_.are_one) {
      take(static_cast<std::uint64_t>(subword));
    }
    const auto place = static_cast<std::size_t>(subword);
    for (auto i = begins_[place]; i < begins_[place + 1]; ++i) {
      take(ids_[i]);
    }
  }
  std::vector<std::int64_t> subwords;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (auto left = bits[i]; left != 0; left &= left - 1) {
      subwords.push_back(static_cast<std::int64_t>(i * kBits) + std::countr_zero(left));
    }
  }
  return subwords;
}

std::shared_ptr<const Shortlist> read_shortlist(const std::filesystem::path& path, const TokenizerPair& tokenizers) {
  if (path.empty()) {
    return nullptr;
  }
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
  return std::make_shared<const Shortlist>(read_unpacked(path, kMostBytes, "a shortlist"), path.string(),
                                           listed_vocabularies(tokenizers));
}

std::string shortlist_file(const std::vector<std::vector<std::uint32_t>>& lists, std::uint32_t most,
                           std::uint32_t vocabularies) {
  std::uint64_t ids = 0;
  for (const auto& list : lists) {
    ids += list.size();
  }
  const Header header{.magic = kMagic,
                      .checksum = 0,  // below
                      .frequent = 0,
                      .most = most,
                      .vocabularies = vocabularies,
                      .offsets = static_cast<std::uint64_t>(lists.size()) + 1,
                      .ids = ids};
  std::string file(sizeof(header), '\0');
  std::memcpy(file.data(), &header, sizeof(header));
  std::uint64_t begin = 0;
  append(begin, file);
  for (const auto& list : lists) {
    append(begin += list.size(), file);
  }
  for (const auto& list : lists) {
    for (const auto id : list) {
      append(id, file);
    }
  }
  const auto checksum = checksum_of(file);
  std::memcpy(file.data() + kNumber, &checksum, sizeof(checksum));
  return file;
}

}  // namespace translate
