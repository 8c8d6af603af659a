// SPDX-License-Identifier: MIT
// The page: solves in the background, what is said of them, what is saved, and what happens when something is clicked.
import { short } from "./draw.js";
import { canPaint, paint, painting } from "./paint.js";
import { again, compareBox, listModes, listPlanes, listShows, look, makeClock, paintField, paintProfile, play, pointed, profileOnly, showAll } from "./pictures.js";
import { check, FIELDS, fields, fill, fromLink, grow, link, mark, onMove } from "./statement.js";
import { $, ask, latest, notice, say, state } from "./talk.js";

const FIRST = { equation: "u_t + u*u_x = nu*u_xx", domain: "x in [-1, 1]", time: "0, 1", initial: "-sin(pi*x)", boundary: "u = 0", parameters: "nu = 0.02 in [0.005, 0.2]" };

// Solving -----------------------------------------------------------------------------------------------------

const solveAgain = latest(() => solve(true));

async function solve(quietly = false) {
  notice("");
  const wish = { fields: fields(), tol: +$("tol").value, seconds: +$("seconds").value || 60 };
  busy(true, quietly);
  if (!quietly) fade();
  const stated = statement();
  try {
    const edition = state.edition;
    let told = await (await ask("api/solve", wish)).json(), drawn = null;
    state.job = told.job;
    while (told.state === "waiting" || told.state === "running") {
      $("progress").hidden = quietly && told.seconds < 1; $("progress").value = told.part;
      $("stage").textContent = `${told.stage || told.state}, ${told.seconds.toFixed(0)} s`;
      if (told.solution && told.drawn !== drawn) { drawn = told.drawn; state.stated = stated; await open(told); }
      if (quietly && edition !== state.edition) { ask(`api/jobs/${told.job}/cancel`, {}); return; } // the slider is elsewhere by now
      told = await (await ask(`api/jobs/${told.job}`)).json();
    }
    if (told.state !== "done") say(told.message || "No solution was found.", true);
    else if (told.drawn === drawn) { state.solution = told.solution; judge(told); } else { state.stated = stated; await open(told); }
    document.body.dataset.judged = told.job;
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

// The estimate in large letters; of a first draw, that it is still under way.
function judge({ solution, seconds, message, state: done }) {
  const verdict = $("verdict"), number = document.createElement("b"), words = document.createElement("span"), small = document.createElement("small");
  verdict.className = ""; verdict.textContent = "";
  const waiting = done !== "done";
  number.textContent = waiting ? "estimate follows" : solution.estimate === null ? "no estimate" : `estimated error ${short(solution.estimate)}`;
  words.className = waiting ? "" : solution.solved ? "good" : "bad"; words.textContent = waiting ? "" : ` ${solution.status}`;
  small.textContent = [`relative L${solution.norm === 1 ? "¹" : "²"}, ${seconds.toFixed(2)} s`, message || "", ...solution.warnings.filter((text) => !$("understood").textContent.includes(text))].filter(Boolean).join(" · ");
  if (solution.modes) {
    const [re, im, error] = solution.modes[state.mode];
    number.textContent = `λ = ${short(re, 1, 10)}${im ? ` ${im < 0 ? "−" : "+"} ${short(Math.abs(im), 1, 10)}i` : ""}${error === null ? "" : ` ± ${short(error)}`}`;
    small.textContent = `${seconds.toFixed(2)} s`;
  }
  verdict.append(number, words, small);
  $("report").textContent = solution.report;
}

// The picture of another statement than the one that is written fades, until it is solved again.
function fade() { document.body.classList.toggle("stale", state.solution !== null && state.stated !== statement()); }
const statement = () => JSON.stringify(fields());

async function open(told) {
  const { solution } = told;
  const before = state.solution;
  state.solution = solution;
  listModes(solution);
  judge(told);
  state.told = told;
  $("probe").textContent = "Move the pointer over a picture.";
  const names = Object.keys(solution.spans);
  const same = before && names.join() === Object.keys(before.spans).join() && before.unknowns.join() === solution.unknowns.join();
  document.body.classList.toggle("still", solution.steady); document.body.classList.toggle("flat", names.length === 2);
  $("paint").disabled = !canPaint();
  if (!canPaint()) press(false);
  if (!same) {
    state.plane = names.length === 2 ? ["x" in solution.spans ? "x" : names[0], "t"] : names.slice(0, 2);
    state.at = {};
    state.pinned = null;
    $("show").value = (solution.complex.includes(solution.unknowns[0]) ? "abs " : "") + solution.unknowns[0];
    listShows(solution); listPlanes(solution.steady && names.length > 2 ? names.filter((name) => name !== "t") : names);
  }
  for (const [name, [a, b]] of Object.entries(solution.spans)) state.at[name] = Math.min(b, Math.max(a, state.at[name] ?? (name === "t" ? b : (a + b) / 2)));
  makeClock(); compareBox();
  await showAll();
  if (state.stated === statement()) fade(); // a slider that has moved on is followed, not faded
  document.body.dataset.drawn = solution.id;
}

// Painting ----------------------------------------------------------------------------------------------------

function press(down) {
  $("paint").setAttribute("aria-pressed", down);
  document.body.classList.toggle("painting", down);
  if (!down || !state.solution) return;
  const names = Object.keys(state.solution.spans).filter((name) => name !== "t");
  state.at.t = state.solution.spans.t[0];
  if (names.length === 2) state.plane = names;
  $("planes").value = state.plane.join();
  const unknown = state.solution.unknowns[0];
  $("show").value = (state.solution.complex.includes(unknown) ? "re " : "") + unknown;
  makeClock(); again();
}

// The pointer over the picture that can be painted: the profile of a line, the field of a plane.
function brush(id, event, kind) {
  const flat = state.plane.includes("t"), mine = flat ? "profile" : "field";
  if (!painting() || !canPaint() || id !== mine) return false;
  const inner = flat ? state.lineInner : state.inner, view = flat ? { ...state.curves[0].view, axes: [state.plane[0]] } : state.view;
  const at = pointed(event, inner, view), box = event.target.getBoundingClientRect();
  const up = flat ? inner.up : [0, 1], height = up[0] + (up[1] - up[0]) * (1 - (event.clientY - box.top - inner.y) / inner.h);
  paint(kind, at, height, (text, curve) => {
    $("initial").value = text; grow($("initial")); state.edition++; fade(); check();
    if (curve) { state.curves = [{ view: { ...state.curves[0].view, values: curve, shape: [curve.length] }, color: "#D55E00", label: "drawn" }]; paintProfile(); }
    else dot($("field"), event.clientX - box.left, event.clientY - box.top);
  }, () => solve(true));
  return true;
}

function dot(canvas, x, y) {
  const pen = canvas.getContext("2d");
  pen.beginPath(); pen.arc(x, y, 7, 0, 2 * Math.PI); pen.strokeStyle = "#D55E00"; pen.lineWidth = 2; pen.stroke();
}

// Saving ------------------------------------------------------------------------------------------------------

// How much of a file is written, for as long as it takes; a bar without a number where only movies could say.
function watchWriting(job, name) {
  const bar = $("progress");
  bar.hidden = false; bar.removeAttribute("value");
  const timer = setInterval(async () => {
    try {
      const { written } = await (await ask(`api/jobs/${job}`)).json();
      if (!written || !$("stage").textContent.startsWith("writing")) return;
      bar.value = written; $("stage").textContent = `writing ${name}: ${Math.round(100 * written)} %`;
    } catch { clearInterval(timer); }
  }, 500);
  return () => { clearInterval(timer); bar.hidden = true; };
}

async function save(kind) {
  const texts = { toml: "statement.toml", python: "solve.py" };
  const names = { lrfm: "run.lrfm", png: "field.png", gif: "field.gif", mp4: "field.mp4", nc: "field.nc", csv: "field.csv" };
  let done = () => {};
  try {
    if (!(kind in texts) && !state.solution) throw new Error("Solve first: there is nothing to save yet.");
    $("stage").textContent = `writing ${texts[kind] ?? names[kind]}`;
    if (kind in names) done = watchWriting(state.solution.id, names[kind]);
    const response = kind in texts ? await ask(`api/text/${kind}`, { fields: fields(), tol: +$("tol").value }) : await ask(`api/jobs/${state.solution.id}/file/${kind}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob()); link.download = texts[kind] ?? names[kind];
    link.click(); URL.revokeObjectURL(link.href);
    notice("");
  } catch (error) { notice(error.message); } finally { done(); $("stage").textContent = ""; }
}

// Beginning ---------------------------------------------------------------------------------------------------

function listen() {
  let pause;
  for (const name of FIELDS) $(name).addEventListener("input", () => {
    state.edition++; grow($(name)); fade(); clearTimeout(pause); pause = setTimeout(check, 150);
  });
  for (const name of FIELDS) $(name).addEventListener("scroll", (event) => { event.target.previousElementSibling.scrollLeft = event.target.scrollLeft; });
  $("statement").addEventListener("submit", (event) => { event.preventDefault(); solve(); });
  $("statement").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !$("solve").disabled) solve(); });
  $("cancel").addEventListener("click", () => { if (state.job) ask(`api/jobs/${state.job}/cancel`, {}).catch((error) => say(error.message, true)); });
  $("examples").addEventListener("change", () => {
    const found = state.examples.find((e) => e.name === $("examples").value);
    if (found) { fill(found.fields); state.edition++; check(); solve(); }
  });
  $("browse").addEventListener("click", () => $("cards").showModal());
  $("cards").addEventListener("click", (event) => { if (event.target === $("cards")) $("cards").close(); }); // beside it
  for (const name of ["show", "colors", "overlay", "compare"]) $(name).addEventListener("change", again);
  $("planes").addEventListener("change", () => { state.plane = $("planes").value.split(","); makeClock(); again(); });
  $("pin").addEventListener("click", () => { state.pinned = state.solution?.id ?? null; compareBox(); if (state.solution) profileOnly(); });
  $("paint").addEventListener("click", () => press(!painting()));
  $("modes").addEventListener("change", () => { state.mode = +$("modes").value; judge(state.told); again(); });
  $("play").addEventListener("click", play);
  $("save").addEventListener("change", () => { if ($("save").value) save($("save").value); $("save").value = ""; });
  $("copy-link").addEventListener("click", async () => {
    history.replaceState(null, "", link());
    try { await navigator.clipboard.writeText(link()); $("copy-link").textContent = "Copied"; } catch { $("copy-link").textContent = "In the address bar"; }
    setTimeout(() => { $("copy-link").textContent = "Copy link"; }, 1500);
  });
  for (const [id, inner, view] of [["field", () => state.inner, () => state.view], ["profile", () => state.lineInner, () => state.curves && { ...state.curves[0].view, axes: [state.plane[0]] }]]) {
    $(id).addEventListener("pointerdown", (event) => { if (brush(id, event, "begin")) event.target.setPointerCapture(event.pointerId); });
    for (const kind of ["pointerup", "pointercancel"]) $(id).addEventListener(kind, (event) => brush(id, event, "end"));
    $(id).addEventListener("pointermove", (event) => { if (brush(id, event, "on")) return; const at = state.solution && pointed(event, inner(), view()); if (at) look(at); });
  }
  $("field").addEventListener("click", (event) => {
    const at = state.solution && !painting() && pointed(event, state.inner, state.view);
    if (at) { state.at = at; makeClock(); paintField(); profileOnly(); }
  });
  window.addEventListener("resize", () => { paintField(); paintProfile(); });
  window.addEventListener("hashchange", () => { const given = fromLink(); if (given) { fill(given); state.edition++; check(); solve(); } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { paintField(); paintProfile(); });
}

function listExamples() {
  for (const label of new Set(state.examples.map((example) => example.group))) {
    const group = Object.assign(document.createElement("optgroup"), { label }), mine = state.examples.filter((example) => example.group === label);
    group.append(...mine.map(({ name, title }) => Object.assign(document.createElement("option"), { value: name, textContent: title })));
    $("examples").append(group);
    const row = Object.assign(document.createElement("div"), { className: "row" });
    row.append(...mine.map(card));
    $("cards").append(Object.assign(document.createElement("h2"), { textContent: label }), row);
  }
  $("browse").disabled = false;
}

// An example as its small picture and its title.
function card({ name, title }) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "card" });
  button.append(Object.assign(document.createElement("img"), { src: `examples/${name}.png`, alt: "", loading: "lazy", width: 96, height: 60 }), title);
  button.addEventListener("click", () => { $("cards").close(); $("examples").value = name; $("examples").dispatchEvent(new Event("change")); });
  return button;
}

async function begin() {
  listen();
  onMove(solveAgain);
  const linked = fromLink();
  fill(linked ?? FIRST);
  check();
  const first = linked ? solve() : null;
  const started = await (await ask("api/start")).json();
  $("colors").replaceChildren(...["auto", ...started.colors].map((value) => Object.assign(document.createElement("option"), { value, textContent: value === "RdBu_r" ? "red and blue" : value })));
  for (const kind of started.missing) $("save").querySelector(`[value=${kind}]`).remove();
  if (started.first && !linked) { fill(started.first); state.edition++; check(); }
  await (first ?? solve());
  state.examples = (await (await ask("api/examples")).json()).examples;
  listExamples();
}

begin().catch((error) => say(error.message, true));
