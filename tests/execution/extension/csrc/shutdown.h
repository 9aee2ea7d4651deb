// The end of the process.
#pragma once

namespace standin {

// Autograd has a thread for each device. When such a thread asks for the lock of an interpreter that is
// ending, Python before 3.14 ends the thread, which C++ takes for a failure and ends the process with
// it. Call this once, and the thread rests until the process is gone, as it does from Python 3.14 on.
void outlive_interpreter();

} // namespace standin
