/** When a server that ended by itself is started again, and when it has done so too often. */

export class CrashLimit {
  private times: number[] = [];

  /** At most `limit` restarts within `windowMs`. */
  constructor(
    private readonly limit = 3,
    private readonly windowMs = 180_000,
    private readonly now: () => number = Date.now,
  ) {}

  /** Counts a crash; whether the server may be started again. */
  mayRestart(): boolean {
    const oldest = this.now() - this.windowMs;
    this.times = this.times.filter((time) => time > oldest);
    this.times.push(this.now());
    return this.times.length <= this.limit;
  }

  /** Forgets past crashes: the user has started the server again. */
  reset(): void {
    this.times = [];
  }
}
