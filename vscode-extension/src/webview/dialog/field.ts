/** One field of the form: its name, its control, its help and its error. */

import type { VscodeCheckbox, VscodeSingleSelect, VscodeTextfield } from "@vscode-elements/elements";

import {
  fieldKind,
  type FormValue,
  isOptional,
  isRequired,
  parseList,
  parseMap,
  parseNumber,
  shownValue,
} from "../../dialog/form";
import type { DialogTexts } from "../../dialog/protocol";
import type { OptionSchema } from "../../server/protocol";
import { setInside } from "../shared/accessible";
import { element, withCode } from "../shared/dom";

export interface FieldOptions {
  readonly name: string;
  readonly option: OptionSchema;
  readonly value: FormValue | undefined;
  readonly texts: DialogTexts;
  /** Its name below a switch that has that of the option and the help already. */
  readonly label?: string;
  /** The text of the choice that stands for no value. */
  readonly emptyChoice: string;
  readonly changed: (value: FormValue) => void;
  readonly browse: (current: string) => void;
  readonly showGuide: () => void;
}

/** Why a value cannot be used, and what would allow it. */
export interface Refusal {
  readonly message: string;
  readonly remedy: { readonly title: string; readonly take: () => void } | null;
}

interface Control {
  readonly element: VscodeCheckbox | VscodeSingleSelect | VscodeTextfield;
  /** Selects what is read in its shadow. */
  readonly read: string;
}

export abstract class Field {
  readonly element: HTMLElement;
  protected readonly error: HTMLElement;
  protected readonly note = element("div", { className: "note", hidden: true });
  protected readonly proposals = element("div", { className: "proposals", hidden: true });
  /** Whether the user has been here: an empty field that must be filled is no mistake before. */
  touched = false;
  private shownError = "";
  private shownHelp = "";

  constructor(protected readonly options: FieldOptions) {
    this.error = element("div", { className: "error", id: `${options.name}-error`, hidden: true });
    this.error.setAttribute("role", "alert");
    this.element = element("div", { className: "field", with: { "data-field": options.name } });
    this.element.addEventListener("focusout", () => {
      this.touched = true;
    });
  }

  abstract focus(): void;
  abstract setValue(value: FormValue): void;

  /** Shows values that may be chosen by a click. */
  setProposals(values: readonly string[]): void {
    this.proposals.hidden = values.length === 0;
    this.proposals.replaceChildren(
      this.options.texts.proposals,
      ...values.flatMap((value) => [" ", this.proposal(value)]),
    );
  }

  private proposal(value: string): HTMLElement {
    const button = element("button", { className: "link", type: "button", textContent: value });
    button.addEventListener("click", () => {
      const chosen = this.withProposed(value);
      this.setValue(chosen);
      this.options.changed(chosen);
      this.focus();
    });
    return button;
  }

  /** The value of the field when a proposal is chosen. */
  protected withProposed(value: string): FormValue {
    return value;
  }

  /** Shows why it has the value that it has. */
  showNote(text: string): void {
    this.note.hidden = text === "";
    if (this.note.textContent !== text) {
      this.note.textContent = text;
    }
  }

  /** What the user works with, and in its shadow what a screen reader reads. */
  protected abstract readonly control: Control;

  showError(refusal: Refusal | null): void {
    this.control.element.invalid = refusal !== null;
    this.error.hidden = refusal === null;
    // What was typed may be the first word, and is not to be spelled otherwise.
    const typed = this.control.element.value;
    const text = refusal === null ? "" : sentence(refusal.message, typed);
    // The same text set again would be read aloud again.
    if (this.shownError !== text) {
      this.shownError = text;
      this.error.replaceChildren(...withCode(text), ...remedyOf(refusal));
    }
    this.describe();
  }

  /** Its help, and what is wrong with it, for those who do not see them beside it. */
  private describe(): void {
    const { element, read } = this.control;
    const description = [this.shownError, this.note.textContent, this.shownHelp]
      .filter((text) => text !== "")
      .join(" ");
    setInside(element, read, {
      "aria-description": description === "" ? null : description.replaceAll("`", ""),
      "aria-invalid": this.shownError === "" ? null : "true",
      "aria-required": isRequired(this.options.name, this.options.option) ? "true" : null,
    });
  }

  protected help(): HTMLElement | null {
    if (this.options.label !== undefined) {
      return null;
    }
    const { option, texts, showGuide } = this.options;
    this.shownHelp = sentence(option.description);
    return helpOf(option, texts, showGuide);
  }

  protected label(): HTMLElement {
    const { option } = this.options;
    const star = element("span", { className: "star", textContent: "*", title: this.options.texts.required });
    const title = this.options.label ?? option.title;
    return element("div", { className: "label" }, title, isRequired(this.options.name, option) ? star : null);
  }
}

/** Of the list of a choice at most, in pixels: ten rows and a border, by the styles of vscode-elements. */
const LIST_HEIGHT = 222;

class ChoiceField extends Field {
  private readonly select: VscodeSingleSelect;

