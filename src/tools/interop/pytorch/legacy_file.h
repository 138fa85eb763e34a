#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/stable_file.h"
#include "interop/pytorch/pickle_reader.h"
#include "interop/pytorch/pytorch_storages.h"

namespace translate::tools {

/// The first bytes of a LegacyFile: PROTO 2, LONG1 of ten bytes, the magic number 0x1950a86a20f9469cfc6c.
inline constexpr std::string_view kLegacyStart = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

/// A file of `torch.save` before PyTorch 1.6, as many OPUS-MT models have it. Pickles stand in it one after another:
/// the magic number, the version 1001, facts about the machine, the object, and the keys of its storages. The storages
/// follow in the order of these keys, each behind its number of elements.
class LegacyFile final : public PytorchStorages {
 public:
  /// Reads the pickles (see read_pickle) and finds the storages. Throws CheckpointError if the file is damaged, of
  /// another version, or was written on a big-endian machine.
  explicit LegacyFile(std::shared_ptr<const StableFile> file);

  /// The object.
  [[nodiscard]] const PickleDocument& document() const { return *document_; }

  [[nodiscard]] std::uint64_t size(const std::string& key) const override;
  void read(const std::string& key, std::span<char> to) const override;

 private:
  /// The place of a storage's numbers in the file, in bytes.
  struct Place {
    std::uint64_t begin;
    std::uint64_t size;
  };

  void find_storages(const PickleDocument& keys, std::uint64_t begin);
  [[nodiscard]] const Place& find(const std::string& key) const;
  [[noreturn]] void fail(std::string_view what) const;

  std::shared_ptr<const StableFile> file_;
  std::optional<PickleDocument> document_;
  std::map<std::string, Place> places_;
};

}  // namespace translate::tools
