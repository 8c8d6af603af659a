// SPDX-License-Identifier: MIT
// Pictures of the solution: which field, which plane, which time; a probe under the pointer.
import { heatmap, lines, short } from "./draw.js";
import { $, ask, getView, latest, state } from "./talk.js";

export function listShows(solution) {
  const axes = Object.keys(solution.spans), found = [];
  for (const u of solution.unknowns) {
    found.push(...(solution.complex.includes(u) ? [`abs ${u}`, `re ${u}`, `im ${u}`] : [u]), ...axes.map((a) => `${u}_${a}`), `${u}_${axes[0]}${axes[0]}`);
  }
  $("shows").replaceChildren(...[...found, "residual", ...(solution.exact ? ["error"] : [])].map((value) => Object.assign(document.createElement("option"), { value })));
}

// Eigenvalues in the place of times.
export function listModes({ modes }) {
  $("modes-label").hidden = !modes;
  state.mode = 0;
  $("modes").replaceChildren(...(modes ?? []).map(([re, im], k) => Object.assign(document.createElement("option"), { value: k, textContent: short(re, 1, 6) + (im ? ` ${im < 0 ? "−" : "+"} ${short(Math.abs(im), 1, 6)}i` : "") })));
}

export function listPlanes(names) {
  const pairs = [];
  for (let i = 0; i < names.length; i++) for (let j = i + 1; j < names.length; j++) pairs.push([names[i], names[j]]);
  $("planes").replaceChildren(...pairs.map((pair) => Object.assign(document.createElement("option"), { value: pair.join(), textContent: pair.join(", ") })));
  $("planes").value = state.plane.join();
  $("planes-label").hidden = pairs.length < 2;
}

export function makeClock() {
  const wanted = Object.keys(state.solution.spans).filter((name) => (name === "t" ? !state.solution.steady : !state.plane.includes(name)));
  $("coordinates").replaceChildren(...wanted.map((name) => {
    const [a, b] = state.solution.spans[name], label = document.createElement("label"), input = document.createElement("input"), out = document.createElement("output");
    Object.assign(input, { type: "range", min: 0, max: 1, step: "any", value: (state.at[name] - a) / (b - a || 1), id: `at-${name}` });
    out.textContent = short(state.at[name], b - a);
    input.addEventListener("input", () => { state.at[name] = a + (b - a) * input.value; out.textContent = short(state.at[name], b - a); redraw(name); });
    label.append(name, input, out);
    return label;
  }));
}

const shown = () => ($("overlay").checked ? "residual" : $("show").value.trim() || state.solution.unknowns[0]);
const minus = () => (state.pinned && $("compare").checked ? state.pinned : null);
const COUNTS = { field: 180, profile: 401 };

const getField = () => getView(state.solution.id, shown(), state.plane, [COUNTS.field, COUNTS.field], state.at, minus());

async function getCurves() {
  const axis = [state.plane[0]], show = shown(), before = state.pinned && !minus();
  const [now, old] = await Promise.all([
    getView(state.solution.id, show, axis, [COUNTS.profile], state.at, minus()),
    before && getView(state.pinned, show, axis, [COUNTS.profile], state.at),
  ]);
  const curve = { view: now, color: "#0072B2", label: old ? "now" : "" };
  return old ? [{ view: old, color: "#8a8f98", dashed: true, label: "before" }, curve] : [curve];
}

// One color scale for all times: what a few moments show, or the field itself where time is one of its axes.
async function getMoments() {
  if (state.plane.includes("t")) return [];
  const [a, b] = state.solution.spans.t;
  return Promise.all([0, 0.25, 0.5, 0.75, 1].map((s) => getView(state.solution.id, shown(), state.plane, [48, 48], { ...state.at, t: a + s * (b - a) }, minus())));
}

async function rescale(seen) {
  const found = [Math.min(...seen.map((view) => view.range[0])), Math.max(...seen.map((view) => view.range[1]))];
  const size = Math.max(Math.abs(found[0]), Math.abs(found[1])) || 1;
  const both = found[0] < -0.05 * size && found[1] > 0.05 * size;
  state.map = $("colors").value === "auto" ? (both ? "RdBu_r" : "viridis") : $("colors").value;
  if (both && state.map === "RdBu_r") found.splice(0, 2, -size, size);
  if (found[1] - found[0] < 1e-9 * size) { found[0] -= size / 2; found[1] += size / 2; }
  state.range = found;
  state.colors[state.map] ??= new Uint8Array(await (await ask(`api/colors/${state.map}`)).arrayBuffer());
}

// Both pictures, with colors for what they show; whatever is needed is asked for at once.
export async function showAll() {
  const [view, curves, moments] = await Promise.all([getField(), getCurves(), getMoments()]);
  await rescale([view, ...moments]);
  Object.assign(state, { view, curves });
  paintField(); paintProfile();
}

async function draw() {
  const [view, curves] = await Promise.all([getField(), getCurves()]);
  Object.assign(state, { view, curves });
  paintField(); paintProfile();
}

export function paintField() {
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

async function drawProfile() { state.curves = await getCurves(); paintProfile(); }

export function paintProfile() {
  if (!state.curves) return;
  const others = Object.keys(state.at).filter((name) => name !== state.plane[0] && !(name === "t" && state.solution.steady)).map((name) => `${name} = ${short(state.at[name], 1)}`).join(", ");
  const range = state.curves.reduce(([a, b], { view }) => [Math.min(a, view.range[0]), Math.max(b, view.range[1])], state.range);
  state.lineInner = lines($("profile"), state.curves, range, [`${state.plane[0]}   (${others})`, shown()]);
}

const refresh = latest(draw);
export const profileOnly = latest(drawProfile);

function redraw(name) {
  if (!state.solution) return;
  if (state.plane.includes(name)) { paintField(); profileOnly(); } else refresh();
}

export const again = latest(async () => { if (state.solution) await showAll(); });

export const look = latest(async (at) => {
  const query = Object.entries(at).map(([name, value]) => `at.${name}=${value}`).join("&");
  const told = await (await ask(`api/jobs/${state.solution.id}/probe?show=${encodeURIComponent(shown())}&mode=${state.mode}&${query}`)).json();
  const place = Object.entries(told.at).map(([name, value]) => `${name} = ${short(value, 1)}`).join(", ");
  const slopes = Object.entries(told.derivatives).map(([name, value]) => `${name} = ${short(value)}`).join(", ");
  const value = document.createElement("b");
  value.textContent = `${shown()} = ${short(told.value, 1, 8)}${told.bar === null ? "" : ` ± ${short(told.bar)}`}`;
  $("probe").replaceChildren(`${place}: `, value, `   ${slopes}   residual ${short(told.residual)}`);
});

export function pointed(event, inner, view) {
  if (!inner || !view) return null;
  const box = event.target.getBoundingClientRect();
  const at = { ...state.at };
  const part = [(event.clientX - box.left - inner.x) / inner.w, 1 - (event.clientY - box.top - inner.y) / inner.h];
  if (part[0] < 0 || part[0] > 1 || part[1] < 0 || part[1] > 1) return null;
  view.axes.forEach((name, k) => { at[name] = view.ends[k][0] + part[k] * (view.ends[k][1] - view.ends[k][0]); });
  return at;
}

export function play() {
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

export function compareBox() { $("compare-label").hidden = !state.pinned; if (!state.pinned) $("compare").checked = false; }
