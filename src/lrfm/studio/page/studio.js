// SPDX-License-Identifier: MIT
// The page: fields that are checked while one types, solves in the background, views of the solution at any time.
import { heatmap, lines, short } from "./draw.js";

const $ = (id) => document.getElementById(id);
const FIELDS = ["equation", "domain", "time", "initial", "boundary", "parameters", "complex"];
const FIRST = { equation: "u_t + u*u_x = nu*u_xx", domain: "x in [-1, 1]", time: "0, 1", initial: "-sin(pi*x)", boundary: "u = 0", parameters: "nu = 0.02 in [0.005, 0.2]", complex: "" };
const state = { solution: null, pinned: null, job: null, plane: [], at: {}, range: null, colors: {}, inner: null, lineInner: null, sliders: {}, playing: false, edition: 0 };

// Talking to the server ---------------------------------------------------------------------------------------

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, options);
  if (response.ok) return response;
  const kind = response.headers.get("content-type") || "";
  const told = kind.includes("json") ? await response.json() : { message: await response.text() };
  throw Object.assign(new Error(told.message), told);
}

async function getView(job, show, axes, counts, minus) {
  const at = Object.entries(state.at).map(([name, value]) => `at.${name}=${value}`).join("&");
  const other = minus ? `&minus=${minus}` : "";
  const response = await ask(`api/jobs/${job}/view?show=${encodeURIComponent(show)}&axes=${axes}&counts=${counts}&${at}${other}`);
  const buffer = await response.arrayBuffer(), length = new DataView(buffer).getUint32(0, true);
  const heading = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { ...heading, values: new Float32Array(buffer, 4 + length) };
}

// One request at a time of a kind; the newest wish replaces those that wait.
function latest(work) {
  let running = false, waiting = null;
  return async function run(...wish) {
    if (running) { waiting = wish; return; }
    running = true;
    try { await work(...wish); } catch (error) { say(error.message, true); } finally {
      running = false;
      if (waiting) { const next = waiting; waiting = null; run(...next); }
    }
  };
}

// The statement -----------------------------------------------------------------------------------------------

const fields = () => Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));

function fill(given) {
  for (const name of FIELDS) { $(name).value = given[name] ?? ""; grow($(name)); }
  state.sliders = {};
  $("sliders").replaceChildren();
}

function grow(area) { area.rows = Math.max(area.id === "equation" ? 2 : 1, area.value.split("\n").length); }

function mark(error) {
  for (const name of FIELDS) {
    const block = $(name).closest(".field"), here = error && error.field === name;
    block.querySelector(".wrong").textContent = here ? error.message : "";
    $(name).setAttribute("aria-invalid", here ? "true" : "false");
    const marks = block.querySelector(".marks");
    marks.textContent = "";
    if (!here || !error.length) continue;
    $(name).value.split("\n").forEach((row, number) => {
      if (number === error.line) {
        const wrong = document.createElement("mark");
        wrong.textContent = row.slice(error.column, error.column + error.length);
        marks.append(row.slice(0, error.column), wrong, row.slice(error.column + error.length));
      } else marks.append(row);
      marks.append("\n");
    });
  }
}

const check = latest(async () => {
  const edition = state.edition, told = await (await ask("api/check", { fields: fields() })).json();
  if (edition !== state.edition) return check();
  mark(told.error);
  $("math").innerHTML = told.math.filter(Boolean).join("");
  $("solve").disabled = !told.ok;
  $("understood").textContent = told.ok ? [told.summary.join(" "), ...told.warnings].join("\n") : "";
  if (told.ok) makeSliders(told.sliders);
});

function makeSliders(found) {
  const names = found.map((s) => `${s.name} ${s.lower} ${s.upper}`).join();
  if (names !== $("sliders").dataset.names) {
    $("sliders").dataset.names = names;
    $("sliders").replaceChildren(...found.map((slider) => {
      const label = document.createElement("label"), input = document.createElement("input"), out = document.createElement("output");
      Object.assign(input, { type: "range", min: 0, max: 1, step: 0.002, id: `slider-${slider.name}` });
      input.addEventListener("input", () => { out.textContent = short(valueOf(slider, +input.value)); move(slider, valueOf(slider, +input.value)); });
      label.append(slider.name, input, out);
      return label;
    }));
  }
  for (const slider of found) {
    const input = $(`slider-${slider.name}`);
    if (document.activeElement !== input) input.value = placeOf(slider, slider.value);
    input.nextSibling.textContent = short(slider.value);
  }
}

