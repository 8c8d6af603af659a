// SPDX-License-Identifier: MIT
// What all parts of the page share: its state, and how the server is asked.

export const $ = (id) => document.getElementById(id);
export const state = { solution: null, pinned: null, job: null, plane: [], at: {}, range: null, colors: {}, inner: null, lineInner: null, sliders: {}, mode: 0, playing: false, edition: 0, stated: "" };

// The token comes with the address, or for a code in it, and goes out in a header. It is kept where no other server sees it: cookies reach every port of a
// machine, what is stored here belongs to this port.
const STORED = "lrfm-studio";
let stored = null;
try { stored = localStorage.getItem(STORED); } catch { /* a browser that stores nothing */ }

async function enter() {
  const given = new URLSearchParams(location.search), code = given.get("code");
  let token = given.get("token");
  if (!token && !code) return stored ?? "";
  history.replaceState(null, "", location.pathname + location.hash);
  if (!token) {
    const response = await fetch("api/enter", send({ code }));
    if (!response.ok) return stored ?? "";
    token = (await response.json()).token;
  }
  try { localStorage.setItem(STORED, token); } catch { /* it is asked for again when the page is opened again */ }
  return token;
}

function send(body) { return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }; }
const entered = enter();

export async function ask(path, body) {
  const options = body === undefined ? { headers: {} } : send(body);
  options.headers["X-Lrfm-Token"] = await entered;
  const response = await fetch(path, options);
  if (response.ok) return response;
  const kind = response.headers.get("content-type") || "";
  const told = kind.includes("json") ? await response.json() : { message: await response.text() };
  throw Object.assign(new Error(told.message), told);
}

// Values over one or two axes, the other coordinates as in `at`.
export async function getView(job, show, axes, counts, at, minus) {
  const place = Object.entries(at).map(([name, value]) => `at.${name}=${value}`).join("&");
  const other = (minus ? `&minus=${minus}` : "") + (state.mode ? `&mode=${state.mode}` : "");
  const response = await ask(`api/jobs/${job}/view?show=${encodeURIComponent(show)}&axes=${axes}&counts=${counts}&${place}${other}`);
  const buffer = await response.arrayBuffer(), length = new DataView(buffer).getUint32(0, true);
  const heading = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { ...heading, values: new Float32Array(buffer, 4 + length) };
}

// One request at a time of a kind; the newest wish replaces those that wait.
export function latest(work) {
  let running = false, waiting = null;
  return async function run(...wish) {
    if (running) { waiting = wish; return; }
    running = true;
    try { await work(...wish); } catch (error) { notice(error.message); } finally {
      running = false;
      if (waiting) { const next = waiting; waiting = null; run(...next); }
    }
  };
}

// What went wrong beside a solution, which stays what it is.
export function notice(text) { $("notice").textContent = text; $("notice").hidden = !text; }

export function say(text, wrong = false) {
  const verdict = $("verdict");
  verdict.className = ""; verdict.textContent = "";
  const words = document.createElement("span");
  words.className = wrong ? "bad" : ""; words.textContent = text;
  verdict.append(words);
}
