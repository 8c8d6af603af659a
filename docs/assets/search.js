// SPDX-License-Identifier: MIT
// The search of the site. The index is a script, loaded when the box is first used: no server is needed, and no worker.
"use strict";

(() => {
  const root = new URL("../", document.currentScript.src), MOST = 12, AROUND = 70;
  let loading = null, chosen = -1;

  const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const words = (text) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];

  // Every section with its words, folded once.
  function load() {
    loading ??= new Promise((ready, failed) => {
      const script = document.createElement("script");
      script.src = new URL("search/index.js", root).href;
      script.onload = () => ready(window.lrfmSections.map((part) => ({ ...part, heads: words(part.title), pages: words(part.page), body: words(part.text) })));
      script.onerror = () => failed(new Error("The index of the search is missing."));
      document.head.append(script);
    });
    return loading;
  }

  // A word counts most in the title of a section, then in that of its page, then by how often the text has it; whole words before beginnings.
  function score(part, wanted) {
    let total = 0;
    for (const word of wanted) {
      const hit = (list) => (list.includes(word) ? 2 : list.some((w) => w.startsWith(word)) ? 1 : 0);
      const often = part.body.filter((w) => w.startsWith(word)).length;
      const found = 12 * hit(part.heads) + 3 * hit(part.pages) + Math.log2(1 + often) + (part.body.includes(word) ? 1 : 0);
      if (!found) return 0;
      total += found;
    }
    return total;
  }

  function excerpt(text, wanted) {
    const folded = fold(text), same = folded.length === text.length;
    const starts = same ? wanted.map((word) => folded.search(new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "u"))).filter((at) => at >= 0) : [];
    const at = starts.length ? Math.min(...starts) : 0, first = Math.max(0, at - AROUND);
    const piece = text.slice(first, at + 2 * AROUND), line = document.createElement("small");
    if (first) line.append("… ");
    const pattern = wanted.length && same ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${wanted.join("|")})`, "giu") : null;
    let last = 0;
    for (const hit of pattern ? piece.matchAll(pattern) : []) {
      const mark = document.createElement("mark");
      mark.textContent = hit[0];
      line.append(piece.slice(last, hit.index), mark);
      last = hit.index + hit[0].length;
    }
    line.append(piece.slice(last), " …");
    return line;
  }

  function entry({ part }, wanted, number) {
    const item = document.createElement("a"), head = document.createElement("b");
    Object.assign(item, { href: new URL(part.url, root).href, id: `lrfm-found-${number}`, role: "option" });
    head.textContent = part.title;
    item.append(head);
    if (part.title !== part.page) item.append(Object.assign(document.createElement("i"), { textContent: part.page }));
    item.append(excerpt(part.text, wanted));
    return item;
  }

  async function find(box, list) {
    const wanted = [...new Set(words(box.value))];
    chosen = -1;
    if (!wanted.length) { list.hidden = true; return; }
    const given = box.value;
    let sections;
    try { sections = await load(); } catch (error) { list.replaceChildren(error.message); list.hidden = false; return; }
    if (box.value !== given) return;
    const found = sections.map((part) => ({ part, points: score(part, wanted) })).filter(({ points }) => points > 0).sort((a, b) => b.points - a.points);
    const told = document.createElement("p");
    told.textContent = found.length ? `${found.length} ${found.length === 1 ? "section" : "sections"}` : "Nothing was found.";
    list.replaceChildren(told, ...found.slice(0, MOST).map((one, number) => entry(one, wanted, number)));
    list.hidden = false;
  }

  function choose(list, step) {
    const items = [...list.querySelectorAll("a")];
    if (!items.length) return;
    chosen = (chosen + step + items.length) % items.length;
    items.forEach((item, number) => item.setAttribute("aria-selected", number === chosen));
    items[chosen].scrollIntoView({ block: "nearest" });
  }

  function begin() {
    const header = document.querySelector(".md-header__inner");
    if (!header || document.getElementById("lrfm-search")) return;
    const form = Object.assign(document.createElement("form"), { id: "lrfm-search" });
    const box = Object.assign(document.createElement("input"), { type: "search", placeholder: "Search", autocomplete: "off" });
    const list = Object.assign(document.createElement("div"), { hidden: true });
    form.setAttribute("role", "search"); box.setAttribute("aria-label", "Search"); list.setAttribute("role", "listbox");
    form.append(box, list);
    header.append(form);
    box.addEventListener("focus", () => { load().catch(() => {}); find(box, list); });
    box.addEventListener("input", () => find(box, list));
    form.addEventListener("submit", (event) => { event.preventDefault(); (list.querySelectorAll("a")[Math.max(chosen, 0)])?.click(); });
    form.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(list, event.key === "ArrowDown" ? 1 : -1); }
      if (event.key === "Escape") { list.hidden = true; box.blur(); }
    });
    document.addEventListener("click", (event) => { if (!form.contains(event.target) || event.target.closest("a")) list.hidden = true; });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.matches?.("input, textarea, select, [contenteditable]");
      if (!typing && (event.key === "/" || event.key === "s") && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); box.focus(); }
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin); else begin();
})();