  constructor(options: FieldOptions) {
    super(options);
    const { option } = options;
    this.select = element("vscode-single-select", { label: option.title, name: options.name });
    for (const choice of option.enum ?? []) {
      const value = choice ?? "";
      const text = choice ?? options.emptyChoice;
      this.select.append(
        element("vscode-option", { value, textContent: text, selected: choice === options.value }),
      );
    }
    this.select.addEventListener("change", () => {
      options.changed(this.select.value === "" ? null : this.select.value);
    });
    for (const opening of ["pointerdown", "keydown"]) {
      this.select.addEventListener(opening, () => {
        this.choosePosition();
      });
    }
    this.element.append(this.label(), this.help() ?? "", this.select, this.note, this.error);
  }

  /** The list cannot reach out of the view: it opens to where there is more room, if it needs that. */
  private choosePosition(): void {
    const { top, bottom } = this.select.getBoundingClientRect();
    const below = window.innerHeight - bottom;
    this.select.position = below < LIST_HEIGHT && top > below ? "above" : "below";
  }

  focus(): void {
    this.select.focus();
  }

  setValue(value: FormValue): void {
    this.select.value = typeof value === "string" ? value : "";
  }

  protected get control(): Control {
    return { element: this.select, read: "[role=combobox]" };
  }
}

class FlagField extends Field {
  private readonly box;

  constructor(options: FieldOptions) {
    super(options);
    this.box = element("vscode-checkbox", { label: options.option.title, checked: options.value === true });
    this.box.addEventListener("change", () => {
      options.changed(this.box.checked);
    });
    this.element.classList.add("flag");
    this.element.append(this.box, this.help() ?? "", this.error);
  }

  focus(): void {
    this.box.focus();
  }

  setValue(value: FormValue): void {
    this.box.checked = value === true;
  }

  protected get control(): Control {
    return { element: this.box, read: "input" };
  }
}

class TextField extends Field {
  protected readonly input: VscodeTextfield;

  constructor(options: FieldOptions) {
    super(options);
    this.input = element("vscode-textfield", {
      label: options.option.title,
      value: shownValue(options.value),
    });
    this.input.addEventListener("input", () => {
      this.touched = true;
      options.changed(this.parse(this.input.value));
    });
    const { note, proposals, error } = this;
    this.element.append(this.label(), this.help() ?? "", this.controls(), proposals, note, error);
  }

  focus(): void {
    this.input.focus();
  }

  setValue(value: FormValue): void {
    this.input.value = shownValue(value);
  }

  protected controls(): HTMLElement {
    return this.input;
  }

  protected parse(text: string): FormValue {
    return text === "" && isOptional(this.options.option) ? null : text;
  }

  protected get control(): Control {
    return { element: this.input, read: "input" };
  }
}

class PathField extends TextField {
  protected override controls(): HTMLElement {
    const { option, texts } = this.options;
    const browse = element("vscode-button", { secondary: true, textContent: texts.browse });
    browse.setAttribute("aria-label", `${texts.browse} ${option.title}`);
    browse.addEventListener("click", () => {
      this.options.browse(this.input.value);
    });
    return element("div", { className: "path" }, this.input, browse);
  }
}

class NumberField extends TextField {
  protected override parse(text: string): FormValue {
    return parseNumber(text);
  }
}

class ListField extends TextField {
  protected override withProposed(value: string): FormValue {
    return [...new Set([...parseList(this.input.value), value])];
  }

  protected override parse(text: string): FormValue {
    return parseList(text);
  }
}

class MapField extends TextField {
  protected override parse(text: string): FormValue {
    return parseMap(text);
  }
}

/** The button that allows what was refused, behind the reason. */
function remedyOf(refusal: Refusal | null): (Node | string)[] {
  const remedy = refusal?.remedy ?? null;
  if (remedy === null) {
    return [];
  }
  const { title, take } = remedy;
  const button = element("button", { className: "link", type: "button", textContent: title });
  button.addEventListener("click", take);
  return [" ", button];
}

/** What an option is for, and where it has a guide, the way to it. */
export function helpOf(option: OptionSchema, texts: DialogTexts, showGuide: () => void): HTMLElement {
  const help = element("div", { className: "help" }, ...withCode(sentence(option.description)));
  if (option.guide !== undefined) {
    const link = element("button", { className: "link", type: "button", textContent: texts.guide });
    link.setAttribute("aria-label", `${texts.guide}: ${option.title}`);
    link.addEventListener("click", showGuide);
    help.append(" ", link);
  }
  return help;
}

export function makeField(options: FieldOptions): Field {
  switch (fieldKind(options.option)) {
    case "choice":
      return new ChoiceField(options);
    case "flag":
      return new FlagField(options);
    case "file":
    case "directory":
      return new PathField(options);
    case "text":
      return new TextField(options);
    case "number":
      return new NumberField(options);
    case "list":
      return new ListField(options);
    case "map":
      return new MapField(options);
  }
}

/**
 * The server's texts begin with a small letter and have no full stop, as on a command line.
 *
 * @param typed what the user has entered, which is left as it is where the text begins with it.
 */
export function sentence(text: string, typed = ""): string {
  const end = /[.。！!]$/.test(text) ? "" : /[\u4e00-\u9fff]/.test(text) ? "。" : ".";
  const begin = typed !== "" && text.startsWith(typed) ? text.charAt(0) : text.charAt(0).toUpperCase();
  return begin + text.slice(1) + end;
}
