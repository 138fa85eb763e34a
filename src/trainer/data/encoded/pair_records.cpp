#include "data/encoded/pair_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"

namespace translate::trainer {

static_assert(std::endian::native == std::endian::little, "files of records are little endian");

namespace {

// The file: the begin, three numbers, the description of the inputs, for each pair the end of its records (8 bytes),
// the records, and the CRC-32 of all of this.

constexpr std::size_t kBeginSize = 8;
/// The CRC-32 of any bytes that are followed by their own CRC-32.
constexpr std::uint32_t kSumWithSum = 0x2144df1c;

struct RecordsHeader {
  std::uint64_t pairs = 0;
  std::uint64_t records = 0;
  std::uint64_t made_from_size = 0;
};

template <class Number>
std::string_view bytes_of(const Number* numbers, std::size_t count = 1) {
  return {reinterpret_cast<const char*>(numbers), count * sizeof(Number)};
}

}  // namespace

void PairRecordsWriter::append(std::span<const std::uint32_t> records) {
  records_.insert(records_.end(), records.begin(), records.end());
  ends_.push_back(records_.size());
}

void PairRecordsWriter::write(const std::filesystem::path& path, const RecordKind& kind,
                              const std::string& made_from) const {
  const RecordsHeader header{.pairs = ends_.size(), .records = records_.size(), .made_from_size = made_from.size()};
  std::string content(kind.begin);
  content += bytes_of(&header);
  content += made_from;
  content += bytes_of(ends_.data(), ends_.size());
  content += bytes_of(records_.data(), records_.size());
  const std::uint32_t sum = crc32(content);
  content += bytes_of(&sum);
  write_file_atomically(path, content);
}

PairRecords::PairRecords(const std::filesystem::path& path, std::size_t pairs, const RecordKind& kind)
    : file_(path), kind_(kind) {
  try {
    if (crc32_of_file(path) != kSumWithSum) {
      throw RuntimeError("its CRC-32 differs from its content's");
    }
    read_header(pairs);
    file_.check_unchanged();
  } catch (const RuntimeError& error) {
    throw RuntimeError(fmt::format("{}: not a whole file of {}: {}", path.string(), kind_.name, error.what()));
  }
}

void PairRecords::read_header(std::size_t pairs) {
  constexpr std::uint64_t kHeaderEnd = kBeginSize + sizeof(RecordsHeader);
  std::array<char, kBeginSize> begin{};
  RecordsHeader header;
  if (file_.size() < kHeaderEnd) {
    throw RuntimeError("it is too short");
  }
  file_.read(0, begin);
  file_.read(begin.size(), {reinterpret_cast<char*>(&header), sizeof(header)});
  const auto most = file_.size();  // no sum of the following overflows
  if (std::string_view(begin.data(), begin.size()) != kind_.begin ||
      std::max({header.pairs, header.records, header.made_from_size}) > most ||
      kHeaderEnd + header.made_from_size + header.pairs * sizeof(std::uint64_t) +
              header.records * sizeof(std::uint32_t) + sizeof(std::uint32_t) !=
          most) {
    throw RuntimeError("its size and its header do not agree");
  }
  if (header.pairs != pairs) {
    throw RuntimeError(fmt::format("it has the {} of {} pairs; expected {}", kind_.name, header.pairs, pairs));
  }
  made_from_.resize(header.made_from_size);
  file_.read(kHeaderEnd, made_from_);
  records_ = header.records;
  ends_at_ = kHeaderEnd + header.made_from_size;
  records_at_ = ends_at_ + header.pairs * sizeof(std::uint64_t);
}

std::vector<std::uint32_t> PairRecords::of(std::size_t pair) const {
  constexpr std::uint64_t kEnd = sizeof(std::uint64_t);
  std::array<std::uint64_t, 2> ends{};
  const std::size_t count = pair == 0 ? 1 : 2;
  file_.read_unchecked(ends_at_ + (pair + 1 - count) * kEnd,
                       {reinterpret_cast<char*>(ends.data() + 2 - count), count * kEnd});
  if (ends[0] > ends[1] || ends[1] > records_) {
    file_.check_unchanged();
    throw RuntimeError(fmt::format("{}: the {} of pair {} are damaged", file_.path().string(), kind_.name, pair + 1));
  }
  std::vector<std::uint32_t> records(ends[1] - ends[0]);
  file_.read(records_at_ + ends[0] * sizeof(std::uint32_t),
             {reinterpret_cast<char*>(records.data()), records.size() * sizeof(std::uint32_t)});
  return records;
}

std::optional<PairRecords> open_records(const std::filesystem::path& file, const WantedRecords& wanted) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return std::nullopt;
  }
  try {
    std::optional<PairRecords> records(std::in_place, file, wanted.pairs, wanted.kind);
    if (wanted.fits(records->made_from())) {
      return records;
    }
    if (!wanted.again.empty()) {
      log_info(fmt::format("{}: {} was made from other pairs or {}; {}", wanted.subject, file.string(),
                           wanted.kind.name, wanted.again));
    }
  } catch (const RuntimeError& error) {
    if (!wanted.again.empty()) {
      log_warning(fmt::format("{}: {}; {}", wanted.subject, error.what(), wanted.again));
    }
  }
  return std::nullopt;
}

}  // namespace translate::trainer
