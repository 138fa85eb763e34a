#include "core/cache_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace translate {
namespace {

namespace fs = std::filesystem;

TEST(UserCacheFolder, FollowsTheEnvironment) {
  const auto with = [](const char* cache, const char* home) {
    const auto set = [](const char* name, const char* value) {
      return value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
    };
    const std::string old_cache = ::getenv("XDG_CACHE_HOME") != nullptr ? ::getenv("XDG_CACHE_HOME") : "";
    const std::string old_home = ::getenv("HOME") != nullptr ? ::getenv("HOME") : "";
    set("XDG_CACHE_HOME", cache);
    set("HOME", home);
    const auto folder = user_cache_folder();
    set("XDG_CACHE_HOME", old_cache.empty() ? nullptr : old_cache.c_str());
    set("HOME", old_home.empty() ? nullptr : old_home.c_str());
    return folder;
  };
  EXPECT_EQ(with("/cache", "/home/me"), fs::path("/cache/translate"));
  EXPECT_EQ(with(nullptr, "/home/me"), fs::path("/home/me/.cache/translate"));
  EXPECT_EQ(with("", "/home/me"), fs::path("/home/me/.cache/translate"));
  EXPECT_EQ(with("relative", "/home/me"), fs::path("/home/me/.cache/translate"));
  EXPECT_EQ(with(nullptr, nullptr), fs::path());
}

}  // namespace
}  // namespace translate
