/** The page of a web view: no content but what came with the extension, no script but the one with the nonce. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import { html } from "../escaping";

export interface Page {
  /** Name of the script and of the style sheet in `dist/webview`. */
  readonly name: string;
  readonly title: string;
}

/** Where the content of web views lies. */
export function viewRoot(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, "dist", "webview");
}

/** What stands in the page until the server has answered; it need not flash up for an answer that comes at once. */
const WAITING = `
  .waiting { padding: 20px 24px; color: var(--vscode-descriptionForeground); animation: appear 0s 0.4s backwards; }
  @keyframes appear { from { visibility: hidden; } }
`;

export function pageHtml(webview: vscode.Webview, extension: vscode.Uri, page: Page): string {
  const nonce = randomBytes(16).toString("base64");
  const address = (file: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(viewRoot(extension), file)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${html(vscode.env.language)}">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <link rel="stylesheet" href="${address("codicon.css")}" nonce="${nonce}" id="vscode-codicon-stylesheet">
    <link rel="stylesheet" href="${address(`${page.name}.css`)}" nonce="${nonce}">
    <style nonce="${nonce}">${WAITING}</style>
    <title>${html(page.title)}</title>
  </head>
  <body>
    <main id="root">
      <p class="waiting" role="status">${html(vscode.l10n.t("Starting the server…"))}</p>
    </main>
    <script nonce="${nonce}" src="${address(`${page.name}.js`)}"></script>
  </body>
</html>`;
}
