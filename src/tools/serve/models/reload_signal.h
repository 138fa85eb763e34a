#pragma once

#include <csignal>

namespace translate::tools {

/// While it lives, SIGHUP asks the program to read its files again, as `systemctl reload` does. A terminal that closes
/// sends SIGHUP, too: if the process had a terminal and has none any more, the signal does what it did before, which
/// with StopSignals is to stop. If it was ignored (`nohup`), it always asks for a reload. Only one object may exist at
/// a time.
class ReloadSignal {
 public:
  /// Throws RuntimeError if the handler cannot be installed.
  ReloadSignal();
  /// Restores the previous action.
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  /// Returns whether a reload was asked for since the last call.
  [[nodiscard]] bool take();

 private:
  struct sigaction previous_ = {};
};

}  // namespace translate::tools