const scale = (s) => (s.logarithmic ? Math.log : (v) => v);
const placeOf = (s, value) => (scale(s)(value) - scale(s)(s.lower)) / (scale(s)(s.upper) - scale(s)(s.lower));
function valueOf(s, place) {
  const value = s.logarithmic ? s.lower * (s.upper / s.lower) ** place : s.lower + place * (s.upper - s.lower);
  return Math.min(s.upper, Math.max(s.lower, +value.toPrecision(4)));
}

// A slider writes its value into the field of parameters, and the statement is solved again.
function move(slider, value) {
  const rows = $("parameters").value.split("\n");
  $("parameters").value = rows.map((row) => row.split("=")[0].trim() === slider.name ? row.replace(/=\s*.*?\s+in\b/, `= ${value} in`) : row).join("\n");
  state.edition++;
  solveAgain();
}

// Solving -----------------------------------------------------------------------------------------------------

const solveAgain = latest(() => solve(true));

async function solve(quietly = false) {
  const wish = { fields: fields(), tol: +$("tol").value, seconds: +$("seconds").value || 60 };
  busy(true, quietly);
  try {
    let told = await (await ask("api/solve", wish)).json();
    state.job = told.job;
    while (told.state === "waiting" || told.state === "running") {
      $("progress").hidden = false; $("progress").value = told.part;
      $("stage").textContent = `${told.stage || told.state}, ${told.seconds.toFixed(0)} s`;
      told = await (await ask(`api/jobs/${told.job}`)).json();
    }
    if (told.state === "done") await open(told.solution, told.seconds, told.message); else say(told.message || "No solution was found.", true);
  } catch (error) {
    if (FIELDS.includes(error.field)) mark({ ...error, message: error.message, column: 0, length: 0 });
    say(error.message, true);
  } finally { busy(false); state.job = null; }
}

function busy(working, quietly = false) {
  $("cancel").disabled = !working;
  $("solve").disabled = working && !quietly;
  if (!working) { $("progress").hidden = true; $("stage").textContent = ""; }
}

function say(text, wrong = false) {
  const verdict = $("verdict");
  verdict.className = ""; verdict.textContent = "";
  const words = document.createElement("span");
  words.className = wrong ? "bad" : ""; words.textContent = text;
  verdict.append(words);
}

function judge(solution, seconds, message) {
  const verdict = $("verdict"), number = document.createElement("b"), words = document.createElement("span"), small = document.createElement("small");
  verdict.className = ""; verdict.textContent = "";
  number.textContent = solution.estimate === null ? "no estimate" : `error ≤ ${short(solution.estimate)}`;
  if (solution.estimate !== null && !solution.solved) number.textContent = `estimate ${short(solution.estimate)}`;
  words.className = solution.solved ? "good" : "bad"; words.textContent = ` ${solution.status}`;
  small.textContent = [`relative L², ${seconds.toFixed(2)} s`, message || "", ...solution.warnings].filter(Boolean).join(" · ");
  verdict.append(number, words, small);
  $("report").textContent = solution.report;
}

async function open(solution, seconds, message) {
  const before = state.solution;
  state.solution = solution;
  judge(solution, seconds, message);
  $("probe").textContent = "Move the pointer over a picture.";
  const names = Object.keys(solution.spans);
  const same = before && names.join() === Object.keys(before.spans).join() && before.unknowns.join() === solution.unknowns.join();
  if (!same) {
    state.plane = names.length === 2 ? ["x" in solution.spans ? "x" : names[0], "t"] : names.slice(0, 2);
    state.at = {};
    state.pinned = null;
    $("show").value = (solution.complex.includes(solution.unknowns[0]) ? "abs " : "") + solution.unknowns[0];
    listShows(solution); listPlanes(names);
  }
  for (const [name, [a, b]] of Object.entries(solution.spans)) state.at[name] = Math.min(b, Math.max(a, state.at[name] ?? (name === "t" ? b : (a + b) / 2)));
  makeClock(); compareBox();
  await rescale();
  await draw();
  document.body.dataset.drawn = solution.id;
}

