#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace translate {

/// The kind of output that a program writes, and the only kind that it replaces.
struct OutputKind {
  std::string_view name;                                      ///< for messages: "an earlier export"
  std::function<bool(const std::filesystem::path&)> matches;  ///< whether what exists there is of this kind; null: the
                                                              ///< program replaces nothing, and has no --force
};

/// Returns the normalized path of an output that does not exist yet or may be replaced. Throws ConfigError if its last
/// part is not a name, if its parent folder is missing, or if it exists and either `replace` (--force) is false or its
/// kind does not match.
[[nodiscard]] std::filesystem::path checked_output(const std::filesystem::path& output, bool replace,
                                                   const OutputKind& kind);

/// A folder beside the one that is to be written, under another name. It is removed with all its contents, unless
/// finish() gave it its name: so a folder is there as a whole or not at all, whatever happens meanwhile.
class UnfinishedFolder {
 public:
  /// Creates the folder for `name`, in the same parent folder. Throws RuntimeError.
  explicit UnfinishedFolder(std::filesystem::path name);
  /// Warns if the folder cannot be removed.
  ~UnfinishedFolder();
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  /// Where its files are to be written; each must be flushed to disk by its writer.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Flushes the folder and gives it its name. If a folder of that name exists, both are exchanged in one move, and the
  /// destructor removes the old one. Throws RuntimeError.
  void finish() const;

 private:
  void rename() const;
  void replace() const;

  std::filesystem::path name_;
  std::filesystem::path path_;
};

}  // namespace translate
