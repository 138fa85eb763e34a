#include "interop/pytorch/legacy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace translate::tools {

namespace {

constexpr std::int64_t kVersion = 1001;

/// The pickles at the beginning of a file, one after another.
class Pickles {
 public:
  Pickles(std::string_view bytes, const std::filesystem::path& file) : bytes_(bytes), file_(file) {}

  PickleDocument next() {
    auto [document, size] = read_first_pickle(bytes_.substr(place_), file_);
    place_ += size;
    return std::move(document);
  }

  /// The end of the last one.
  [[nodiscard]] std::uint64_t place() const { return place_; }

 private:
  std::string_view bytes_;
  const std::filesystem::path& file_;
  std::uint64_t place_ = 0;
};

/// Whether the facts about the machine that wrote the file say that numbers begin with their lowest byte.
bool is_little_endian(const PickleDocument& facts) {
  const auto* const dict = facts.root().as<PickleDict>();
  return dict != nullptr && std::ranges::any_of(dict->items, [](const auto& item) {
           const auto* const key = item.first->template as<std::string>();
           const auto* const value = item.second->template as<bool>();
           return key != nullptr && *key == "little_endian" && value != nullptr && *value;
         });
}

}  // namespace

LegacyFile::LegacyFile(std::shared_ptr<const StableFile> file) : file_(std::move(file)) {
  std::string start(std::min<std::uint64_t>(file_->size(), kMaxPickle), '\0');
  file_->read(0, start);
  Pickles pickles(start, file_->path());
  (void)pickles.next();  // the magic number, by which the file is known
  const auto version = pickles.next();
  if (const auto* const number = version.root().as<std::int64_t>(); number == nullptr || *number != kVersion) {
    fail(fmt::format("its version is not {}, the only one that torch.save wrote before PyTorch 1.6", kVersion));
  }
  if (!is_little_endian(pickles.next())) {
    fail("it was written on a big-endian machine, which is not supported");
  }
  document_ = pickles.next();
  const auto keys = pickles.next();
  find_storages(keys, pickles.place());
}

void LegacyFile::find_storages(const PickleDocument& keys, std::uint64_t begin) {
  std::map<std::string_view, std::size_t> element_sizes;
  for (const auto* storage : document_->storages()) {
    element_sizes[storage->key] = bytes_of(storage->dtype);
  }
  const auto* const list = keys.root().as<PickleList>();
  if (list == nullptr) {
    fail("damaged: there is no list of its storages");
  }
  for (const auto* item : list->items) {
    const auto* const key = item->as<std::string>();
    const auto known = key == nullptr ? element_sizes.end() : element_sizes.find(*key);
    if (known == element_sizes.end()) {
      fail("damaged: its list of storages has one that no tensor uses");
    }
    std::int64_t elements = 0;
    if (begin > file_->size() || file_->size() - begin < sizeof(elements)) {
      fail(fmt::format("truncated: its storage {} is missing", *key));
    }
    file_->read(begin, {reinterpret_cast<char*>(&elements), sizeof(elements)});
    begin += sizeof(elements);
    std::uint64_t size = 0;
    if (elements < 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(elements), known->second, &size) ||
        size > file_->size() - begin) {
      fail(fmt::format("truncated or damaged: its storage {} of {} elements does not lie within the file", *key,
                       elements));
    }
    if (!places_.emplace(*key, Place{.begin = begin, .size = size}).second) {
      fail(fmt::format("damaged: its storage {} is listed twice", *key));
    }
    begin += size;
  }
}

const LegacyFile::Place& LegacyFile::find(const std::string& key) const {
  const auto found = places_.find(key);
  if (found == places_.end()) {
    fail(fmt::format("damaged: its storage {} is missing", key));
  }
  return found->second;
}

std::uint64_t LegacyFile::size(const std::string& key) const { return find(key).size; }

void LegacyFile::read(const std::string& key, std::span<char> to) const {
  const auto& place = find(key);
  file_->read(place.begin, to.first(place.size));
}

void LegacyFile::fail(std::string_view what) const {
  throw CheckpointError(fmt::format("{}: {}", file_->path().string(), what));
}

}  // namespace translate::tools