function listShows(solution) {
  const axes = Object.keys(solution.spans), found = [];
  for (const u of solution.unknowns) {
    found.push(...(solution.complex.includes(u) ? [`abs ${u}`, `re ${u}`, `im ${u}`] : [u]), ...axes.map((a) => `${u}_${a}`), `${u}_${axes[0]}${axes[0]}`);
  }
  $("shows").replaceChildren(...[...found, "residual"].map((value) => Object.assign(document.createElement("option"), { value })));
}

function listPlanes(names) {
  const pairs = [];
  for (let i = 0; i < names.length; i++) for (let j = i + 1; j < names.length; j++) pairs.push([names[i], names[j]]);
  $("planes").replaceChildren(...pairs.map((pair) => Object.assign(document.createElement("option"), { value: pair.join(), textContent: pair.join(", ") })));
  $("planes").value = state.plane.join();
  $("planes-label").hidden = pairs.length < 2;
}

function makeClock() {
  const wanted = Object.keys(state.solution.spans).filter((name) => name === "t" || !state.plane.includes(name));
  $("coordinates").replaceChildren(...wanted.map((name) => {
    const [a, b] = state.solution.spans[name], label = document.createElement("label"), input = document.createElement("input"), out = document.createElement("output");
    Object.assign(input, { type: "range", min: 0, max: 1, step: "any", value: (state.at[name] - a) / (b - a || 1), id: `at-${name}` });
    out.textContent = short(state.at[name], b - a);
    input.addEventListener("input", () => { state.at[name] = a + (b - a) * input.value; out.textContent = short(state.at[name], b - a); redraw(name); });
    label.append(name, input, out);
    return label;
  }));
}

// Pictures ----------------------------------------------------------------------------------------------------

const shown = () => ($("overlay").checked ? "residual" : $("show").value.trim() || state.solution.unknowns[0]);
const minus = () => (state.pinned && $("compare").checked ? state.pinned : null);
const COUNTS = { field: 180, profile: 401 };

// One color scale for all times: what a few moments show.
async function rescale() {
  const [a, b] = state.solution.spans.t, keep = state.at.t, found = [Infinity, -Infinity];
  const moments = state.plane.includes("t") ? [keep] : [0, 0.25, 0.5, 0.75, 1].map((s) => a + s * (b - a));
  for (const t of moments) {
    state.at.t = t;
    const view = await getView(state.solution.id, shown(), state.plane, [48, 48], minus());
    found[0] = Math.min(found[0], view.range[0]); found[1] = Math.max(found[1], view.range[1]);
  }
  state.at.t = keep;
  const size = Math.max(Math.abs(found[0]), Math.abs(found[1])) || 1;
  const both = found[0] < -0.05 * size && found[1] > 0.05 * size;
  state.map = $("colors").value === "auto" ? (both ? "RdBu_r" : "viridis") : $("colors").value;
  if (both && state.map === "RdBu_r") found.splice(0, 2, -size, size);
  if (found[1] - found[0] < 1e-9 * size) { found[0] -= size / 2; found[1] += size / 2; }
  state.range = found;
  state.colors[state.map] ??= new Uint8Array(await (await ask(`api/colors/${state.map}`)).arrayBuffer());
}

async function draw() { await drawField(); await drawProfile(); }

async function drawField() {
  const view = await getView(state.solution.id, shown(), state.plane, [COUNTS.field, COUNTS.field], minus());
  state.view = view; paintField();
}

function paintField() {
  if (!state.view) return;
  const label = minus() ? `Δ ${shown()}` : shown();
  state.inner = heatmap($("field"), state.view, state.range, state.colors[state.map], [state.plane[0], state.plane[1], label], state.at[state.plane[1]], aspect());
}

// Lengths are drawn to scale unless one is far longer than the other.
function aspect() {
  if (state.plane.includes("t")) return 0;
  const [across, up] = state.view.ends.map(([a, b]) => b - a), ratio = up / across;
  return ratio > 0.2 && ratio < 5 ? ratio : 0;
}

