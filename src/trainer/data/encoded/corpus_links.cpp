#include "data/encoded/corpus_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"

namespace translate::trainer {

static_assert(std::endian::native == std::endian::little, "files of links are little endian");

namespace {

// The file: the begin, three numbers, the description of the inputs, for each pair the end of its links (8 bytes), the
// links, and the CRC-32 of all of this.

constexpr std::string_view kLinksFileBegin = "LINKS001";
/// The CRC-32 of any bytes that are followed by their own CRC-32.
constexpr std::uint32_t kSumWithSum = 0x2144df1c;

struct LinksHeader {
  std::uint64_t pairs = 0;
  std::uint64_t links = 0;
  std::uint64_t made_from_size = 0;
};

struct StoredLink {
  std::uint16_t source = 0;
  std::uint16_t target = 0;
};

template <class Number>
std::string_view bytes_of(const Number* numbers, std::size_t count = 1) {
  return {reinterpret_cast<const char*>(numbers), count * sizeof(Number)};
}

}  // namespace

void LinksWriter::append(const Alignment& links) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
  for (const auto& [source, target] : links) {
    if (source <= kMost && target <= kMost) {
      const StoredLink link{static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)};
      links_ += bytes_of(&link);
    }
  }
  ends_.push_back(links_.size() / sizeof(StoredLink));
}

void LinksWriter::write(const std::filesystem::path& path, const std::string& made_from) const {
  const LinksHeader header{
      .pairs = ends_.size(), .links = links_.size() / sizeof(StoredLink), .made_from_size = made_from.size()};
  std::string content(kLinksFileBegin);
  content += bytes_of(&header);
  content += made_from;
  content += bytes_of(ends_.data(), ends_.size());
  content += links_;
  const std::uint32_t sum = crc32(content);
  content += bytes_of(&sum);
  write_file_atomically(path, content);
}

CorpusLinks::CorpusLinks(const std::filesystem::path& path, std::size_t pairs) : file_(path) {
  try {
    if (crc32_of_file(path) != kSumWithSum) {
      throw RuntimeError("its CRC-32 differs from its content's");
    }
    read_header(pairs);
    file_.check_unchanged();
  } catch (const RuntimeError& error) {
    throw RuntimeError(fmt::format("{}: not a whole file of links: {}", path.string(), error.what()));
  }
}

void CorpusLinks::read_header(std::size_t pairs) {
  constexpr std::uint64_t kHeaderEnd = kLinksFileBegin.size() + sizeof(LinksHeader);
  std::array<char, kLinksFileBegin.size()> begin{};
  LinksHeader header;
  if (file_.size() < kHeaderEnd) {
    throw RuntimeError("it is too short");
  }
  file_.read(0, begin);
  file_.read(begin.size(), {reinterpret_cast<char*>(&header), sizeof(header)});
  const auto most = file_.size();  // no sum of the following overflows
  if (std::string_view(begin.data(), begin.size()) != kLinksFileBegin ||
      std::max({header.pairs, header.links, header.made_from_size}) > most ||
      kHeaderEnd + header.made_from_size + header.pairs * sizeof(std::uint64_t) + header.links * sizeof(StoredLink) +
              sizeof(std::uint32_t) !=
          most) {
    throw RuntimeError("its size and its header do not agree");
  }
  if (header.pairs != pairs) {
    throw RuntimeError(fmt::format("it has the links of {} pairs; expected {}", header.pairs, pairs));
  }
  made_from_.resize(header.made_from_size);
  file_.read(kHeaderEnd, made_from_);
  links_ = header.links;
  ends_at_ = kHeaderEnd + header.made_from_size;
  links_at_ = ends_at_ + header.pairs * sizeof(std::uint64_t);
}

Alignment CorpusLinks::links(std::size_t pair) const {
  constexpr std::uint64_t kEnd = sizeof(std::uint64_t);
  std::array<std::uint64_t, 2> ends{};
  const std::size_t count = pair == 0 ? 1 : 2;
  file_.read_unchecked(ends_at_ + (pair + 1 - count) * kEnd,
                       {reinterpret_cast<char*>(ends.data() + 2 - count), count * kEnd});
  if (ends[0] > ends[1] || ends[1] > links_) {
    file_.check_unchanged();
    throw RuntimeError(fmt::format("{}: the links of pair {} are damaged", file_.path().string(), pair + 1));
  }
  std::vector<StoredLink> stored(ends[1] - ends[0]);
  file_.read(links_at_ + ends[0] * sizeof(StoredLink),
             {reinterpret_cast<char*>(stored.data()), stored.size() * sizeof(StoredLink)});
  Alignment links;
  links.reserve(stored.size());
  for (const auto& [source, target] : stored) {
    links.push_back({.source = source, .target = target});
  }
  return links;
}

std::shared_ptr<const CorpusLinks> open_links(const std::filesystem::path& file, std::size_t pairs,
                                              const std::string& made_from, std::string_view again) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return nullptr;
  }
  try {
    auto links = std::make_shared<const CorpusLinks>(file, pairs);
    if (links->made_from() == made_from) {
      return links;
    }
    log_info(fmt::format("alignment: {} was made from other pairs or links; {}", file.string(), again));
  } catch (const RuntimeError& error) {
    log_warning(fmt::format("alignment: {}; {}", error.what(), again));
  }
  return nullptr;
}

}  // namespace translate::trainer
