/** The commands that this extension adds. The server's own bear other names: the client registers those. */

export const Command = {
  openDialog: "gpu2ascend.ui.openDialog",
  migrateFile: "gpu2ascend.ui.migrateFile",
  previewInPlace: "gpu2ascend.ui.previewInPlace",
  analyzeWorkspace: "gpu2ascend.ui.analyzeWorkspace",
  groupFindings: "gpu2ascend.ui.groupFindings",
  filterFindings: "gpu2ascend.ui.filterFindings",
  clearFilter: "gpu2ascend.ui.clearFilter",
  fixFinding: "gpu2ascend.ui.fixFinding",
  fixRule: "gpu2ascend.ui.fixRule",
  fixFile: "gpu2ascend.ui.fixFile",
  ignoreFinding: "gpu2ascend.ui.ignoreFinding",
  explainFinding: "gpu2ascend.ui.explainFinding",
  copyPrompt: "gpu2ascend.ui.copyPrompt",
  handOver: "gpu2ascend.ui.handOver",
  clearFindings: "gpu2ascend.ui.clearFindings",
  verifyProject: "gpu2ascend.ui.verifyProject",
  selectTarget: "gpu2ascend.ui.selectTarget",
  configure: "gpu2ascend.ui.configure",
  showDebugInformation: "gpu2ascend.ui.showDebugInformation",
  selectInterpreter: "gpu2ascend.ui.selectInterpreter",
  restartServer: "gpu2ascend.ui.restartServer",
  showLog: "gpu2ascend.ui.showLog",
  showTrace: "gpu2ascend.ui.showTrace",
  /** Of no menu: what a click on a finding runs. */
  openPlace: "gpu2ascend.ui.openPlace",
} as const;