async function drawProfile() {
  const axis = [state.plane[0]], show = shown(), curves = [];
  if (state.pinned && !minus()) curves.push({ view: await getView(state.pinned, show, axis, [COUNTS.profile]), color: "#8a8f98", dashed: true, label: "before" });
  const view = await getView(state.solution.id, show, axis, [COUNTS.profile], minus());
  curves.push({ view, color: "#0072B2", label: curves.length ? "now" : "" });
  state.curves = curves; paintProfile();
}

function paintProfile() {
  if (!state.curves) return;
  const others = Object.keys(state.at).filter((name) => name !== state.plane[0]).map((name) => `${name} = ${short(state.at[name], 1)}`).join(", ");
  const range = state.curves.reduce(([a, b], { view }) => [Math.min(a, view.range[0]), Math.max(b, view.range[1])], state.range);
  state.lineInner = lines($("profile"), state.curves, range, [`${state.plane[0]}   (${others})`, shown()]);
}

const refresh = latest(draw), profileOnly = latest(drawProfile);

function redraw(name) {
  if (!state.solution) return;
  if (state.plane.includes(name)) { paintField(); profileOnly(); } else refresh();
}

const again = latest(async () => { if (state.solution) { await rescale(); await draw(); } });

const look = latest(async (at) => {
  const query = Object.entries(at).map(([name, value]) => `at.${name}=${value}`).join("&");
  const told = await (await ask(`api/jobs/${state.solution.id}/probe?show=${encodeURIComponent(shown())}&${query}`)).json();
  const place = Object.entries(told.at).map(([name, value]) => `${name} = ${short(value, 1)}`).join(", ");
  const slopes = Object.entries(told.derivatives).map(([name, value]) => `${name} = ${short(value)}`).join(", ");
  const value = document.createElement("b");
  value.textContent = `${shown()} = ${short(told.value, 1, 8)}${told.bar === null ? "" : ` ± ${short(told.bar)}`}`;
  $("probe").replaceChildren(`${place}: `, value, `   ${slopes}   residual ${short(told.residual)}`);
});

function pointed(event, inner, view) {
  if (!inner || !view) return null;
  const box = event.target.getBoundingClientRect();
  const at = { ...state.at };
  const part = [(event.clientX - box.left - inner.x) / inner.w, 1 - (event.clientY - box.top - inner.y) / inner.h];
  if (part[0] < 0 || part[0] > 1 || part[1] < 0 || part[1] > 1) return null;
  view.axes.forEach((name, k) => { at[name] = view.ends[k][0] + part[k] * (view.ends[k][1] - view.ends[k][0]); });
  return at;
}

function play() {
  state.playing = !state.playing;
  $("play").textContent = state.playing ? "❚❚" : "▶";
  const [a, b] = state.solution?.spans.t ?? [0, 1];
  if (state.playing && state.at.t >= b - 1e-9 * (b - a)) state.at.t = a;
  let last = performance.now();
  const tick = (now) => {
    if (!state.playing || !state.solution) return;
    const [a, b] = state.solution.spans.t;
    state.at.t = Math.min(b, state.at.t + ((b - a) * (now - last)) / 6000); last = now;
    const input = $("at-t");
    if (input) { input.value = (state.at.t - a) / (b - a); input.nextSibling.textContent = short(state.at.t, b - a); }
    redraw("t");
    if (state.at.t >= b) { state.playing = false; $("play").textContent = "▶"; return; }
    requestAnimationFrame(tick);
  };
  if (state.playing && state.solution) requestAnimationFrame(tick);
}

function compareBox() { $("compare-label").hidden = !state.pinned; if (!state.pinned) $("compare").checked = false; }

// Saving ------------------------------------------------------------------------------------------------------

