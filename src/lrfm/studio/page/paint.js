// SPDX-License-Identifier: MIT
// Initial data by the pointer: a curve drawn over the profile becomes a short series, strokes over the plane become bumps; both are texts in the field.
import { $, state } from "./talk.js";

const TERMS = 12; // of the series: what a hand draws has no more, and each is damped as the hand trembles
const WIDTH = 12; // a bump is so many times narrower than the domain
const FARTHEST = 0.6; // widths of a bump from one of a stroke to the next

const round = (value) => String(+value.toPrecision(3));
const signed = (value, text) => `${value < 0 ? " - " : " + "}${round(Math.abs(value))}${text}`;
const tidy = (text) => text.replace(/^ \+ /, "").replace(/^ - /, "-").trim() || "0";
const away = (name, place) => (+round(place) === 0 ? name : `(${name}${place < 0 ? " + " : " - "}${round(Math.abs(place))})`);

// Values at equal distances as text: Fourier's series on a circle, else the line through both ends and sines, which keep what an end is held at.
export function series(values, name, [a, b], periodic) {
  const n = values.length - 1, size = Math.max(...values.map(Math.abs)) || 1, length = b - a;
  const unit = `*pi*${away(name, a)}${Math.abs(length - 1) < 1e-12 ? "" : `/${round(length)}`}`;
  const mean = values.slice(1).reduce((sum, v) => sum + v, 0) / n;
  const slope = (values[n] - values[0]) / length, rest = values.map((v, i) => v - (periodic ? mean : values[0] + (slope * length * i) / n));
  const lead = periodic ? [[mean, ""]] : [[values[0], ""], [slope, `*${away(name, a)}`]];
  for (let k = 1; k <= (periodic ? TERMS / 2 : TERMS); k++) {
    const turns = periodic ? 2 * k : k, damped = (2 / n) * Math.exp(-((k / TERMS) ** 2));
    for (const wave of periodic ? ["cos", "sin"] : ["sin"]) {
      const part = rest.slice(1).reduce((sum, v, i) => sum + v * Math[wave]((turns * Math.PI * (i + 1)) / n), 0) * damped;
      lead.push([part, `*${wave}(${turns}${unit})`]);
    }
  }
  return tidy(lead.filter(([part]) => Math.abs(part) > 2e-3 * size).map(([part, text]) => signed(part, text)).join(""));
}

// One bump of a stroke.
export const bump = (names, at, widths, height) =>
  signed(height, `*exp(-(${names.map((name, k) => `(${away(name, at[k])}/${round(widths[k])})**2`).join(" + ")}))`);

// The entry of an unknown in the field of initial data.
export function written(field, unknown, text, only) {
  const rows = field.split("\n").filter((row) => row.trim()), place = rows.findIndex((row) => row.split("=")[0].trim() === unknown && row.includes("="));
  if (place < 0 && only && !rows.some((row) => row.includes("="))) return text;
  if (place < 0) rows.push(`${unknown} = ${text}`); else rows[place] = `${unknown} = ${text}`;
  return rows.join("\n");
}

const before = (field, unknown) => {
  const row = field.split("\n").find((line) => line.split("=")[0].trim() === unknown && line.includes("="));
  return row ? row.slice(row.indexOf("=") + 1).trim() : field.includes("=") ? "0" : field.trim() || "0";
};

const axes = () => Object.keys(state.solution.spans).filter((name) => name !== "t");
export const painting = () => $("paint").getAttribute("aria-pressed") === "true";
export const canPaint = () => Boolean(state.solution) && !state.solution.steady && !state.solution.modes && axes().length <= 2;

let stroke = null;

// A stroke begins, goes on and ends; `say` writes the field, `done` solves. `at` are coordinates under the pointer, `height` the value on a profile.
export function paint(kind, at, height, say, done) {
  const names = axes(), unknown = state.solution.unknowns[0], only = state.solution.unknowns.length === 1;
  if (kind === "end") {
    const drawn = stroke;
    stroke = null;
    if (drawn?.moved) done();
    return;
  }
  if (!at) return;
  const place = names.map((name) => at[name]), spans = names.map((name) => state.solution.spans[name]);
  if (kind === "begin") stroke = { moved: false, last: null, text: before($("initial").value, unknown), values: state.curves?.[0].view.values };
  if (!stroke) return;
  stroke.moved = true;
  if (names.length === 1) curve(place[0], height, names[0], spans[0], (text) => say(written($("initial").value, unknown, text, only), stroke.curve));
  else strokes(place, names, spans, (text) => say(written($("initial").value, unknown, text, only)));
}

function curve(x, height, name, [a, b], say) {
  const n = 200;
  stroke.curve ??= Array.from({ length: n + 1 }, (_, i) => stroke.values[Math.round((i * (stroke.values.length - 1)) / n)] || 0);
  const here = Math.round((n * (x - a)) / (b - a)), from = stroke.last ?? { i: here, height };
  for (let i = Math.min(here, from.i); i <= Math.max(here, from.i); i++) {
    const part = here === from.i ? 1 : (i - from.i) / (here - from.i);
    stroke.curve[i] = from.height + part * (height - from.height);
  }
  stroke.last = { i: here, height };
  say(series(stroke.curve, name, [a, b], state.solution.periodic.includes(name)));
}

function strokes(place, names, spans, say) {
  const widths = spans.map(([a, b]) => (b - a) / WIDTH);
  const far = stroke.last && Math.hypot(...place.map((x, k) => (x - stroke.last[k]) / widths[k]));
  if (far !== null && far < FARTHEST) return;
  stroke.last = place;
  const size = Math.max(Math.abs(state.range?.[0] ?? 0), Math.abs(state.range?.[1] ?? 0)) || 1;
  stroke.text = tidy(`${stroke.text === "0" ? "" : ` + ${stroke.text}`}${bump(names, place, widths, size)}`);
  say(stroke.text);
}
