#include "core/output_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

class OutputFileTest : public TemporaryFolderTest {
 protected:
  static std::string error_of(const std::filesystem::path& path) {
    return testing::error_of<RuntimeError>([&] { write_digested_file(path, "x"); });
  }
};

TEST_F(OutputFileTest, WritesChunksOfAnySizeAndDigestsThem) {
  std::string expected;
  OutputFile file(folder_ / "x");
  for (const std::size_t size : {0, 1, 1000, 1 << 20, (1 << 20) + 1, 3'000'000}) {
    const std::string chunk(size, static_cast<char>('a' + size % 26));
    file.write(chunk);
    expected += chunk;
  }
  const FileDigest digest = file.finish();
  EXPECT_EQ(read_file(folder_ / "x"), expected);
  EXPECT_EQ(digest, (FileDigest{.size = expected.size(), .crc32 = crc32(expected)}));
}

TEST_F(OutputFileTest, EmptiesTheFileThatIsThere) {
  write_digested_file(folder_ / "x", "long content");
  EXPECT_EQ(write_digested_file(folder_ / "x", "123456789"), (FileDigest{.size = 9, .crc32 = 0xCBF43926}));
  EXPECT_EQ(read_file(folder_ / "x"), "123456789");
}

TEST_F(OutputFileTest, FailuresNamePathAndReason) {
  EXPECT_EQ(error_of("/dev/full"), "cannot write /dev/full: No space left on device");
  EXPECT_EQ(error_of(folder_ / "none" / "x"),
            "cannot write " + (folder_ / "none" / "x").string() + ": No such file or directory");
}

}  // namespace
}  // namespace translate
