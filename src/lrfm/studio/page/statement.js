// SPDX-License-Identifier: MIT
// The statement: fields that are checked while one types, sliders for its parameters, a link that holds all of it.
import { short } from "./draw.js";
import { $, ask, latest, state } from "./talk.js";

export const FIELDS = ["equation", "domain", "time", "initial", "boundary", "parameters", "unknowns", "final", "reference"];

export const fields = () => Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));

export function fill(given) {
  for (const name of FIELDS) { $(name).value = given[name] ?? ""; grow($(name)); }
  $("more").open = ["unknowns", "final", "reference"].some((name) => $(name).value);
  state.sliders = {};
  $("sliders").replaceChildren();
}

export function grow(area) {
  const rows = area.value.split("\n");
  area.rows = Math.max(area.id === "equation" ? 2 : 1, rows.length);
  if (area.id === "domain") area.closest(".pair").classList.toggle("wide", Math.max(...rows.map((row) => row.length)) > 22);
}

export function mark(error) {
  for (const name of FIELDS) {
    const block = $(name).closest(".field"), here = error && error.field === name;
    if (here && $("more").contains(block)) $("more").open = true;
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

export const check = latest(async () => {
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

let moved = () => {};
export function onMove(work) { moved = work; }

// A slider writes its value into the field of parameters, and the statement is solved again.
function move(slider, value) {
  const rows = $("parameters").value.split("\n");
  $("parameters").value = rows.map((row) => row.split("=")[0].trim() === slider.name ? row.replace(/=\s*.*?\s+in\b/, `= ${value} in`) : row).join("\n");
  state.edition++;
  moved();
}

export function link() {
  const packed = JSON.stringify(Object.fromEntries(Object.entries(fields()).filter(([, text]) => text)));
  const bytes = String.fromCharCode(...new TextEncoder().encode(packed));
  return `${location.origin}/#${btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

export function fromLink() {
  const word = location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/");
  if (!word) return null;
  try { return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(word), (c) => c.charCodeAt(0)))); } catch { return null; }
}
