#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/error.h"
#include "core/file.h"
#include "data/encoded/corpus_file.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

CorpusIndex index_of(const std::string& file) {
  return read_corpus_index(file.size(),
                           [&](std::uint64_t offset, std::span<char> to) { file.copy(to.data(), to.size(), offset); });
}

class CorpusWriterFile : public TemporaryFolderTest {
 protected:
  std::filesystem::path path_ = folder_ / "x.pairs";
  std::filesystem::path partial_ = folder_ / "x.pairs.partial";
};

const std::vector<std::int32_t> kSubwords{1, 2, 3};
const EncodedPair kPair{
    .origin = {0, 1}, .source = kSubwords, .target = kSubwords, .source_text = "", .target_text = ""};

TEST_F(CorpusWriterFile, IsThereOnlyWhenItIsWhole) {
  {
    CorpusWriter writer(path_, {});
    writer.append(kPair);
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_TRUE(std::filesystem::exists(partial_));
    writer.finish("x");
    EXPECT_TRUE(std::filesystem::exists(path_));
    EXPECT_FALSE(std::filesystem::exists(partial_));
  }
  EXPECT_EQ(index_of(read_file(path_)).statistics.pairs, 1U);
}

TEST_F(CorpusWriterFile, LeavesNothingBehindAndTheOldFileAsItIsWithoutItsEnd) {
  write_file_synced(path_, "old");
  {
    CorpusWriter writer(path_, {});
    writer.append(kPair);
  }
  EXPECT_FALSE(std::filesystem::exists(partial_));
  EXPECT_EQ(read_file(path_), "old");
}

TEST_F(CorpusWriterFile, NamesTheFileThatCannotBeWritten) {
  try {
    CorpusWriter writer(folder_ / "none" / "x.pairs", {});
    FAIL() << "no error";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("none/x.pairs.partial: No such file"));
  }
}

TEST_F(CorpusWriterFile, LeavesNothingBehindWhereNotEvenItsBeginFits) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing = {};
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    try {
      const CorpusWriter writer(path_, {});
    } catch (const RuntimeError&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(partial_));
}

TEST_F(CorpusWriterFile, BeginsAChunkWithEachCorpusAndWhereOneIsFull) {
  CorpusWriter writer(path_, {.wide_ids = false, .source_text = true, .target_text = false});
  const std::string text(20'000'000, 'x');
  for (std::uint32_t corpus = 0; corpus < 3; ++corpus) {
    for (std::uint32_t line = 1; line <= 3; ++line) {
      EncodedPair pair = kPair;
      pair.origin = {corpus, line};
      pair.source_text = corpus == 2 ? std::string_view(text) : std::string_view("abc");
      writer.append(pair);
    }
  }
  writer.finish("x");
  const CorpusIndex index = index_of(read_file(path_));
  ASSERT_EQ(index.chunks.size(), 4U);
  EXPECT_EQ(index.chunks[0].corpus, 0U);
  EXPECT_EQ(index.chunks[1].corpus, 1U);
  EXPECT_EQ(index.chunks[2].corpus, 2U);
  EXPECT_EQ(index.chunks[2].pairs, 2U);
  EXPECT_EQ(index.chunks[3].first_pair, 8U);
}

}  // namespace
}  // namespace translate::trainer
