/** What the server offers to change, made ready for the editor: what cannot be applied is left out and named. */

import type {
  ChangeAnnotation,
  CreateFile,
  TextDocumentEdit,
  WorkspaceEdit as ProtocolEdit,
} from "vscode-languageclient";

/** Why a file cannot be changed as offered. */
export type Obstacle = "changed" | "readOnly";

export interface Offer {
  readonly edit: ProtocolEdit;
  /** The documents that it changes. */
  readonly uris: readonly string[];
  readonly left: Readonly<Record<Obstacle, readonly string[]>>;
  /** Whether an editor shows it before it is applied: it asks only about what is to be confirmed. */
  readonly isAskedAbout: boolean;
}

/** Identifies what belongs to no finding: imports, and files that are made for the changes. */
const SHARED = "gpu2ascend.shared";

type Change = TextDocumentEdit | CreateFile;

/**
 * The edit without the documents in whose way something is.
 *
 * @param shared What to call the edits that belong to no finding.
 */
export function offerOf(
  given: ProtocolEdit,
  obstacleOf: (uri: string) => Obstacle | undefined,
  shared: string,
): Offer {
  const left: Record<Obstacle, string[]> = { changed: [], readOnly: [] };
  const changes = ((given.documentChanges ?? []) as Change[]).filter((change) => {
    const obstacle = "edits" in change ? obstacleOf(change.textDocument.uri) : undefined;
    if (obstacle !== undefined && "edits" in change) {
      left[obstacle].push(change.textDocument.uri);
    }
    return obstacle === undefined;
  });
  const named = changes.map((change) =>
    "edits" in change ? { ...change, edits: change.edits.map(withName) } : withName(change),
  );
  const used = new Set(named.flatMap(annotationsOf));
  const annotations: Record<string, ChangeAnnotation> = {
    ...given.changeAnnotations,
    [SHARED]: { label: shared, needsConfirmation: false },
  };
  const kept = Object.fromEntries(Object.entries(annotations).filter(([name]) => used.has(name)));
  return {
    edit: { documentChanges: named, changeAnnotations: kept },
    uris: changes.flatMap((change) => ("edits" in change ? [change.textDocument.uri] : [])),
    left,
    isAskedAbout: Object.values(kept).some(({ needsConfirmation }) => needsConfirmation === true),
  };
}

/** The same with nothing to be confirmed: an editor that shows it has all of it ticked. */
export function ticked(offer: Offer): Offer {
  const given = Object.entries(offer.edit.changeAnnotations ?? {});
  const changeAnnotations = Object.fromEntries(
    given.map(([name, annotation]) => [name, { ...annotation, needsConfirmation: false }]),
  );
  return { ...offer, edit: { ...offer.edit, changeAnnotations }, isAskedAbout: false };
}

function annotationsOf(change: Change): string[] {
  return "edits" in change ? change.edits.map(nameOf) : [nameOf(change)];
}

function withName<Item extends object>(item: Item): Item & { annotationId: string } {
  return { ...item, annotationId: nameOf(item) };
}

function nameOf(item: object): string {
  return "annotationId" in item && typeof item.annotationId === "string" ? item.annotationId : SHARED;
}
