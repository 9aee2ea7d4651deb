/** Making elements. Text is always text: nothing here takes HTML. */

export type Child = Node | string | null | undefined;

/** An element with properties and, under `with`, attributes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<Omit<HTMLElementTagNameMap[K], "style" | "dataset">> & {
    with?: Record<string, string>;
  },
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  const { with: attributes, ...rest } = properties;
  Object.assign(made, rest);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    made.setAttribute(name, value);
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return made;
}

/** Text in which words in backquotes are code. */
export function withCode(text: string): Node[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) =>
      index % 2 === 1 ? element("code", { textContent: part }) : document.createTextNode(part),
    );
}
