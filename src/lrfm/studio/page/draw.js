// SPDX-License-Identifier: MIT
// Drawing on a canvas: axes with round numbers, a heat map with its color bar, lines. Knows nothing of equations.

const PAD = { left: 62, right: 92, top: 10, bottom: 40 };
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Round numbers that cover an interval: multiples of 1, 2 or 5 times a power of ten.
export function ticks(lower, upper, about = 5) {
  const span = upper - lower;
  if (!(span > 0)) return [lower];
  const raw = span / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
  const found = [];
  for (let k = Math.ceil(lower / step - 1e-9); k * step <= upper + 1e-9 * span; k++) found.push(k * step);
  return found;
}

export function short(value, span = Math.abs(value), digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-12 * (span || 1)) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2).replace(/\.?0+e/, "e") : String(+value.toPrecision(digits));
}

// `aspect` is height over width of the picture where both axes are lengths, and 0 where they have nothing in common.
function prepare(canvas, aspect = 0) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  canvas.width = Math.max(1, box.width * ratio); canvas.height = Math.max(1, box.height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = "12px system-ui, sans-serif";
  const inner = { x: PAD.left, y: PAD.top, w: box.width - PAD.left - PAD.right, h: box.height - PAD.top - PAD.bottom };
  if (aspect) {
    const w = Math.min(inner.w, inner.h / aspect), h = w * aspect;
    Object.assign(inner, { w, h, y: PAD.top + (inner.h - h) / 2 });
  }
  return { pen, inner };
}

function frame(pen, inner, across, up, names) {
  pen.strokeStyle = style("--soft"); pen.fillStyle = style("--soft"); pen.lineWidth = 1;
  pen.strokeRect(inner.x, inner.y, inner.w, inner.h);
  pen.textAlign = "center"; pen.textBaseline = "top";
  for (const value of ticks(...across)) {
    const x = inner.x + (inner.w * (value - across[0])) / (across[1] - across[0]);
    line(pen, x, inner.y + inner.h, x, inner.y + inner.h + 4);
    pen.fillText(short(value, across[1] - across[0]), x, inner.y + inner.h + 6);
  }
  pen.textAlign = "right"; pen.textBaseline = "middle";
  for (const value of ticks(...up)) {
    const y = inner.y + inner.h - (inner.h * (value - up[0])) / (up[1] - up[0]);
    line(pen, inner.x - 4, y, inner.x, y);
    pen.fillText(short(value, up[1] - up[0]), inner.x - 7, y);
  }
  pen.fillStyle = style("--ink"); pen.textAlign = "center"; pen.textBaseline = "bottom";
  pen.fillText(names[0], inner.x + inner.w / 2, inner.y + inner.h + PAD.bottom - 2);
  pen.save(); pen.translate(14, inner.y + inner.h / 2); pen.rotate(-Math.PI / 2); pen.textBaseline = "middle"; pen.fillText(names[1], 0, 0); pen.restore();
}

function line(pen, x0, y0, x1, y1) { pen.beginPath(); pen.moveTo(x0, y0); pen.lineTo(x1, y1); pen.stroke(); }

// A view with two axes: the first one across, the second one up. `mark` draws a line at a value of the second axis.
export function heatmap(canvas, view, range, colors, names, mark = null, aspect = 0) {
  const { pen, inner } = prepare(canvas, aspect);
  const [n, m] = view.shape, image = new ImageData(n, m), span = range[1] - range[0] || 1;
  for (let j = 0; j < m; j++) for (let i = 0; i < n; i++) {
    const value = view.values[i * m + j], at = 4 * ((m - 1 - j) * n + i);
    if (!Number.isFinite(value)) { image.data[at + 3] = 0; continue; }
    const c = 3 * Math.max(0, Math.min(255, Math.round((255 * (value - range[0])) / span)));
    image.data[at] = colors[c]; image.data[at + 1] = colors[c + 1]; image.data[at + 2] = colors[c + 2]; image.data[at + 3] = 255;
  }
  const sheet = new OffscreenCanvas(n, m);
  sheet.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = true; pen.imageSmoothingQuality = "high";
  pen.drawImage(sheet, inner.x, inner.y, inner.w, inner.h);
  frame(pen, inner, view.ends[0], view.ends[1], names);
  bar(pen, { x: inner.x + inner.w + 16, y: inner.y, w: 14, h: inner.h }, range, colors, names[2]);
  if (mark !== null) {
    const y = inner.y + inner.h - (inner.h * (mark - view.ends[1][0])) / (view.ends[1][1] - view.ends[1][0]);
    pen.strokeStyle = "#fff"; pen.lineWidth = 3; line(pen, inner.x, y, inner.x + inner.w, y);
    pen.strokeStyle = "#000"; pen.lineWidth = 1; line(pen, inner.x, y, inner.x + inner.w, y);
  }
  return inner;
}

function bar(pen, box, range, colors, name) {
  for (let k = 0; k < box.h; k++) {
    const c = 3 * Math.round(255 * (1 - k / (box.h - 1)));
    pen.fillStyle = `rgb(${colors[c]},${colors[c + 1]},${colors[c + 2]})`;
    pen.fillRect(box.x, box.y + k, box.w, 1.5);
  }
  pen.strokeStyle = style("--soft"); pen.lineWidth = 1; pen.strokeRect(box.x, box.y, box.w, box.h);
  pen.fillStyle = style("--soft"); pen.textAlign = "left"; pen.textBaseline = "middle";
  for (const value of ticks(...range)) {
    const y = box.y + box.h - (box.h * (value - range[0])) / (range[1] - range[0] || 1);
    pen.fillText(short(value, range[1] - range[0]), box.x + box.w + 4, y);
  }
  pen.fillStyle = style("--ink"); pen.textAlign = "center"; pen.textBaseline = "bottom";
  pen.fillText(name, box.x + box.w / 2, box.y + box.h + PAD.bottom - 2);
}

// Views with one axis as lines: [{view, color, label}].
export function lines(canvas, curves, range, names) {
  const { pen, inner } = prepare(canvas);
  const ends = curves[0].view.ends[0], pad = 0.06 * (range[1] - range[0] || 1), up = [range[0] - pad, range[1] + pad];
  frame(pen, inner, ends, up, names);
  pen.save(); pen.beginPath(); pen.rect(inner.x, inner.y, inner.w, inner.h); pen.clip();
  for (const { view, color, dashed } of curves) {
    pen.strokeStyle = color; pen.lineWidth = 2; pen.setLineDash(dashed ? [6, 4] : []);
    pen.beginPath();
    const n = view.shape[0];
    for (let i = 0, down = false; i < n; i++) {
      const y = inner.y + inner.h - (inner.h * (view.values[i] - up[0])) / (up[1] - up[0]);
      if (!Number.isFinite(y)) { down = false; continue; }
      pen[down ? "lineTo" : "moveTo"](inner.x + (inner.w * i) / (n - 1), y); down = true;
    }
    pen.stroke();
  }
  pen.restore(); pen.setLineDash([]);
  pen.textAlign = "left"; pen.textBaseline = "top";
  curves.filter((c) => c.label).forEach(({ color, label }, k) => {
    const x = inner.x + inner.w + 10, y = inner.y + 4 + 18 * k;
    pen.fillStyle = color; pen.fillRect(x, y + 5, 14, 3); pen.fillStyle = style("--ink"); pen.fillText(label, x + 18, y);
  });
  return Object.assign(inner, { up });
}
