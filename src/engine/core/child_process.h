#pragma once

#include <functional>
#include <string>

namespace translate {

/// Runs `work` in a child process and returns the bytes that it returns there. For a library that starts its own
/// threads: an exception in one of them (such as std::bad_alloc) ends its process and cannot be caught. In a child
/// process only the work is lost, and all its memory is returned at the end. Under a limit on the address space
/// (ulimit -v), which also counts reservations, the child's threads reserve little.
///
/// `name` names the work in messages ("building the tokenizer"). Throws RuntimeError if memory runs out (in any thread
/// of the child), if `work` throws, or if the child ends otherwise; StoppedBySignal if StopSignals records a signal
/// meanwhile. The child is a fork: `work` must not use threads, locks or files of this process.
[[nodiscard]] std::string in_child_process(const std::string& name, const std::function<std::string()>& work);

}  // namespace translate
