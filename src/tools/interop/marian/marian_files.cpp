#include "interop/marian/marian_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/foreign_text.h"
#include "core/unpacked_file.h"
#include "interop/marian/firefox_folder.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* kGzipEnding = ".gz";

bool leads_out(const std::string& name) {
  const fs::path path(name);
  return path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end();
}

}  // namespace

bool is_marian_model(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return path.extension() == ".zip" && fs::exists(path, ignored);
  }
  return fs::exists(path / kMarianDecoderFile, ignored) || is_firefox_model(path);
}

MarianFiles::MarianFiles(const fs::path& path) : path_(path) {
  if (fs::is_directory(path)) {
    return;
  }
  archive_ = std::make_unique<ZipArchive>(std::make_shared<const StableFile>(path), ZipContent::kDeflated);
  std::string decoder;
  for (const auto& name : archive_->names()) {
    if (leads_out(name)) {
      throw CheckpointError(fmt::format("{}: its entry \"{}\" leads out of the archive", path.string(), shown(name)));
    }
    if (fs::path(name).filename() != kMarianDecoderFile) {
      continue;
    }
    if (!decoder.empty()) {
      throw CheckpointError(
          fmt::format("{}: it has \"{}\" and \"{}\", expected one {}: unpack the archive, and name the folder "
                      "of one model",
                      path.string(), shown(decoder), shown(name), kMarianDecoderFile));
    }
    decoder = name;
  }
  root_ = decoder.substr(0, decoder.rfind('/') + 1);
}

bool MarianFiles::contains(const std::string& name) const {
  std::error_code ignored;
  return archive_ ? archive_->contains(root_ + name) : fs::exists(path_ / name, ignored) || is_packed(name);
}

bool MarianFiles::is_packed(const std::string& name) const {
  std::error_code ignored;
  return !archive_ && !fs::exists(path_ / name, ignored) && fs::exists(path_ / (name + kGzipEnding), ignored);
}

std::string MarianFiles::unpack(const std::string& name, std::uint64_t most) const {
  constexpr std::uint64_t kMostGrowth = 100;
  constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20U;
  const auto path = path_ / (name + kGzipEnding);
  const auto limit = std::min(most, StableFile(path).size() * kMostGrowth);  // which refuses folders and devices
  const auto descriptor = open_file(path, O_RDONLY, "read");
  UnpackedFile file(descriptor.number());
  std::string content;
  try {
    for (std::size_t size = 0; size <= limit;) {
      content.resize(size + kBytesAtOnce);
      const auto count = file.read(std::span(content).subspan(size));
      size += count;
      if (count == 0) {
        content.resize(size);
        return content;
      }
    }
  } catch (const GzipFault& fault) {
    throw CheckpointError(fmt::format("{}: {}", path.string(), fault.what()));
  } catch (const std::system_error& error) {
    throw RuntimeError(fmt::format("{}: cannot be read: {}", path.string(), error.code().message()));
  }
  throw CheckpointError(fmt::format("{}: it unpacks to more than {} bytes", path.string(), limit));
}

std::string MarianFiles::describe(const std::string& name) const { return (path_ / shown(name)).string(); }

std::string MarianFiles::read(const std::string& name, std::uint64_t most) const {
  if (!contains(name)) {
    throw CheckpointError(fmt::format("{}: missing", describe(name)));
  }
  if (is_packed(name)) {
    return unpack(name, most);
  }
  const auto size = archive_ ? archive_->size(root_ + name) : StableFile(path_ / name).size();
  if (size > most) {
    throw CheckpointError(fmt::format("{}: {} bytes; expected at most {}", describe(name), size, most));
  }
  return archive_ ? archive_->read(root_ + name) : StableFile(path_ / name).read_all();
}

std::shared_ptr<const StableFile> MarianFiles::open(const std::string& name) const {
  if (archive_ != nullptr || is_packed(name)) {
    return nullptr;
  }
  if (!contains(name)) {
    throw CheckpointError(fmt::format("{}: missing", describe(name)));
  }
  return std::make_shared<const StableFile>(path_ / name);
}

}  // namespace translate::tools
