// node act.mjs policy.onnx STYLE < observations.json
//
// Reads a JSON list of observations and prints a JSON list of actions, with the mean of those that would be drawn.
import { readFileSync } from "node:fs";
import { loadPolicy } from "./policy.mjs";

const [file, style] = process.argv.slice(2);
const policy = await loadPolicy(new Uint8Array(readFileSync(file)));
const observations = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(await policy.act(observations, style, () => 0)));
