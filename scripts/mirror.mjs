// Started by scripts/mirror: a presenter in a terminal, and two viewers in Chromium.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(new URL("../target/mirror/", import.meta.url));
const { chromium } = require("playwright-core");
const { STEPWRIGHT, CHROMIUM, session } = process.env;

const command = `stty cols 120 rows 40; exec '${STEPWRIGHT}' present '${session}' --mirror --step 2`;
const presenter = spawn("script", ["-qefc", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
let said = "";
const address = await new Promise((resolve, reject) => {
  presenter.on("exit", () => reject(new Error(said)));
  presenter.stdout.on("data", (bytes) => {
    said += bytes;
    const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//.exec(said);
    if (found) resolve(found[0]);
  });
});
const press = (keys) => presenter.stdin.write(keys);
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const wrong = [];
const viewer = async () => {
  const page = await browser.newPage();
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  await page.goto(address);
  return page;
};
const at = (page) => page.evaluate(() => [...document.querySelectorAll("details.step[open]")].map((step) => step.id).join());
const until = async (page, wanted, what) => {
  for (let left = 100; (await at(page)) !== wanted; left -= 1) {
    assert(left > 0, `${what}: ${await at(page)} in place of ${wanted}`);
    await new Promise((again) => setTimeout(again, 50));
  }
};
const [one, two] = [await viewer(), await viewer()];
await until(one, "node-2", "the decision shown at first");
await until(two, "node-2", "the other viewer");
press("\x1b[C");
await until(one, "node-3", "the presenter went on");
assert(await one.isHidden("#follow"), "nothing to follow again");

// One viewer looks back alone; the other still follows.
await one.keyboard.press("ArrowLeft");
await until(one, "node-2", "alone");
press("\x1b[C");
await until(two, "node-4", "the other follows");
assert.equal(await at(one), "node-2", "alone as long as one wants");
await one.click("#follow");
await until(one, "node-4", "following again");
await one.click('.strip a[href="#node-1"]');
await until(one, "node-1", "a click in the strip");
assert(await one.isVisible("#node-1 summary"), "in sight");

// Nothing else runs, is asked for or can be sent.
const evil = await one.evaluate(() => {
  const script = document.createElement("script");
  script.textContent = "window.ran = true";
  document.body.append(script);
  return window.ran === true;
});
assert.equal(evil, false, "another script runs");
const sent = await one.evaluate(() => fetch(location.href, { method: "POST", body: "x" }).then((answer) => answer.status));
assert.equal(sent, 405);
const expected = /Content Security Policy|405/;
assert.deepEqual(wrong.filter((text) => !expected.test(text)), [], "errors of the page");
await one.screenshot({ path: "target/mirror/page.png" });
await browser.close();
presenter.removeAllListeners("exit");
press("\x1b");
await new Promise((again) => setTimeout(again, 500));
press("q");
const code = await new Promise((resolve) => presenter.on("exit", resolve));
assert.equal(code, 0, "the presenter ends well");
console.log("the mirror follows in Chromium; a viewer alone, back again; nothing else runs");
