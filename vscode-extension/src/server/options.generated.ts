// Made from the server's options by scripts/generate-options.mjs. Do not edit.

/** The parameters of a migration. */
export interface MigrationParameters {
  /** PyTorch version of the migrated project (default: found in the project). */
  readonly version?: null | "1.5.0" | "1.8.1" | "1.11.0" | "2.0.1" | "2.1.0" | "2.2.0" | "2.3.1" | "2.4.0" | "2.5.1" | "2.6.0" | "2.7.1" | "2.8.0" | "2.9.0" | "2.10.0" | "2.11.0" | "2.12.0" | "2.13.0" | "2.14.0";
  /** The project to migrate; it is only read. */
  readonly inputPath: string;
  /** The directory in which the migrated project is created. */
  readonly outputPath: string;
  /** What the code is migrated to: torch_npu, code for any device, or MindSpore. */
  readonly target?: "torch_npu" | "accelerator" | "mindspore";
  /** Import transfer_to_npu in the scripts, which replaces functions of torch at run time, instead of changing the code; report what it does not cover. */
  readonly auto?: boolean;
  /** The MindSpore release that the new code is for. */
  readonly mindsporeVersion?: "2.7.0" | "2.8.0" | "2.9.0" | "2.10.0";
  /** Compile each training step with ms.jit, once for each shape of its inputs; a file that a graph cannot represent is not converted. */
  readonly graph?: boolean;
  /** Ops: functions and layers that compute on every device (default); mint: those of mindspore.mint, with torch's names and arguments, most of which compute on Ascend only, so results cannot be compared on a CPU. */
  readonly mindsporeApi?: "ops" | "mint";
  /** Family of Ascend devices, A2, A3, 950DT or 910A; A2 are 910B devices, A3 910C, 910A the series before them. */
  readonly hardware?: "A2" | "A3" | "950DT" | "910A";
  /** How to spell renamed APIs. */
  readonly apiStyle?: "torch_npu.npu" | "torch.npu";
  /** A JSON file with your own rules, applied before the built-in ones. */
  readonly customRule?: string | null;
  /** Treat a custom rule that matches nothing as an error, before anything is written. */
  readonly requireRuleMatches?: boolean;
  /** Base image for container files that start from a CUDA image (such as quay.io/ascend/cann:9.1.0-910b-ubuntu22.04-py3.11). */
  readonly image?: string | null;
  /** Also apply fixes that may change numerics, speed or structure. */
  readonly unsafeFixes?: boolean;
  /** Replace unsupported APIs with equivalents (adds the package ascend_function), which may cost accuracy and speed: apex.parallel.DistributedDataParallel, and by version Conv3d, pad, ReflectionPad2d, ReplicationPad2d, SyncBatchNorm, repeat_interleave, get_device_properties, set_default_tensor_type. */
  readonly replaceUnsupported?: boolean;
  /** Move training scripts that name no device to the NPU: model, losses and batches. */
  readonly fromCpu?: boolean;
  /** Let the environment variable DEVICE_ID choose the device. */
  readonly specifyDevice?: boolean;
  /** Turn single-device training into multi-device training; the script must load its data with torch.utils.data.DataLoader. */
  readonly distributed?: boolean;
  /** The script that starts the training. */
  readonly mainFile?: string | null;
  /** The variable that holds the model in the main file, such as model or self.model; comma-separated if there are several. */
  readonly targetModel?: string;
  /** Also write the scripts for another launcher (with the distributed rule). */
  readonly launcher?: null | "torchrun" | "spawn" | "launch" | "shell" | "torch_npu_run";
  /** Number of hosts that the launch scripts are for. */
  readonly nnodes?: number;
  /** Convert torch.cuda.amp to apex.amp, in scripts for PyTorch 1.5.0 that use torch.cuda.amp; the network may become slower, and there are many limits. */
  readonly ampTransplant?: boolean;
  /** Variable that holds the model for mixed precision; turns AMP transplant on. */
  readonly ampModel?: string;
  /** Also give advice on what would be faster or more accurate on the NPU (codes ADV); does not affect counts or exit codes. */
  readonly advice?: boolean;
  /** Enable mixed precision (AMP) in float32 training loops: autocast and a gradient scaler. */
  readonly enableAmp?: boolean;
  /** Adapt paths to training on ModelArts: a package added to the project downloads inputs from OBS and uploads outputs. */
  readonly modelarts?: boolean;
  /** Also write an unmigrated copy of the project that reports, when it runs on a GPU or CPU, where shapes change. */
  readonly dynamicAnalysis?: boolean;
  /** Tables from the analysis of a library (mode `third_party`): report every use of an API listed there. */
  readonly apiFiles?: readonly string[];
  /** Only these rules: codes, code prefixes or names. */
  readonly select?: readonly string[];
  /** All rules but these: codes, code prefixes or names. */
  readonly ignore?: readonly string[];
  /** Severities by rule: NPU101=hint, NPU7=information. */
  readonly severities?: Readonly<Record<string, "error" | "warning" | "information" | "hint">>;
  /** Leave out files and directories that match these glob patterns: they are not examined, and a migration does not copy them. */
  readonly exclude?: readonly string[];
  /** Do not examine files and directories that match these glob patterns: a migration only copies them. */
  readonly copy?: readonly string[];
  /** The scripts or notebooks that start the training: what they do not reach does not count as preventing it (default: found in the project). */
  readonly entries?: readonly string[];
  /** Link files of 100 MB and more that need no change, such as data and weights, to the originals (the default), or copy them. */
  readonly largeFiles?: "link" | "copy";
  /** Files larger than this many MB are reported, not read; a migration copies them. */
  readonly maxFileSize?: number;
  /** Heed the settings in the project's own `pyproject.toml` and its `ignore-file` comments; if off, they have no effect. */
  readonly projectSettings?: boolean;
  /** Replace an earlier migration in the output directory; nothing else is deleted. */
  readonly force?: boolean;
  /** When an earlier result is replaced: also delete files that were changed or added there since. */
  readonly discardChanges?: boolean;
}
