/**
 * What a screen reader announces of the library's controls. They draw the element that it reads in their shadow,
 * where neither labels nor ids of the page reach it, and give it a name alone.
 */

interface Drawn extends Element {
  readonly updateComplete: Promise<unknown>;
}

/** Sets attributes of the element that is read, once the control is drawn; null takes one away. */
export function setInside(
  control: Drawn,
  selector: string,
  attributes: Readonly<Record<string, string | null>>,
): void {
  void control.updateComplete.then(() => {
    const inner = control.shadowRoot?.querySelector(selector);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null) {
        inner?.removeAttribute(name);
      } else {
        inner?.setAttribute(name, value);
      }
    }
  });
}
