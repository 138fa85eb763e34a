#include "documents/office/office_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <utility>

#include "core/error.h"

namespace translate::tools {

OfficeArchive::OfficeArchive(const std::string& bytes, std::string name, std::size_t most_unpacked)
    : name_(std::move(name)), most_unpacked_(most_unpacked) {
  zip_error_t error;
  zip_error_init(&error);
  source_ = zip_source_buffer_create(bytes.data(), bytes.size(), /*freep=*/0, &error);
  if (source_ != nullptr) {
    zip_source_keep(source_);  // for what is written
    archive_ = zip_open_from_source(source_, /*flags=*/0, &error);
  }
  const std::string problem = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive_ == nullptr) {
    if (source_ != nullptr) {
      zip_source_free(source_);
      zip_source_free(source_);
    }
    fail(fmt::format("not a zip archive that can be read: {}", problem));
  }
}

OfficeArchive::~OfficeArchive() {
  if (archive_ != nullptr) {
    zip_discard(archive_);
  }
  zip_source_free(source_);
}

void OfficeArchive::fail(const std::string& problem) const { throw DataError(fmt::format("{}: {}", name_, problem)); }

std::vector<std::string> OfficeArchive::names() const {
  std::vector<std::string> names;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive_, 0); ++i) {
    const char* name = zip_get_name(archive_, static_cast<zip_uint64_t>(i), 0);
    names.emplace_back(name == nullptr ? "" : name);
  }
  return names;
}

std::string OfficeArchive::read(const std::string& name) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat(archive_, name.c_str(), 0, &status) != 0 || (status.valid & ZIP_STAT_SIZE) == 0) {
    fail(fmt::format("{} is missing", name));
  }
  if (status.size > most_unpacked_ - unpacked_) {
    fail(fmt::format("{} has {} bytes unpacked; expected at most {} in all", name, status.size, most_unpacked_));
  }
  std::string content(static_cast<std::size_t>(status.size), '\0');
  unpacked_ += content.size();
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive_, name.c_str(), 0), zip_fclose);
  if (!file) {
    fail(fmt::format("{} cannot be read: {}", name, zip_strerror(archive_)));
  }
  // One more byte than there should be, so that libzip compares the checksum.
  content.push_back('\0');
  zip_int64_t done = 0;
  zip_int64_t count = 0;
  do {
    count = zip_fread(file.get(), content.data() + done, content.size() - static_cast<std::size_t>(done));
    done += count > 0 ? count : 0;
  } while (count > 0 && static_cast<std::size_t>(done) < content.size());
  if (count < 0 || static_cast<std::size_t>(done) + 1 != content.size()) {
    fail(fmt::format("{} is damaged", name));
  }
  content.pop_back();
  return content;
}

std::string OfficeArchive::with_entries(const std::map<std::string, std::string>& contents) {
  for (const auto& [name, content] : contents) {
    auto* const source = zip_source_buffer(archive_, content.data(), content.size(), /*freep=*/0);
    const auto index = zip_name_locate(archive_, name.c_str(), 0);
    if (source == nullptr || index < 0 ||
        zip_file_replace(archive_, static_cast<zip_uint64_t>(index), source, 0) != 0) {
      zip_source_free(source);
      fail(fmt::format("{} cannot be written: {}", name, zip_strerror(archive_)));
    }
  }
  if (zip_close(archive_) != 0) {
    fail(fmt::format("cannot be written: {}", zip_strerror(archive_)));
  }
  archive_ = nullptr;
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_source_stat(source_, &status) != 0 || zip_source_open(source_) != 0) {
    fail("cannot be written");
  }
  std::string bytes(static_cast<std::size_t>(status.size), '\0');
  const auto read = zip_source_read(source_, bytes.data(), bytes.size());
  zip_source_close(source_);
  if (read < 0 || static_cast<std::size_t>(read) != bytes.size()) {
    fail("cannot be written");
  }
  return bytes;
}

}  // namespace translate::tools
