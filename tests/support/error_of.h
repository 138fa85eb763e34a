#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace translate::testing {

/// The text of the error of type E that `action` throws. The test fails if it throws none or an error of another type.
template <typename E, typename Action>
std::string error_of(const Action& action) {
  try {
    (void)action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an error of another type: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace translate::testing
