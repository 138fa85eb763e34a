#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "serve/http/http_handlers.h"

namespace translate {
namespace {

/// How often `operator new` may try again after a failure.
int tries_left() {
  for (int tries = 0;; ++tries) {
    try {
      std::get_new_handler()();
    } catch (const std::bad_alloc&) {
      return tries;
    }
  }
}

TEST(MemoryReserve, HelpsTheThreadsThatMayUseItUntilItIsUsedUp) {
  const auto before = std::get_new_handler();
  {
    const MemoryReserve reserve;
    EXPECT_EQ(tries_left(), 0);
    int tries = 0;
    std::thread([&tries] {
      const MemoryReserve::Access allowed(true);
      {
        const MemoryReserve::Access forbidden(false);
        EXPECT_EQ(tries_left(), 0);
      }
      tries = tries_left();
      EXPECT_EQ(tries_left(), 0);
      MemoryReserve::refill();
      EXPECT_EQ(tries_left(), tries);
    }).join();
    EXPECT_GT(tries, 10);
  }
  EXPECT_EQ(std::get_new_handler(), before);
}

}  // namespace
}  // namespace translate
