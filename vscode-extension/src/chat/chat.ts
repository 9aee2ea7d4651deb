/** The chat that the user has, if there is one: what leads to it is shown only then. */

import type * as vscode from "vscode";

/** In `when` clauses: whether there is a chat. */
const CONTEXT = "gpu2ascend.chat";
const OPEN = "workbench.action.chat.open";

/** What is asked of the editor; one without a chat may lack the models. */
export interface ChatHost {
  readonly lm?: Partial<Pick<typeof vscode.lm, "selectChatModels" | "onDidChangeChatModels">>;
  readonly commands: Pick<typeof vscode.commands, "getCommands" | "executeCommand">;
}

export class Chat {
  private known = false;

  /** @param changed Called when a chat has come or gone. */
  constructor(
    private readonly host: ChatHost,
    private readonly changed: (isThere: boolean) => void = () => undefined,
  ) {}

  get isThere(): boolean {
    return this.known;
  }

  /** Looks for a chat, now and whenever the models are others. */
  async follow(): Promise<{ dispose(): unknown }> {
    await this.update();
    return this.host.lm?.onDidChangeChatModels?.(() => void this.update()) ?? { dispose: () => undefined };
  }

  /** Opens the chat with a text that its user can change before it is sent. */
  async open(prompt: string): Promise<void> {
    await this.host.commands.executeCommand(OPEN, { query: prompt, isPartialQuery: true });
  }

  private async update(): Promise<void> {
    const isThere = await this.look();
    await this.host.commands.executeCommand("setContext", CONTEXT, isThere);
    if (isThere !== this.known) {
      this.known = isThere;
      this.changed(isThere);
    }
  }

  /** The view of a chat alone is none: without a model nobody answers in it. */
  private async look(): Promise<boolean> {
    const { lm, commands } = this.host;
    try {
      const models = (await lm?.selectChatModels?.({})) ?? [];
      return models.length > 0 && (await commands.getCommands(true)).includes(OPEN);
    } catch {
      return false;
    }
  }
}
