#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace translate {

/// The kind of output of a program, and when one may be replaced.
struct OutputKind {
  std::string_view name;                                      ///< "an earlier export"
  std::function<bool(const std::filesystem::path&)> is_such;  ///< whether something is an output of this kind
};

/// Returns the shortest path of an output that is not there yet, or that may be replaced. Throws ConfigError if its
/// last part is no name, its folder is missing, or it exists and either `replace` (--force) is false or it is not of
/// this kind.
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
