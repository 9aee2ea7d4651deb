/** The form: its sections, what of them is shown, and what of it is sent to the extension. */

import {
  changed,
  type FormOptions,
  type FormValue,
  type FormValues,
  isActive,
  isChosenIn,
  sameModels,
  type Section,
  sections,
  tiedTo,
  valueOf,
} from "../../dialog/form";
import type { DialogState, FromDialog, ToDialog } from "../../dialog/protocol";
import type { OptionSchema, Validation } from "../../server/protocol";
import { setInside } from "../shared/accessible";
import { element } from "../shared/dom";
import { type Field, helpOf, makeField, type Refusal, sentence } from "./field";
import { Footer } from "./footer";

type Shown = Extract<ToDialog, { type: "show" }>;

export class DialogForm {
  readonly element: HTMLElement;
  private values: FormValues;
  private readonly fields = new Map<string, Field>();
  private readonly footer: Footer;
  private revision = 0;
  private options: FormOptions;
  private validation: Validation;
  /** What the form held when the server was asked for its validation. */
  private checked: FormValues;
  private submitted = false;
  /** Whether what was submitted may still be refused: then the first error is looked at. */
  private awaitsErrors = false;
  private readonly advanced = element("vscode-collapsible", {});

  constructor(
    private readonly shown: Shown,
    private readonly send: (message: FromDialog) => void,
    keep: (part: Partial<DialogState>) => void,
  ) {
    this.advanced.addEventListener("vsc-collapsible-toggle", () => {
      keep({ advanced: this.advanced.open });
      this.tellAdvanced();
    });
    this.values = shown.values;
    this.options = shown.options;
    const { detected, proposedVersion } = shown.options;
    this.validation = { errors: [], notices: [], target: null, detected, proposedVersion, proposals: {} };
    this.checked = shown.values;
    this.footer = new Footer(shown.texts, {
      transplant: () => {
        this.submit("transplant");
      },
      preview: () => {
        this.submit("preview");
      },
    });
    const { texts, options } = shown;
    const problem = options.problem === null ? null : element("p", { className: "problem" }, options.problem);
    this.element = element(
      "form",
      { className: "dialog", noValidate: true },
      element("h1", { textContent: texts.title }),
      element("p", { className: "intro", textContent: texts.intro }),
      problem,
      ...sections(options).map((section) => this.section(section)),
      this.footer.element,
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        this.submit("transplant");
      }
    });
    this.showProposals();
    this.update();
    this.setRunning(shown.running);
  }

  /** Sends the extension what the form holds, so that it is checked. */
  announce(): void {
    this.revision += 1;
    this.send({ type: "changed", revision: this.revision, values: this.values });
  }

  focus(): void {
    this.fields.values().next().value?.focus();
  }

  /** Whether an advanced option has another value than its default, which is not to be overlooked. */
  get hasAdvanced(): boolean {
    return isChosenIn("advanced", this.values, this.options);
  }

  openAdvanced(open: boolean): void {
    this.advanced.open = open;
    this.tellAdvanced();
  }

  /** The library's heading is worked like a button, and does not say so. */
  private tellAdvanced(): void {
    const attributes = { role: "button", "aria-expanded": String(this.advanced.open) };
    setInside(this.advanced, ".collapsible-header", attributes);
    // It stands directly below the title of the page.
    setInside(this.advanced, "h3", { "aria-level": "2" });
  }

  setPath(name: string, path: string): void {
    this.fields.get(name)?.setValue(path);
    this.change(name, path);
  }

  setRunning(running: boolean): void {
    this.awaitsErrors &&= running;
    this.footer.setRunning(running);
  }

  /** Shows what the server says, unless the form has changed since it was asked. */
  showValidation(revision: number, validation: Validation): void {
    if (revision === this.revision) {
      this.validation = validation;
      this.checked = this.values;
      this.options = { ...this.options, proposedVersion: validation.proposedVersion };
      this.showProposals();
      if (this.take(sameModels(this.values, this.options))) {
        this.announce();
      }
      this.update();
      if (this.awaitsErrors) {
        this.focusFirstError();
      }
    }
  }

  private section(section: Section): HTMLElement {
    const isFile = section.switchName !== null && section.switchOption === null;
    const fields = section.fields.map((name) =>
      this.field(name, isFile ? this.shown.texts.ruleFile : undefined),
    );
    if (section.group.id === "advanced") {
      this.advanced.heading = this.shown.texts.advanced;
      this.advanced.append(element("div", { className: "fields" }, ...fields));
      return this.advanced;
    }
    if (section.switchName === null) {
      return element("section", { className: "fields" }, ...fields);
    }
    const dependent = element("div", { className: "dependent" }, ...fields);
    return element("section", { className: "fields" }, this.switch(section, section.switchName), dependent);
  }

  /** The box that turns a section on: a separate option, or the presence of the section's only one. */
  private switch(section: Section, name: string): HTMLElement {
    if (section.switchOption !== null) {
      return this.field(name);
    }
    const box = element("vscode-checkbox", {
      label: section.group.title,
      checked: this.values[name] === true,
    });
    box.addEventListener("change", () => {
      this.change(name, box.checked);
    });
    const [only = ""] = section.fields;
    const option = this.option(only);
    const help = helpOf(option, this.shown.texts, () => {
      this.send({ type: "guide", field: only });
    });
    setInside(box, "input", { "aria-description": sentence(option.description) });
    return element("div", { className: "field flag", with: { "data-field": name } }, box, help);
  }

  private field(name: string, label?: string): HTMLElement {
    const field = makeField({
      name,
      option: this.option(name),
      value: this.values[name],
      texts: this.shown.texts,
      emptyChoice: this.emptyChoice(name),
      ...(label === undefined ? {} : { label }),
      changed: (value) => {
        this.change(name, value);
      },
      browse: (current) => {
        this.send({ type: "browse", field: name, current });
      },
      showGuide: () => {
        this.send({ type: "guide", field: name });
      },
    });
    this.fields.set(name, field);
    return field.element;
  }

  private option(name: string): OptionSchema {
    const option = this.shown.options.schema.properties[name];
    if (option === undefined) {
      throw new Error(`no option ${name}`);
    }
    return option;
  }

  /** What it means to choose nothing. */
  private emptyChoice(name: string): string {
    const { texts, options } = this.shown;
    return name === "version" && options.proposedVersion === null ? texts.notDetected : texts.notChosen;
  }

  /** What stands in a field for no choice, and what may be chosen in it by a click. */
  private showProposals(): void {
    for (const [name, field] of this.fields) {
      if (this.values[name] === null) {
        field.setValue(valueOf(name, this.values, this.options) ?? null);
      }
      field.setProposals(this.validation.proposals[name] ?? []);
    }
  }

  /** Why a field has the value that it has, where that is not what was entered in it. */
  private noteOf(name: string): string {
    const proposed = this.options.proposedVersion;
    if (name === "version" && proposed !== null && proposed !== undefined && this.values[name] === null) {
      return sentence(proposed.message);
    }
    const other = tiedTo(name, this.values, this.options);
    const above = sections(this.options).find(({ fields }) => other !== undefined && fields.includes(other));
    return above === undefined ? "" : this.shown.texts.tied.replace("{0}", above.switchOption?.title ?? "");
  }

  private change(name: string, value: FormValue): void {
    this.awaitsErrors = false;
    this.take(changed(this.values, name, value, this.options), name);
    this.update();
    this.announce();
  }

  /** Takes values over, and shows them in the fields that have others; says whether there are such. */
  private take(values: FormValues, entered?: string): boolean {
    const before = this.values;
    this.values = values;
    let isOther = false;
    for (const [name, field] of this.fields) {
      const now = values[name];
      if (name !== entered && now !== undefined && now !== before[name]) {
        field.setValue(now);
        isOther = true;
      }
    }
    return isOther;
  }

  /** What was wrong before holds nothing back: the files may have changed since, and the server looks again. */
  private submit(type: "transplant" | "preview"): void {
    this.submitted = true;
    this.update();
    this.awaitsErrors = type === "transplant";
    this.send({ type, values: this.values });
  }

  private focusFirstError(): void {
    const first = this.shownErrors().keys().next().value;
    if (first !== undefined) {
      this.awaitsErrors = false;
      const { group } = this.option(first);
      this.openAdvanced(this.advanced.open || group === "advanced");
      this.fields.get(first)?.focus();
    }
  }

  /** What is wrong with the fields as they are; an error of what a field held before is over. */
  private shownErrors(): Map<string, Refusal> {
    const errors = new Map<string, Refusal>();
    const current = this.validation.errors.filter(({ field }) => this.values[field] === this.checked[field]);
    const refusals = new Map(current.map((error) => [error.field, error]));
    for (const [name, field] of this.fields) {
      const refusal = this.isShown(name) ? refusals.get(name) : undefined;
      const empty = this.values[name] === "" || this.values[name] === null;
      if (refusal !== undefined && (!empty || field.touched || this.submitted)) {
        errors.set(name, { message: refusal.message, remedy: this.remedy(refusal.allowedBy) });
      }
    }
    return errors;
  }

  /** Allowing what was refused, by a box that is then seen ticked. */
  private remedy(name: string | null): Refusal["remedy"] {
    const field = name === null ? undefined : this.fields.get(name);
    if (name === null || field === undefined) {
      return null;
    }
    return {
      title: this.option(name).title,
      take: () => {
        this.openAdvanced(this.advanced.open || this.option(name).group === "advanced");
        field.setValue(true);
        this.change(name, true);
        field.focus();
      },
    };
  }

  private isShown(name: string): boolean {
    return this.fields.has(name) && isActive(name, this.values, this.options);
  }

  private update(): void {
    const errors = this.shownErrors();
    for (const [name, field] of this.fields) {
      field.element.hidden = !this.isShown(name);
      field.showNote(this.noteOf(name));
      field.showError(errors.get(name) ?? null);
    }
    const elsewhere = this.validation.errors.filter(({ field }) => !this.isShown(field));
    this.footer.show(
      this.validation,
      elsewhere.map(({ message }) => message),
    );
  }
}
