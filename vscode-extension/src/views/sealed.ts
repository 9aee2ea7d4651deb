/** Pages that the server wrote. */

/** A page of the server's making as it may be shown: its own styles and pictures, no script, nothing remote. */
export function sealed(page: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">\n${page}`;
}
