"""Work in other processes and threads: pools of workers, work that can be cancelled, interrupts."""
