#include "data/encoded/file_making.h"

#include <chrono>
#include <thread>
#include <utility>

namespace translate::trainer {

FileLock lock_for_writing(const std::filesystem::path& file, bool& waited) {
  const std::filesystem::path lock_file = file.string() + ".lock";
  auto lock = FileLock::try_lock(lock_file);
  waited = !lock;
  if (waited) {
    log_info(fmt::format("data: waiting for another process that makes {}", file.string()));
  }
  while (!lock) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    lock = FileLock::try_lock(lock_file);
  }
  return *std::move(lock);
}

}  // namespace translate::trainer
