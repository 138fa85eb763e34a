#include "data/encoded/corpus_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "data/encoded/corpus_alignment.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "support/thread_count.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CorpusLinksTest : public TemporaryFolderTest {
 protected:
  void write() const {
    LinksWriter writer;
    writer.append({{0, 0}, {1, 2}});
    writer.append({});
    writer.append({{3, 65535}, {3, 65536}});
    writer.write(path(), "some pairs");
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "training.links"; }
};

TEST_F(CorpusLinksTest, AreReadAsTheyWereWritten) {
  write();
  const CorpusLinks links(path(), 3);
  EXPECT_THAT(links.links(0), ElementsAre(AlignmentPoint{0, 0}, AlignmentPoint{1, 2}));
  EXPECT_THAT(links.links(1), IsEmpty());
  EXPECT_THAT(links.links(2), ElementsAre(AlignmentPoint{3, 65535}));
  EXPECT_EQ(links.size(), 3U);
  EXPECT_EQ(links.made_from(), "some pairs");
}

TEST_F(CorpusLinksTest, AnyDamageIsNoticed) {
  write();
  const auto content = read_file(path());
  for (std::size_t i = 0; i < content.size(); ++i) {
    auto damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write_file_atomically(path(), damaged);
    EXPECT_THROW(CorpusLinks(path(), 3), RuntimeError) << i;
    write_file_atomically(path(), content.substr(0, i));
    EXPECT_THROW(CorpusLinks(path(), 3), RuntimeError) << i;
  }
  write_file_atomically(path(), content);
  EXPECT_THAT(testing::error_of<RuntimeError>([&] { CorpusLinks(path(), 4); }),
              HasSubstr("it has the links of 3 pairs; expected 4"));
}

class CorpusAlignmentTest : public CorpusLinksTest {
 protected:
  CorpusAlignmentTest() : corpus_(sample_corpus(300)) {}

  /// What is logged while the links are got.
  std::string get(const std::filesystem::path& scratch = {}) {
    ::testing::internal::CaptureStderr();
    links_ = get_or_align_corpus(*corpus_.encoded, path(), scratch);
    return ::testing::internal::GetCapturedStderr();
  }

  SampleCorpus corpus_;
  std::shared_ptr<const CorpusLinks> links_;
};

TEST_F(CorpusAlignmentTest, IsMadeOnceAndUsedAgain) {
  EXPECT_THAT(get(), HasSubstr("training a word aligner on the 300 training pairs"));
  EXPECT_GT(links_->size(), 300U);
  const auto content = read_file(path());
  EXPECT_THAT(get(), HasSubstr("again"));
  EXPECT_EQ(read_file(path()), content);
  for (std::size_t pair = 0; pair < 300; ++pair) {
    const auto subwords = corpus_.encoded->unchecked_subwords(pair);
    for (const auto& [source, target] : links_->links(pair)) {
      EXPECT_LT(source, std::ssize(subwords.source));
      EXPECT_LT(target, std::ssize(subwords.target));
    }
  }
}

TEST_F(CorpusAlignmentTest, DamagedLinksAndThoseOfOtherPairsAreMadeAgain) {
  get();
  const auto content = read_file(path());
  write_file_atomically(path(), content.substr(1));
  EXPECT_THAT(get(), HasSubstr("the training pairs are aligned again"));
  LinksWriter other;
  for (int i = 0; i < 300; ++i) {
    other.append({});
  }
  other.write(path(), "other pairs");
  EXPECT_THAT(get(), HasSubstr("was made from other pairs"));
  EXPECT_EQ(read_file(path()), content);
}

TEST_F(CorpusAlignmentTest, DoesNotDependOnTheNumberOfThreads) {
  get();
  const auto content = read_file(path());
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    get(folder_ / "scratch" / "links");
    std::filesystem::remove(path());
    get();
    EXPECT_EQ(read_file(path()), content);
  }
}

}  // namespace
}  // namespace translate::trainer
