#include "shutdown.h"

#include <Python.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

namespace standin {
namespace {

std::terminate_handler previous = nullptr;

[[noreturn]] void rest_or_terminate() {
  while (!Py_IsInitialized()) {
    pause();
  }
  if (previous != nullptr) {
    previous();
  }
  std::abort();
}

} // namespace

void outlive_interpreter() {
  previous = std::set_terminate(rest_or_terminate);
  // Autograd must not wait for a thread that rests.
  setenv("TORCH_AUTOGRAD_SHUTDOWN_WAIT_LIMIT", "0", /*overwrite=*/0);
}

} // namespace standin
