#include "data/encoded/corpus_links.h"

#include <limits>
#include <utility>
#include <vector>

namespace translate::trainer {

namespace {

constexpr RecordKind kLinks{.begin = "LINKS001", .name = "links"};

// A record: the position in the source in the lower half, that in the target in the upper one.

constexpr std::uint32_t kMostPosition = std::numeric_limits<std::uint16_t>::max();
constexpr unsigned kTargetShift = 16;

}  // namespace

void LinksWriter::append(const Alignment& links) {
  std::vector<std::uint32_t> records;
  for (const auto& [source, target] : links) {
    if (source <= kMostPosition && target <= kMostPosition) {
      records.push_back(static_cast<std::uint32_t>(source) | static_cast<std::uint32_t>(target) << kTargetShift);
    }
  }
  records_.append(records);
}

void LinksWriter::write(const std::filesystem::path& path, const std::string& made_from) const {
  records_.write(path, kLinks, made_from);
}

CorpusLinks::CorpusLinks(const std::filesystem::path& path, std::size_t pairs) : records_(path, pairs, kLinks) {}

CorpusLinks::CorpusLinks(PairRecords records) : records_(std::move(records)) {}

Alignment CorpusLinks::links(std::size_t pair) const {
  Alignment links;
  for (const auto record : records_.of(pair)) {
    links.push_back({.source = record & kMostPosition, .target = record >> kTargetShift});
  }
  return links;
}

std::shared_ptr<const CorpusLinks> open_links(const std::filesystem::path& file, std::size_t pairs,
                                              const std::string& made_from, std::string_view again) {
  auto records = open_records(file, {.kind = kLinks,
                                     .pairs = pairs,
                                     .fits = [&](const std::string& inputs) { return inputs == made_from; },
                                     .subject = "alignment",
                                     .again = again});
  return records ? std::make_shared<const CorpusLinks>(*std::move(records)) : nullptr;
}

}  // namespace translate::trainer
