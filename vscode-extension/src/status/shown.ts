/** What the status bar says that problems are shown for. */

import type { FolderOptions } from "../server/protocol";

/**
 * The release and the hardware that count for the target: `PyTorch 2.8.0 · A2`, `MindSpore 2.10.0`.
 *
 * @param version The PyTorch version, as it is shown.
 */
export function shownTarget(options: FolderOptions, version: string): string {
  const { mindsporeVersion, hardware } = options.values;
  const parts = [
    ...(counts(options, "version") ? [version] : []),
    ...(counts(options, "mindsporeVersion") ? [`MindSpore ${textOf(mindsporeVersion)}`] : []),
    ...(counts(options, "hardware") ? [textOf(hardware)] : []),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Whether an option changes anything for the target of a folder. */
export function counts({ values, schema }: FolderOptions, option: string): boolean {
  const property = schema.properties[option];
  const target = values.target ?? schema.properties.target?.default;
  const idle = property?.noEffectWith?.target ?? [];
  return property !== undefined && !idle.includes(target);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