async function save(kind) {
  const texts = { toml: "statement.toml", python: "solve.py" };
  const names = { lrfm: "run.lrfm", png: "field.png", gif: "field.gif", mp4: "field.mp4", nc: "field.nc", csv: "field.csv" };
  try {
    if (!(kind in texts) && !state.solution) throw new Error("Solve first: there is nothing to save yet.");
    $("stage").textContent = `writing ${texts[kind] ?? names[kind]}`;
    const response = kind in texts ? await ask(`api/text/${kind}`, { fields: fields(), tol: +$("tol").value }) : await ask(`api/jobs/${state.solution.id}/file/${kind}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob()); link.download = texts[kind] ?? names[kind];
    link.click(); URL.revokeObjectURL(link.href);
  } catch (error) { say(error.message, true); } finally { $("stage").textContent = ""; }
}

function link() {
  const packed = JSON.stringify(Object.fromEntries(Object.entries(fields()).filter(([, text]) => text)));
  const bytes = String.fromCharCode(...new TextEncoder().encode(packed));
  return `${location.origin}/#${btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

function fromLink() {
  const word = location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/");
  if (!word) return null;
  try { return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(word), (c) => c.charCodeAt(0)))); } catch { return null; }
}

// Beginning ---------------------------------------------------------------------------------------------------

function listen() {
  let pause;
  for (const name of FIELDS) $(name).addEventListener("input", () => {
    state.edition++; grow($(name)); clearTimeout(pause); pause = setTimeout(check, 150);
  });
  for (const name of FIELDS) $(name).addEventListener("scroll", (event) => { event.target.previousElementSibling.scrollLeft = event.target.scrollLeft; });
  $("statement").addEventListener("submit", (event) => { event.preventDefault(); solve(); });
  $("statement").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !$("solve").disabled) solve(); });
  $("cancel").addEventListener("click", () => { if (state.job) ask(`api/jobs/${state.job}/cancel`, {}).catch((error) => say(error.message, true)); });
  $("examples").addEventListener("change", () => {
    const found = state.examples.find((e) => e.name === $("examples").value);
    if (found) { fill(found.fields); state.edition++; check(); solve(); }
  });
  for (const name of ["show", "colors", "overlay", "compare"]) $(name).addEventListener("change", again);
  $("planes").addEventListener("change", () => { state.plane = $("planes").value.split(","); makeClock(); again(); });
  $("pin").addEventListener("click", () => { state.pinned = state.solution?.id ?? null; compareBox(); if (state.solution) profileOnly(); });
  $("play").addEventListener("click", play);
  $("save").addEventListener("change", () => { if ($("save").value) save($("save").value); $("save").value = ""; });
  $("copy-link").addEventListener("click", async () => {
    history.replaceState(null, "", link());
    try { await navigator.clipboard.writeText(link()); $("copy-link").textContent = "Copied"; } catch { $("copy-link").textContent = "In the address bar"; }
    setTimeout(() => { $("copy-link").textContent = "Copy link"; }, 1500);
  });
  for (const [id, inner, view] of [["field", () => state.inner, () => state.view], ["profile", () => state.lineInner, () => state.curves && { ...state.curves[0].view, axes: [state.plane[0]] }]]) {
    $(id).addEventListener("pointermove", (event) => { const at = state.solution && pointed(event, inner(), view()); if (at) look(at); });
  }
  $("field").addEventListener("click", (event) => {
    const at = state.solution && pointed(event, state.inner, state.view);
    if (at) { state.at = at; makeClock(); paintField(); profileOnly(); }
  });
  window.addEventListener("resize", () => { paintField(); paintProfile(); });
  window.addEventListener("hashchange", () => { const given = fromLink(); if (given) { fill(given); state.edition++; check(); solve(); } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { paintField(); paintProfile(); });
}

async function begin() {
  listen();
  const linked = fromLink();
  fill(linked ?? FIRST);
  check();
  const first = linked ? solve() : null;
  const started = await (await ask("api/start")).json();
  $("colors").replaceChildren(...["auto", ...started.colors].map((value) => Object.assign(document.createElement("option"), { value, textContent: value === "RdBu_r" ? "red and blue" : value })));
  if (started.first && !linked) { fill(started.first); state.edition++; check(); }
  await (first ?? solve());
  state.examples = (await (await ask("api/examples")).json()).examples;
  $("examples").append(...state.examples.map(({ name }) => Object.assign(document.createElement("option"), { value: name, textContent: name })));
  history.replaceState(null, "", location.pathname + location.hash);
}

begin().catch((error) => say(error.message, true));
