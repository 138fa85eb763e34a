#pragma once

#include <functional>
#include <string>

namespace translate {

/// Runs `work` in a child process and returns the bytes that it returns there. For a library that starts threads of its
/// own: an exception in one of them (std::bad_alloc, say) ends the process that it is in, and nothing can catch it.
/// In a child this costs the work alone, and all memory that the work took is given back at its end. Under a limit on
/// the address space (ulimit -v), which counts what threads merely reserve, its threads reserve little.
///
/// `name` says what is done, for messages ("building the tokenizer"). Throws RuntimeError where memory runs out (in
/// any thread of the child), where `work` throws, or where the child ends otherwise; StoppedBySignal where StopSignals
/// notes a signal meanwhile. The child is a fork: `work` must not use threads, locks or files of this process.
[[nodiscard]] std::string in_child_process(const std::string& name, const std::function<std::string()>& work);

}  // namespace translate
