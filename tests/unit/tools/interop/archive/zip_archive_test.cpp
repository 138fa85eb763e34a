#include "interop/archive/zip_archive.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/engine_with_libtorch/checkpoint/pytorch_fixture.h"

namespace translate::tools {
namespace {

const ZipEntries kEntries = {{"a/data.pkl", "some text"}, {"a/data/0", std::string(100, '\xFF')}, {"a/empty", ""}};

std::string archive_refusal(const std::string& bytes, const std::string& name = "a/data.pkl") {
  return error_of<CheckpointError>([&] { (void)ZipArchive(bytes, "x.pt").read(name); });
}

void expect_entries(const std::string& bytes) {
  const ZipArchive archive(bytes, "x.pt");
  EXPECT_EQ(archive.names(), (std::vector<std::string>{"a/data.pkl", "a/data/0", "a/empty"}));
  for (const auto& [name, content] : kEntries) {
    EXPECT_TRUE(archive.contains(name));
    EXPECT_EQ(archive.read(name), content);
  }
  EXPECT_FALSE(archive.contains("a/data"));
}

TEST(ZipArchive, ReadsStoredEntriesInEveryForm) {
  expect_entries(zip_of(kEntries));
  expect_entries(zip_of(kEntries, {.zip64 = true}));
  expect_entries(zip_of(kEntries, {.comment = "not the end: PK\x05\x06 ..........................."}));
  expect_entries(zip_of(kEntries, {.padding = 40}));
  expect_entries(zip_of(kEntries, {.zip64 = true, .comment = std::string(0xFFFF, 'c'), .padding = 4}));
}

TEST(ZipArchive, AnEmptyArchiveHasNoEntries) {
  EXPECT_TRUE(ZipArchive(zip_of({}), "x.pt").names().empty());
  EXPECT_TRUE(ZipArchive(zip_of({}, {.zip64 = true}), "x.pt").names().empty());
}

TEST(ZipArchive, AChangedContentIsSeenByItsChecksum) {
  std::string bytes = zip_of(kEntries);
  bytes[bytes.find("some text")] = 'S';
  EXPECT_EQ(archive_refusal(bytes).find("x.pt: damaged: the CRC-32 of its entry \"a/data.pkl\" is "), 0U);
  EXPECT_EQ(ZipArchive(bytes, "x.pt").read("a/empty"), "");  // the others are whole
}

TEST(ZipArchive, AnArchiveWrittenWithoutChecksumsIsRead) { expect_entries(zip_of(kEntries, {.checksums = false})); }

TEST(ZipArchive, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(archive_refusal(zip_of(kEntries), "b"), "x.pt: damaged: its entry \"b\" is missing");
  EXPECT_EQ(
      archive_refusal(zip_of(kEntries, {.method = 8})),
      "x.pt: its entry \"a/data.pkl\" is compressed (method 8), which is not supported here: unpack it with unzip "
      "and pack it with zip -0 -r");
  EXPECT_EQ(archive_refusal(zip_of(kEntries, {.flags = 1})), "x.pt: its entry \"a/data.pkl\" is encrypted");
  EXPECT_EQ(archive_refusal(zip_of({{"a", ""}, {"a", ""}})), "x.pt: damaged zip archive: it names an entry twice");
  EXPECT_EQ(archive_refusal(""),
            "x.pt: truncated or damaged zip archive: its central directory, which stands at the end, is missing");
}

TEST(ZipArchive, AnEntryWhoseLocalHeaderNamesAnotherIsRefused) {
  std::string bytes = zip_of(kEntries);
  bytes[bytes.find("a/data.pkl")] = 'b';
  EXPECT_EQ(archive_refusal(bytes),
            "x.pt: damaged zip archive: its central directory, which stands at the end, does not fit its entries");
}

TEST(ZipArchive, OffsetsAndSizesBeyondTheFileAreRefused) {
  const std::string whole = zip_of(kEntries, {.zip64 = true});
  const std::size_t end = whole.rfind("PK\x06\x06");
  const std::size_t field = whole.find(std::string("\x01\x00\x18\x00", 4)) + 4;  // of the first entry
  for (const std::size_t place : {end + 32, end + 40, end + 48, field, field + 8, field + 16}) {
    for (const std::uint64_t value :
         {std::uint64_t{1} << 20, std::uint64_t{1} << 28, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      std::string bytes = whole;
      bytes.replace(place, 8, little_endian(value));
      EXPECT_EQ(archive_refusal(bytes).find("x.pt: "), 0U) << place << " " << value;
    }
  }
}

TEST(ZipArchive, EveryCutIsRefused) {
  for (const bool zip64 : {false, true}) {
    const auto cuts = every_cut(zip_of(kEntries, {.zip64 = zip64}));
    EXPECT_EQ(count_refusals(cuts, [](const std::string& bytes) { ZipArchive(bytes, "x.pt"); }), cuts.size());
  }
}

TEST(ZipArchive, AnyChangedByteGivesTheContentsOrAnError) {
  for (const bool zip64 : {false, true}) {
    const std::string whole = zip_of(kEntries, {.zip64 = zip64});
    std::size_t wrong = 0;
    const auto read = [&](const std::string& bytes) {
      const ZipArchive archive(bytes, "x.pt");
      for (const auto& [name, content] : kEntries) {
        if (archive.contains(name) && archive.read(name) != content) {
          ++wrong;
        }
      }
    };
    EXPECT_GT(count_refusals(every_change(whole, 1, {0x01, 0x80, 0xFF}), read), whole.size());
    EXPECT_EQ(wrong, 0U);
  }
}

}  // namespace
}  // namespace translate::tools
