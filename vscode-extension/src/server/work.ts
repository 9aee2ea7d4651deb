/** Work of the server that takes its time and is lost with the server. Callers that can wait until none goes on do. */

export class OngoingWork {
  private count = 0;
  private waiting: (() => void)[] = [];

  get isNone(): boolean {
    return this.count === 0;
  }

  /** Does work that counts from now until it is done, however it ends. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.count += 1;
    try {
      return await work();
    } finally {
      this.count -= 1;
      if (this.isNone) {
        this.waiting.splice(0).forEach((resume) => {
          resume();
        });
      }
    }
  }

  /** Waits until no work goes on, for a moment at least. */
  async whenNone(): Promise<void> {
    if (!this.isNone) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}

/** The work of this window's server. */
export const serverWork = new OngoingWork();
