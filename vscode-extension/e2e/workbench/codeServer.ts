/** A workbench served on a separate port, with a profile that nothing has used before. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";

import { useLanguagePack } from "./chinese";

const EXTENSION = path.resolve(__dirname, "..", "..");
const WORKBENCH = process.env.E2E_WORKBENCH ?? path.join(EXTENSION, ".cache", "workbench");
const PROGRAM = path.join(WORKBENCH, "node_modules", ".bin", "code-server");

/** What makes a workbench quiet and offline, and save only what is saved: in a browser it would after a second. */
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "git.enabled": false,
  "files.autoSave": "off",
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "editor.minimap.enabled": false,
  "chat.commandCenter.enabled": false,
  // Whatever else listens on this machine is no concern of the tests, and its messages lie over what they click.
  "remote.autoForwardPorts": false,
};

/** The torch of an environment that is active where the tests are run is none that a project asks for. */
const NO_ENVIRONMENT = { VIRTUAL_ENV: "", CONDA_PREFIX: "" };

export interface CodeServerOptions {
  /** The settings of the user, over those that make the workbench quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly locale?: string;
  readonly trusted?: boolean;
}

export class CodeServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly home: string,
    readonly host: string,
    readonly output: string[],
  ) {}

  /** Starts one, with the extensions that were installed into a folder. */
  static async start(extensions: string, options: CodeServerOptions = {}): Promise<CodeServer> {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-"));
    const userData = path.join(home, "data");
    const settings = JSON.stringify({ ...SETTINGS, ...options.settings });
    // A workbench in a browser is remote: what concerns the machine is set among the machine's settings.
    for (const place of ["User", "Machine"]) {
      fs.mkdirSync(path.join(userData, place), { recursive: true });
      fs.writeFileSync(path.join(userData, place, "settings.json"), settings);
    }
    if (options.locale === "zh-cn") {
      useLanguagePack(userData, extensions);
    }
    const host = `127.0.0.1:${await freePort()}`;
    const trust = options.trusted === false ? [] : ["--disable-workspace-trust"];
    const locale = options.locale === undefined ? [] : ["--locale", options.locale];
    const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"];
    const child = spawn(
      PROGRAM,
      [
        ...["--auth", "none", "--bind-addr", host, "--user-data-dir", userData],
        ...["--extensions-dir", extensions, ...quiet, ...trust, ...locale],
      ],
      {
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...NO_ENVIRONMENT, ...options.env },
      },
    );
    const output: string[] = [];
    child.stdout.on("data", (text: Buffer) => output.push(text.toString()));
    child.stderr.on("data", (text: Buffer) => output.push(text.toString()));
    const server = new CodeServer(child, home, host, output);
    try {
      await server.ready();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The address that opens a folder, or the workspace of a file, and, in it, files. */
  url(root: string, files: readonly string[] = []): string {
    const payload = files.map((file) => ["openFile", `vscode-remote://${this.host}${file}`]);
    const query = new URLSearchParams(
      root.endsWith(".code-workspace") ? { workspace: root } : { folder: root },
    );
    if (payload.length > 0) {
      query.set("payload", JSON.stringify(payload));
    }
    return `http://${this.host}/?${query.toString()}`;
  }

  get userData(): string {
    return path.join(this.home, "data");
  }

  /** What the extension has logged of how long its server took to be ready. */
  readiness(): string[] {
    const logs = path.join(this.userData, "logs");
    return fs
      .readdirSync(logs, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("PyTorch GPU2Ascend.log"))
      .flatMap(
        (name) => fs.readFileSync(path.join(logs, name), "utf8").match(/ready \d+ ms after .*/g) ?? [],
      );
  }

  /** Ends it, with all that it has started. */
  async stop(): Promise<void> {
    const { exitCode, signalCode, pid } = this.process;
    if (exitCode === null && signalCode === null && pid !== undefined) {
      const ended = new Promise((resolve) => this.process.once("exit", resolve));
      process.kill(-pid, "SIGTERM");
      await ended;
    }
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private async ready(): Promise<void> {
    for (const until = Date.now() + 60_000; Date.now() < until;) {
      const response = await fetch(`http://${this.host}/healthz`).catch(() => undefined);
      if (response?.ok === true) {
        return;
      }
      if (this.process.exitCode !== null) {
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the workbench did not start:\n${this.output.join("")}`);
  }
}

/** Installs packaged extensions into a new folder. */
export function installExtensions(folder: string, archives: readonly string[]): void {
  const userData = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-"));
  const flags = archives.flatMap((archive) => ["--install-extension", archive]);
  try {
    const folders = ["--user-data-dir", userData, "--extensions-dir", folder];
    execFileSync(PROGRAM, [...folders, ...flags], { stdio: "pipe" });
  } finally {
    fs.rmSync(userData, { recursive: true, force: true });
  }
}

/** The extension as it is packaged for this machine. */
export function packagedExtension(): string {
  const { version } = JSON.parse(fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8")) as {
    version: string;
  };
  const name = `gpu2ascend-${process.platform}-${process.arch}-${version}.vsix`;
  return process.env.E2E_VSIX ?? path.join(EXTENSION, "dist", name);
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  });
}
