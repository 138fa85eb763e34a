#pragma once

#include <string>
#include <vector>

namespace translate::trainer {

/// Starts `count` processes of this program with the same arguments, each with its place in the environment (see
/// process_place), and waits for them. Stop signals are passed on to the processes. If one fails, the others, which
/// notice it, get some time to say so and to end; then they are ended. Each process ends if this one does.
///
/// Returns the exit code: 0 if all processes ended with 0, that of the first process that failed, or 1 if a signal
/// ended it. Throws RuntimeError if a process cannot be started.
///
/// `argv`: the program's own arguments, with its name first. To be called before threads are started.
int launch_processes(int count, const std::vector<std::string>& argv);

}  // namespace translate::trainer
