"use strict";
// The interactive part of a report. It shows the numbers of the page and computes no statistics: each base
// has its own ratios, intervals, verdicts and sentences in them. What is shown is in the address, after #.
(() => {
  const numbers = JSON.parse(document.getElementById("numbers").textContent);
  const { columns, steps, bases } = numbers;
  const DECIDED = ["better", "worse", "differs"];
  const PLOT = 300, EDGE = 8; // pixels: width of the plot, room at both ends
  const FURTHEST = 8; // times the base: what is further is drawn at the edge
  const TICKS = [1, 0.5, 2, 0.25, 4, 0.125, 8, 0.8, 1.25, 0.9, 1.1, 0.95, 1.05];

  // elements: names are set as text, never as markup

  function put(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...children.flat().filter((each) => each !== null && each !== ""));
    return element;
  }
  const make = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
  const draw = (tag, attributes, ...children) =>
    put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const swatch = (at) => make("span", { class: "swatch " + columns[at].class });

  // the state: in the address, so that it can be passed on

  function readState() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const place = (text, count) => (/^\d{1,4}$/.test(text || "") && Number(text) < count ? Number(text) : null);
    const [step, column] = (asked.get("cell") || "").split(".");
    const base = place(asked.get("base"), columns.length) ?? numbers.base;
    const hidden = (asked.get("hide") || "").split(".").map((each) => place(each, columns.length));
    const open = { step: place(step, steps.length), column: place(column, columns.length) };
    return {
      base,
      hidden: new Set(hidden.filter((each) => each !== null && each !== base)),
      isByEffect: asked.get("sort") === "effect",
      open: open.step === null || open.column === null ? null : open,
    };
  }

  function change(changed) {
    const state = { ...readState(), ...changed };
    const parts = [];
    if (state.base !== numbers.base) parts.push("base=" + state.base);
    const hidden = [...state.hidden].filter((each) => each !== state.base).sort((a, b) => a - b);
    if (hidden.length) parts.push("hide=" + hidden.join("."));
    if (state.isByEffect) parts.push("sort=effect");
    if (state.open) parts.push("cell=" + state.open.step + "." + state.open.column);
    location.hash = parts.join("&") || "all";
  }

  // what is shown

  const others = (state) => columns.map((_, at) => at).filter((at) => at !== state.base && !state.hidden.has(at));

  function effect(row, shown) { // decided ratios first, then the largest
    const known = shown.filter((at) => row.relative[at] > 0);
    const decided = known.filter((at) => DECIDED.includes(row.verdict[at]));
    const size = Math.max(0, ...(decided.length ? decided : known).map((at) => Math.abs(Math.log(row.relative[at]))));
    return (decided.length ? 1000 : 0) + size;
  }

  function ordered(state, rows) {
    const all = rows.map((_, at) => at);
    if (!state.isByEffect) return all;
    const sizes = rows.map((row) => effect(row, others(state)));
    return all.sort((a, b) => sizes[b] - sizes[a] || a - b);
  }

  function scaleOf(rows, shown) {
    const ratios = rows.flatMap((row) => shown.flatMap((at) => [row.relative[at], row.low[at], row.high[at]]));
    const known = ratios.filter((each) => each > 0);
    const low = Math.max(1 / FURTHEST, Math.min(0.8, ...known)), high = Math.min(FURTHEST, Math.max(1.25, ...known));
    const span = Math.log(high) - Math.log(low);
    const x = (ratio) => EDGE + ((Math.log(Math.min(high, Math.max(low, ratio || low))) - Math.log(low)) / span) * PLOT;
    const ticks = [];
    for (const tick of TICKS) {
      const isApart = ticks.every((each) => Math.abs(x(each) - x(tick)) > 34);
      if (tick >= low && tick <= high && isApart) ticks.push(tick);
    }
    return { x, ticks, low, high };
  }

  function axis(scale) {
    const texts = scale.ticks.map((tick) =>
      draw("text", { x: scale.x(tick), y: 12, "text-anchor": "middle", class: "muted" }, String(tick)));
    return draw("svg", { width: PLOT + 2 * EDGE, height: 16, role: "img", "aria-label": "ratio to the base" }, ...texts);
  }

  function plot(scale, row, shown) {
    const of = shown.length > 4 ? 10 : 16; // pixels of a ratio
    const height = Math.max(1, shown.length) * of;
    const grid = scale.ticks.map((tick) =>
      draw("line", { class: tick === 1 ? "base" : "grid", x1: scale.x(tick), x2: scale.x(tick), y1: 0, y2: height }));
    const dots = shown.map((at, place) => dot(scale, row, at, place * of + of / 2));
    const said = shown.map((at) => columns[at].head + " " + row.words[at]).join(", ");
    const size = { width: PLOT + 2 * EDGE, height, role: "img", "aria-label": "ratio to the base: " + said };
    return draw("svg", size, ...grid, ...dots);
  }

  function dot(scale, row, at, y) {
    const ratio = row.relative[at];
    if (ratio === null) return "";
    const look = columns[at].class, isDecided = DECIDED.includes(row.verdict[at]);
    const x = scale.x(ratio);
    const parts = [draw("title", null, columns[at].name + ": " + row.words[at])];
    if (row.low[at] !== null && row.high[at] !== null) {
      parts.push(draw("line", { class: look + " reach", x1: scale.x(row.low[at]), x2: scale.x(row.high[at]), y1: y, y2: y }));
    }
    if (ratio > scale.high || ratio < scale.low) {
      const tip = ratio > scale.high ? x + 7 : x - 7;
      parts.push(draw("polygon", { class: look, points: `${tip},${y} ${x},${y - 4} ${x},${y + 4}` }));
    } else {
      parts.push(draw("circle", { class: look + (isDecided ? "" : " open"), cx: x, cy: y, r: 4 }));
    }
    return draw("g", null, ...parts);
  }

  // the table: a line for each step, its plot, a button for each cell

  function table(state) {
    const { steps: rows, groups } = bases[state.base];
    const shown = others(state), visible = [state.base, ...shown];
    const scale = scaleOf(rows, shown);
    const heads = visible.map((at) =>
      make("th", { scope: "col" }, swatch(at), columns[at].head, at === state.base && columns.length > 1 ? make("small", null, "the base") : ""));
    const ratios = shown.length ? [make("th", { class: "plot", scope: "col" }, axis(scale))] : [];
    const head = make("thead", null, make("tr", null, make("th", { scope: "col" }, "step"), ...ratios, ...heads));
    const body = make("tbody", null);
    const width = 1 + ratios.length + visible.length;
    let last = null;
    for (const at of ordered(state, rows)) {
      const group = steps[at].group + " · " + rows[at].unit + (rows[at].direction === "lower" ? " (less is better)" : "");
      if (!state.isByEffect && group !== last) {
        body.append(make("tr", { class: "group" }, make("th", { colspan: width, scope: "colgroup" }, group)));
        const mean = groups.find((each) => each.group === steps[at].group && each.unit === rows[at].unit);
        if (mean && shown.length) body.append(meanLine(scale, mean, shown));
      }
      last = group;
      body.append(line(state, scale, at, shown, visible));
      if (state.open && state.open.step === at && visible.includes(state.open.column)) {
        body.append(make("tr", { class: "opened" }, make("td", { colspan: width }, opened(state, at, state.open.column))));
      }
    }
    return make("div", { class: "scroll" }, make("table", { class: "cells" }, head, body));
  }

  function line(state, scale, at, shown, visible) {
    const row = bases[state.base].steps[at];
    const name = make("th", { scope: "row", title: steps[at].title }, steps[at].label,
      state.isByEffect ? make("small", null, row.unit + (row.direction === "lower" ? ", less is better" : "")) : "");
    const ratios = shown.length ? [make("td", { class: "plot" }, plot(scale, row, shown))] : [];
    return make("tr", null, name, ...ratios, ...visible.map((column) => cell(state, row, at, column)));
  }

  function cell(state, row, at, column) {
    const isOpen = state.open && state.open.step === at && state.open.column === column;
    const toggle = () => change({ open: isOpen ? null : { step: at, column } });
    const label = steps[at].label + ", " + columns[column].name;
    return make("td", { class: row.tone[column] },
      make("button", { id: `cell-${at}-${column}`, click: toggle, "aria-expanded": String(Boolean(isOpen)), title: label },
        row.figures[column], row.words[column] ? make("small", null, row.words[column]) : ""));
  }

  function meanLine(scale, mean, shown) {
    const cells = shown.map((at) => make("td", null, mean.words[at] || "-"));
    return make("tr", { class: "mean" }, make("th", { scope: "row" }, `geometric mean of ${mean.steps} steps`),
      make("td", { class: "plot" }, plot(scale, mean, shown)), make("td", null), ...cells);
  }

  // a cell that is open

  function opened(state, at, column) {
    const row = bases[state.base].steps[at], isBase = column === state.base;
    const pair = isBase ? [column] : [state.base, column];
    const against = isBase ? "" : " against " + columns[state.base].name;
    const facts = [
      isBase ? "" : row.words[column], row.low[column] === null ? "" : interval(row, column),
      row.p_text[column], row.why[column],
    ].filter(Boolean);
    return make("div", { class: "detail" },
      make("h3", null, steps[at].label + ": " + columns[column].name + against),
      steps[at].title ? make("p", { class: "muted" }, steps[at].title) : "",
      facts.length ? make("p", null, facts.join(", ")) : "",
      ...pair.map((each) => make("p", null, swatch(each), columns[each].name + ": " + row.figures[each] + " " + row.unit + samples(row, each))),
      ...pair.flatMap((each) => steps[at].remarks[each].map((remark) => make("p", { class: "muted" }, columns[each].name + ": " + remark))),
      seconds(at, pair), measures(row, pair),
      make("button", { id: "close", click: () => change({ open: null }) }, "Close"));
  }

  const interval = (row, column) =>
    `${row.low[column].toFixed(3)} to ${row.high[column].toFixed(3)} with ${+(100 * numbers.certain).toFixed(2)}%`;

  function samples(row, at) {
    const known = row.samples[at].filter((each) => each !== null);
    const texts = known.map((each) => Number(each.toPrecision(4)).toLocaleString("en"));
    return known.length > 1 ? `, the median; its sessions: ${texts.join("; ")}` : known.length ? ", one session" : "";
  }

  function seconds(at, pair) {
    const curves = pair.flatMap((column) =>
      (steps[at].seconds[column] || []).filter((points) => points.length > 1).map((points) => ({ column, points })));
    if (!curves.length) return make("p", { class: "muted" }, numbers.seconds_width
      ? "No seconds are known of this step." : "The seconds are left out, so that this page stays below 2 MB.");
    const all = curves.flatMap((each) => each.points);
    const first = Math.min(0, ...all.map((each) => each[0])), last = Math.max(...all.map((each) => each[0]));
    const most = Math.max(1, ...all.map((each) => each[1]));
    const x = (second) => 60 + ((second - first) / (last - first || 1)) * 600, y = (value) => 150 - (value / most) * 135;
    const lines = curves.map(({ column, points }) => draw("polyline", {
      class: columns[column].class, points: points.map((each) => `${x(each[0]).toFixed(1)},${y(each[1]).toFixed(1)}`).join(" "),
    }));
    const label = (left, top, anchor, text) => draw("text", { x: left, y: top, "text-anchor": anchor, class: "muted" }, text);
    const width = numbers.seconds_width;
    const drawing = draw("svg", { viewBox: "0 0 680 170", width: 680, height: 170, role: "img", "aria-label": "queries per second" },
      draw("line", { class: "grid", x1: 60, x2: 660, y1: 15, y2: 15 }), draw("line", { class: "grid", x1: 60, x2: 660, y1: 150, y2: 150 }),
      first < 0 ? draw("line", { class: "base", x1: x(0), x2: x(0), y1: 15, y2: 150 }) : "",
      label(54, 19, "end", Math.round(most).toLocaleString("en")), label(54, 154, "end", "0"),
      label(x(0), 166, "middle", "0 s"), label(660, 166, "end", last + " s"), ...lines);
    const warm = first < 0 ? "; before 0 s is the warm-up" : "";
    const means = width > 1 ? `, means of ${width} s` : "";
    return make("div", null, make("p", { class: "muted" }, `Queries per second${means}: a line for each session${warm}.`), drawing);
  }

  function measures(row, pair) {
    if (!row.measures.length) return "";
    const heads = pair.map((at) => make("th", { scope: "col" }, swatch(at), columns[at].head));
    const lines = row.measures.map((measure) => make("tr", null, make("th", { scope: "row" }, measure.title),
      ...pair.map((at) => make("td", null, measure.figures[at], measure.ratios[at] ? make("small", null, measure.ratios[at]) : ""))));
    return make("div", { class: "scroll" },
      make("table", null, make("thead", null, make("tr", null, make("th", null, pair.length > 1 ? "latency and costs, ratios without verdict" : "latency and costs"), ...heads)), make("tbody", null, ...lines)));
  }

  // what the reader chooses

  function controls(state) {
    const option = (value, text, isChosen) => make("option", { value, selected: isChosen }, text);
    const base = make("select", { id: "base", change: (event) => change({ base: Number(event.target.value) }) },
      ...columns.map((column, at) => option(at, column.name, at === state.base)));
    const sort = make("select", { id: "sort", change: (event) => change({ isByEffect: event.target.value === "effect" }) },
      option("step", "step", !state.isByEffect), option("effect", "effect, the largest first", state.isByEffect));
    const boxes = columns.map((column, at) => make("label", null, make("input", {
      type: "checkbox", id: "show-" + at, checked: !state.hidden.has(at), disabled: at === state.base, change: () => toggle(state, at),
    }), swatch(at), column.name));
    const isAlone = columns.length < 2;
    return make("div", { class: "controls" },
      isAlone ? "" : make("label", null, "Base ", base), isAlone ? "" : make("label", null, "Sort by ", sort),
      isAlone ? "" : make("fieldset", null, make("legend", null, "Show"), ...boxes),
      make("button", { id: "csv", click: () => save(bases[state.base].csv, "text/csv", "dyno-report.csv") }, "Save CSV"),
      make("button", { id: "json", click: () => save(JSON.stringify(numbers), "application/json", "dyno-report.json") }, "Save JSON"));
  }

  function toggle(state, at) {
    const hidden = new Set(state.hidden);
    if (!hidden.delete(at)) hidden.add(at);
    change({ hidden });
  }

  function save(text, type, name) { // made here: nothing is fetched
    const address = URL.createObjectURL(new Blob([text], { type }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function legend(state) {
    if (columns.length < 2) return "";
    const certain = +(100 * numbers.certain).toFixed(2);
    const hidden = state.hidden.size ? " Sentences and verdicts are of all contenders, also of hidden ones." : "";
    return make("p", { class: "muted" },
      `A dot is the ratio to ${columns[state.base].name}, its line the interval that holds with ${certain}%, all of them together. ` +
      `A full dot is a difference; an open one is none, or has no verdict. Choose a cell for its seconds, latency and costs.${hidden}`);
  }

  function show() {
    const state = readState(), focused = document.activeElement && document.activeElement.id;
    const place = document.getElementById("explore");
    place.replaceChildren(
      ...bases[state.base].sentences.map((each) => make("p", { class: "sentence" }, each)),
      controls(state), legend(state), table(state),
      make("p", { class: "muted" }, bases[state.base].legend),
      make("h2", { class: "whole" }, "The whole report, against " + columns[numbers.base].name));
    const again = focused && document.getElementById(focused);
    if (again) again.focus();
    else if (focused === "close" || focused === "cell") place.querySelector("button").focus();
  }

  document.getElementById("explore").addEventListener("keydown", (event) => {
    const state = readState();
    if (event.key === "Escape" && state.open) {
      const cell = document.getElementById(`cell-${state.open.step}-${state.open.column}`);
      change({ open: null });
      if (cell) cell.focus();
      return;
    }
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move || !event.target.matches("table.cells > tbody > tr > td > button")) return;
    const lines = [...document.querySelectorAll("table.cells > tbody > tr")]
      .map((each) => [...each.querySelectorAll(":scope > td > button")]).filter((each) => each.length);
    const at = lines.findIndex((each) => each.includes(event.target));
    const to = (lines[at + move[0]] || [])[lines[at].indexOf(event.target) + move[1]];
    if (to) {
      event.preventDefault();
      to.focus();
    }
  });
  window.addEventListener("hashchange", show);
  show();
  const { open } = readState();
  if (open) (document.getElementById(`cell-${open.step}-${open.column}`) || document.body).scrollIntoView({ block: "center" });
})();
