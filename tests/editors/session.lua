-- What a user does in Neovim, step by step; what is seen goes to a file as JSON. Arguments: by environment.
local seen = {}

local function finish()
  local file = io.open(vim.env.RESULT, "w")
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.cmd("qall!")
end

local function wait_for(what, condition)
  if not vim.wait(120000, condition, 50) then
    seen.missing = what
    finish()
    vim.cmd("cquit")
  end
end

local function diagnostics()
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { line = item.lnum, code = item.code, message = item.message })
  end
  return found
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
    end
  end
end

vim.cmd("edit " .. vim.env.SCRIPT)
vim.cmd("setfiletype python")
wait_for("diagnostics", function() return #vim.diagnostic.get(0) >= 2 end)
seen.diagnostics = diagnostics()

vim.api.nvim_win_set_cursor(0, { 4, 12 })
vim.lsp.buf.hover()
wait_for("hover", function() return floating() ~= nil end)
seen.hover = floating()
vim.cmd("only")

vim.ui.select = function(items, options, choose)
  seen.actions = {}
  for _, item in ipairs(items) do
    table.insert(seen.actions, item[2].title)
  end
  choose(items[1])
end
local before = text()
vim.lsp.buf.code_action()
wait_for("the action's edit", function() return text() ~= before end)
seen.text = text()
wait_for("diagnostics of the changed text", function() return #vim.diagnostic.get(0) == 1 end)
seen.left = diagnostics()
vim.cmd("write")

vim.cmd("Gpu2ascendMigrate " .. vim.env.OUTPUT)
local marker = vim.env.OUTPUT .. "/project_msft/change_list.csv"
wait_for("the migrated tree", function() return vim.fn.filereadable(marker) == 1 end)
seen.text_after_migration = text()
finish()
