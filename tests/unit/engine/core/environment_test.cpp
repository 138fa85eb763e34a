#include "core/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "support/error_of.h"

namespace translate {
namespace {

/// A variable that has another value for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name), before_(environment_variable(name)) {
    ::setenv(name, value, /*replace=*/1);
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), /*replace=*/1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Environment, AnEmptyVariableIsNotSet) {
  constexpr const char* kName = "TRANSLATE_TEST_VARIABLE";
  EXPECT_EQ(environment_variable(kName), std::nullopt);
  const Variable empty(kName, "");
  EXPECT_EQ(environment_variable(kName), std::nullopt);
  const Variable set(kName, "0");
  EXPECT_EQ(environment_variable(kName), "0");
}

TEST(Environment, TemporaryFoldersAreInTmpdirOrElseInTmp) {
  const TemporaryFolder folder;
  {
    const Variable set("TMPDIR", folder.path().c_str());
    EXPECT_EQ(TemporaryFolder().path().parent_path(), folder.path());
  }
  {
    const Variable empty("TMPDIR", "");
    EXPECT_EQ(TemporaryFolder().path().parent_path(), "/tmp");
  }
  const Variable missing("TMPDIR", "/nowhere/at/all");
  EXPECT_THAT(testing::error_of<RuntimeError>([] { const TemporaryFolder none; }),
              ::testing::HasSubstr("cannot make a temporary folder in /nowhere/at/all (TMPDIR)"));
}

}  // namespace
}  // namespace translate
