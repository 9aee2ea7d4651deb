"""ACC1xx: code that runs on whichever accelerator torch finds, and without one."""
