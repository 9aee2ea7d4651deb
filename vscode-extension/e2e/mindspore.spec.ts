import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { expectAccessible } from "./workbench/axe";
import { DialogPage } from "./workbench/dialog";

const TRAIN = `import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss()
for step in range(3):
    inputs = torch.randn(16, 4).cuda()
    targets = inputs.sum(dim=1, keepdim=True)
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
`;

test.use({ opened: [], files: { "small/train.py": TRAIN } });

test("the dialog converts a project to MindSpore, with the options of that target @beyond", async ({
  workbench,
}) => {
  test.slow();
  const dialog = await DialogPage.open(workbench);
  const parent = path.join(path.dirname(workbench.folder), "ascend");

  await test.step("options are shown for the target that they belong to", async () => {
    await dialog.input("inputPath").fill(workbench.path("small"));
    await dialog.openAdvanced();
    await expect(dialog.field("graph")).toBeHidden();
    await expect(dialog.field("mindsporeApi")).toBeHidden();
    await dialog.choose("target", "mindspore");
    await expect(dialog.field("version")).toBeHidden();
    await expect(dialog.choice("mindsporeVersion")).toContainText("2.10.0");
    await expect(dialog.target).toHaveText(path.join(parent, "small_x2ms"));
    await dialog.toggle("graph");
    await dialog.choose("mindsporeApi", "mint");
    await workbench.screenshot("dialog-mindspore");
    await expectAccessible(workbench.webview);
  });

  await test.step("the steps are compiled, and the layers are those of mint", async () => {
    await dialog.transplant.click();
    const page = workbench.webview;
    await expect(page.getByRole("heading", { name: "Migration Result" })).toBeVisible();
    await expect(page.getByText("For MindSpore 2.10.0 or newer")).toBeVisible();
    await expect(page.getByRole("button", { name: "Open Migrated Folder" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Verify Migrated Project" })).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "Next Steps" })).toBeHidden();
    await workbench.screenshot("result-mindspore");
    await expectAccessible(page);
    const converted = fs.readFileSync(path.join(parent, "small_x2ms", "train.py"), "utf8");
    expect(converted).toContain("ms.jit(");
    expect(converted).toContain("mint.nn.Linear(4, 8)");
    expect(converted).not.toContain("torch");
    expect(workbench.read("small/train.py")).toBe(TRAIN);
  });
});
