(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const clusters = data.clusters;
  const columns = data.columns;
  const byId = (id) => document.getElementById(id);
  const state = { chosen: null };
  const LEAST_GAP = 0.2; // of two averages in standard deviations, from which on clusters are said to differ
  const isNarrow = () => window.innerWidth < 720;
  const settings = (...buttons) => ({ displaylogo: false, responsive: true, displayModeBar: isNarrow() ? false : "hover", modeBarButtons: [["toImage", ...buttons]] });
  const modebar = { orientation: "v", color: "#8a95a1", activecolor: "#1b2430", bgcolor: "rgba(255,255,255,0)" };
  const font = { family: getComputedStyle(document.body).fontFamily, size: 13, color: "#1b2430" };

  // Plotly reads a little HTML in its texts; names from the table are plain text.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const shorten = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);
  // Names that only differ at their ends are cut in the middle.
  const shortenAll = (names, n) => {
    const cut = names.map((name) => shorten(name, n));
    const inMiddle = (name) => (name.length > n ? name.slice(0, Math.ceil(n / 2) - 1) + "…" + name.slice(-Math.floor(n / 2)) : name);
    return cut.map((text, i) => (cut.indexOf(text) === cut.lastIndexOf(text) ? text : inMiddle(names[i])));
  };
  // Names of clusters, by their numbers where no cut tells them apart.
  const nameClusters = (n) => {
    const names = shortenAll(clusters.map((c) => c.name), n);
    return names.map((name, i) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `cluster ${clusters[i].label}`));
  };
  // On a phone a line of a chart has room for fewer letters.
  const fitWidth = (text, n) => shorten(text, isNarrow() ? 28 : n);
  const fade = (hex, alpha) => {
    const n = parseInt(hex.slice(1), 16);
    return `rgba(${n >> 16},${(n >> 8) & 255},${n & 255},${alpha})`;
  };
  const number = (value) => String(+value.toPrecision(6));

  // ---- columns -----------------------------------------------------------------------------------------
  const isDiscrete = (column) => column.kind === "boolean" || column.kind === "category";
  const stripNames = (column) => (column.kind === "boolean" ? ["no", "yes"] : column.levels);
  const shown = (column, value) => (isDiscrete(column) ? stripNames(column)[value] : value);

  // A fixed scatter within a strip, so that rows with the same value can be told apart.
  function jitter(row, salt) {
    const x = Math.sin((row + 1) * 12.9898 + salt * 78.233) * 43758.5453;
    return (x - Math.floor(x) - 0.5) * 0.62;
  }

  function range(column) {
    if (isDiscrete(column)) return [-0.5, stripNames(column).length - 0.5];
    const margin = (column.high - column.low) * 0.04 || 1;
    return [column.low - margin, column.high + margin];
  }

  function axis(column) {
    const base = { title: { text: plain(fitWidth(column.name, 60)), standoff: 8 }, range: range(column), gridcolor: "#e6eaee", zeroline: false, automargin: true };
    if (!isDiscrete(column)) return base;
    const names = stripNames(column);
    return { ...base, tickvals: names.map((_, i) => i), ticktext: shortenAll(names, 24).map(plain), autotickangles: [0, -30, -90], ticklabeloverflow: "allow", showgrid: false };
  }

  // ---- where the rule of a cluster allows rows ------------------------------------------------------------
  // The value of a term: coefficient * (feature / unit), the feature being a column or one level of a category.
  function termOn(term, value) {
    const raw = term.level !== null ? Number(value === term.level) : term.cut !== null ? Number(value >= term.cut) : value;
    return term.coefficient * (raw / term.unit);
  }

  function termBounds(term) {
    const column = columns[term.column];
    const [low, high] = term.level !== null || term.cut !== null || isDiscrete(column) ? [0, 1] : [column.low, column.high];
    const ends = [(term.coefficient * low) / term.unit, (term.coefficient * high) / term.unit];
    return [Math.min(...ends), Math.max(...ends)];
  }

  // The part of a cell (a strip of x by a strip of y, or the whole range of a number) that a clause allows.
  function cut(polygon, clause, xi, yi, xValue, yValue) {
    let a = 0, b = 0, fixed = 0;
    for (const term of clause.terms) {
      let at = term.column === xi ? xValue : term.column === yi ? yValue : undefined;
      if (at === null && term.cut !== null) at = undefined;
      if (at === undefined) {
        // Other features may take any value of theirs: the area is then as wide as it can be.
        const [low, high] = termBounds(term);
        fixed += clause.comparison === "≥" ? high : low;
      } else if (at !== null) {
        fixed += termOn(term, at);
      } else if (term.column === xi) {
        a += term.coefficient / term.unit;
      } else {
        b += term.coefficient / term.unit;
      }
    }
    const sign = clause.comparison === "≥" ? 1 : -1;
    const height = ([x, y]) => sign * (a * x + b * y + fixed - clause.threshold);
    if (a === 0 && b === 0) return height([0, 0]) >= (sign > 0 ? 0 : 1e-12) ? polygon : [];
    const out = [];
    polygon.forEach((p, i) => {
      const q = polygon[(i + 1) % polygon.length];
      const hp = height(p), hq = height(q);
      if (hp >= 0) out.push(p);
      if ((hp > 0 && hq < 0) || (hp < 0 && hq > 0)) {
        const t = hp / (hp - hq);
        out.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
      }
    });
    return out.length >= 3 ? out : [];
  }

  function strips(column) {
    if (!isDiscrete(column)) return [{ value: null, range: range(column) }];
    return stripNames(column).map((_, i) => ({ value: i, range: [i - 0.46, i + 0.46] }));
  }

  function areas(cluster, xi, yi) {
    const found = [];
    for (const sx of strips(columns[xi])) {
      for (const sy of strips(columns[yi])) {
        let polygon = [[sx.range[0], sy.range[0]], [sx.range[1], sy.range[0]], [sx.range[1], sy.range[1]], [sx.range[0], sy.range[1]]];
        for (const clause of cluster.halfspaces) {
          if (polygon.length) polygon = cut(polygon, clause, xi, yi, sx.value, sy.value);
        }
        if (polygon.length) found.push(polygon);
      }
    }
    return found;
  }

  const usesOthers = (clause, xi, yi) => clause.terms.some((t) => (t.column !== xi && t.column !== yi) || t.cut !== null);
  const usesThese = (clause, xi, yi) => clause.terms.some((t) => t.column === xi || t.column === yi);
  const bounds = (cluster, xi, yi) => cluster.halfspaces.some((c) => usesThese(c, xi, yi));
  const isExact = (cluster, xi, yi) => !cluster.halfspaces.some((c) => usesThese(c, xi, yi) && usesOthers(c, xi, yi));

  function areaShapes(xi, yi) {
    if (!byId("show-areas").checked || !data.can_draw_areas) return [];
    // A rule that does not use these two features allows the whole picture: drawn only when asked for.
    const visible = clusters.filter((c) => (state.chosen === null ? bounds(c, xi, yi) : state.chosen === c.label));
    return visible.flatMap((cluster) =>
      areas(cluster, xi, yi).map((polygon) => ({
        type: "path", layer: "below",
        path: "M" + polygon.map((p) => p.join(",")).join("L") + "Z",
        fillcolor: fade(cluster.colour, state.chosen === null ? 0.1 : 0.17),
        line: { color: fade(cluster.colour, 0.75), width: 1.5, dash: isExact(cluster, xi, yi) ? "solid" : "dot" },
      }))
    );
  }

  // ---- the picture ------------------------------------------------------------------------------------------
  function rowText(row, cluster) {
    const lines = [`<b>${plain(data.ids ? data.ids[row] : "row " + data.rows[row])}</b> · ${plain(shorten(cluster.name, 48))}`];
    columns.slice(0, 10).forEach((c) => lines.push(`${plain(shorten(c.name, 30))}: ${plain(shorten(String(shown(c, c.values[row])), 40))}`));
    if (columns.length > 10) lines.push("…");
    return lines.join("<br>");
  }

  function pointTrace(cluster, xi, yi) {
    const rows = data.labels.flatMap((label, row) => (label === cluster.label ? [row] : []));
    const isFaded = state.chosen !== null && state.chosen !== cluster.label;
    const place = (index, salt) => rows.map((row) => columns[index].values[row] + (isDiscrete(columns[index]) ? jitter(row, salt) : 0));
    return {
      type: "scatter", mode: "markers", name: plain(nameClusters(48)[cluster.label]),
      x: place(xi, 1), y: place(yi, 2), text: rows.map((row) => rowText(row, cluster)), hoverinfo: "text",
      opacity: isFaded ? 0.12 : 0.85, meta: cluster.label,
      marker: { color: cluster.colour, symbol: cluster.symbol, size: 7, line: { color: "#fff", width: 0.6 } },
    };
  }

  function drawScatter() {
    const xi = +byId("x-feature").value, yi = +byId("y-feature").value;
    const ordered = [...clusters].sort((a, b) => (a.label === state.chosen) - (b.label === state.chosen));
    const layout = {
      font, modebar, margin: { l: 56, r: isNarrow() ? 12 : 44, t: 12, b: 56 }, paper_bgcolor: "#fff", plot_bgcolor: "#fff", hovermode: "closest",
      xaxis: axis(columns[xi]), yaxis: axis(columns[yi]), shapes: areaShapes(xi, yi),
      showlegend: !isNarrow(), legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, hoverlabel: { align: "left" },
    };
    Plotly.react("scatter", ordered.map((c) => pointTrace(c, xi, yi)), layout, settings("zoom2d", "pan2d", "resetScale2d"));
    byId("scatter-text").textContent = describePicture(xi, yi);
  }

  function describePicture(xi, yi) {
    const who = state.chosen === null ? `all ${clusters.length} clusters` : `cluster “${clusters[state.chosen].name}”`;
    const head = `${columns[xi].name} across and ${columns[yi].name} up, for ${who}. `;
    if (!data.can_draw_areas) return head + "Areas are not drawn: the rules use features made from these columns.";
    const drawn = clusters.filter((c) => state.chosen === null || c.label === state.chosen);
    const unused = drawn.filter((c) => !bounds(c, xi, yi));
    if (unused.length === drawn.length) {
      return head + (state.chosen === null
        ? "No rule uses these two features, so no areas are drawn."
        : "Its rule does not use these two features, so its area is the whole picture.");
    }
    const free = unused.map((c) => "“" + c.name + "”").join(", ");
    const rest = drawn.every((c) => isExact(c, xi, yi))
      ? "Each area is the exact shadow of a rule on these two features: it holds every row of its cluster. Where areas overlap, another feature tells the clusters apart."
      : "Dotted areas are as wide as their rule can be whatever the other features are: they hold every row of their cluster, and may hold others.";
    const unbound = free ? ` These two features play no part in the rule of ${free}.` : "";
    return head + rest + unbound;
  }

  // ---- silhouettes, scores --------------------------------------------------------------------------------------
  function drawSilhouette() {
    if (!byId("silhouette")) return;
    const averages = clusters.map((c) => c.clarity.average);
    const isFaded = (c) => state.chosen !== null && state.chosen !== c.label;
    const bars = {
      type: "bar", orientation: "h", x: averages, y: clusters.map((c) => c.label), hoverinfo: "skip",
      marker: { color: clusters.map((c) => fade(c.colour, isFaded(c) ? 0.25 : 1)) },
    };
    const words = clusters.map((c) => ({
      x: Math.max(c.clarity.average, 0), y: c.label, xanchor: "left", showarrow: false,
      text: `${c.clarity.average.toFixed(2)} ${plain(isNarrow() ? "" : c.clarity.word)}`,
    }));
    Plotly.react("silhouette", [bars], {
      font, modebar, margin: { l: 20, r: isNarrow() ? 14 : 44, t: 10, b: 50 }, bargap: 0.45, annotations: words, paper_bgcolor: "#fff", plot_bgcolor: "#fff",
      xaxis: { range: [Math.min(0, ...averages) - 0.01, 1.08], title: { text: isNarrow() ? "1 = right at home" : "0 = on the border · 1 = right at home" }, gridcolor: "#e6eaee", zerolinecolor: "#555", fixedrange: true },
      yaxis: { autorange: "reversed", tickvals: clusters.map((c) => c.label), ticktext: nameClusters(isNarrow() ? 16 : 34).map((name) => plain(name) + "  "), automargin: true, fixedrange: true },
    }, settings());
  }

  function drawScores() {
    if (!byId("scores")) return;
    const best = data.scores.filter((s) => s.k === clusters.length);
    const line = { type: "scatter", mode: "lines+markers", x: data.scores.map((s) => s.k), y: data.scores.map((s) => s.score), line: { color: "#55606e" }, marker: { size: 8, color: "#55606e" }, hovertemplate: "%{x} clusters: %{y:.4f}<extra></extra>" };
    const chosen = { type: "scatter", mode: "markers+text", x: best.map((s) => s.k), y: best.map((s) => s.score), marker: { size: 15, color: "#0072B2", line: { color: "#fff", width: 2 } }, text: best.map(() => "chosen"), textposition: "top center", hoverinfo: "skip", cliponaxis: false };
    Plotly.react("scores", [line, chosen], {
      font, modebar, margin: { l: 60, r: isNarrow() ? 14 : 44, t: 26, b: 50 }, height: 300, showlegend: false, paper_bgcolor: "#fff", plot_bgcolor: "#fff",
      xaxis: { title: { text: "number of clusters" }, dtick: 1, gridcolor: "#eef1f4", zeroline: false, fixedrange: true },
      yaxis: { title: { text: plain(data.criterion) }, gridcolor: "#e6eaee", zeroline: false, automargin: true, fixedrange: true },
    }, settings());
  }

  // ---- two clusters -----------------------------------------------------------------------------------------------
  const findPair = (i, j) => data.pairs.find((p) => (p.above === i && p.below === j) || (p.above === j && p.below === i));

  function drawPair() {
    if (!byId("pair-first")) return;
    const i = +byId("pair-first").value, j = +byId("pair-second").value;
    const pair = findPair(i, j);
    const text = byId("pair-text");
    text.replaceChildren();
    byId("pair-chart").hidden = byId("pair-table").hidden = !pair;
    byId("pair-caption").textContent = "";
    if (!pair) {
      text.textContent = "Choose two different clusters.";
      return;
    }
    text.append("If ", make("code", pair.clause), " it is ", who(pair.above), ", otherwise ", who(pair.below), ".");
    drawPairChart(pair);
    fillPairTable(i, j, pair);
  }

  function make(tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  }

  function who(label) {
    const span = make("span", "");
    span.className = "who";
    span.style.setProperty("--colour", clusters[label].colour);
    const dot = make("span", "");
    dot.className = "dot";
    span.append(dot, clusters[label].name);
    return span;
  }

  function pairValues(pair, label) {
    return data.labels.flatMap((l, row) => {
      if (l !== label) return [];
      return [pair.terms.reduce((sum, t) => sum + termOn(t, columns[t.column].values[row]), 0)];
    });
  }

  function drawPairChart(pair) {
    const isDrawable = pair.terms.every((t) => t.column !== null);
    byId("pair-chart").hidden = !isDrawable;
    if (!isDrawable) return;
    const sides = [pair.above, pair.below].map((label) => ({ cluster: clusters[label], values: pairValues(pair, label) }));
    const traces = pair.is_yes_no ? shareBars(sides) : histograms(sides);
    // Beside each other only where both clusters have rows of the same answer.
    const areApart = traces.every((t) => t.y && t.y.some((share) => share === 0));
    Plotly.react("pair-chart", traces, {
      font, modebar, height: 300, margin: { l: 60, r: isNarrow() ? 14 : 44, t: 30, b: 54 }, barmode: pair.is_yes_no && !areApart ? "group" : "overlay", bargap: pair.is_yes_no ? 0.5 : 0, paper_bgcolor: "#fff", plot_bgcolor: "#fff",
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      xaxis: { title: { text: plain(fitWidth(pair.left_side, 80)) }, gridcolor: "#eef1f4", zeroline: false, automargin: true, type: pair.is_yes_no ? "category" : "linear" },
      yaxis: { title: { text: "share of the cluster" }, tickformat: ".0%", gridcolor: "#e6eaee", zeroline: false, automargin: true },
      shapes: pair.is_yes_no ? [] : [{ type: "line", x0: pair.threshold, x1: pair.threshold, y0: 0, y1: 1, yref: "paper", line: { color: "#1b2430", width: 2, dash: "dash" } }],
    }, settings());
    byId("pair-caption").textContent = pair.is_yes_no
      ? `How often ${pair.left_side} holds in each of the two clusters.`
      : `Rows of the two clusters by ${pair.left_side}; the dashed line is the threshold ${pair.threshold}.`;
  }

  function shareBars(sides) {
    return sides.map(({ cluster, values }) => {
      const yes = values.filter((v) => v > 0.5).length / Math.max(values.length, 1);
      return { type: "bar", name: plain(nameClusters(isNarrow() ? 28 : 48)[cluster.label]), x: ["no", "yes"], y: [1 - yes, yes], marker: { color: cluster.colour }, hovertemplate: "%{x}: %{y:.1%}<extra></extra>" };
    });
  }

  function histograms(sides) {
    const all = sides.flatMap((s) => s.values);
    const low = Math.min(...all), high = Math.max(...all);
    const distinct = new Set(all).size;
    const width = (high - low) / Math.min(40, Math.max(distinct - 1, 1)) || 1;
    return sides.map(({ cluster, values }) => ({
      type: "histogram", histnorm: "probability", name: plain(nameClusters(isNarrow() ? 28 : 48)[cluster.label]), x: values, opacity: 0.72, marker: { color: cluster.colour },
      xbins: { start: low - width / 2, end: high + width, size: width }, hovertemplate: "%{x}: %{y:.1%}<extra></extra>",
    }));
  }

  // One line per column, the most different, of those that the rule between the two has not told and that do differ.
  function fillPairTable(i, j, pair) {
    byId("pair-head-first").textContent = clusters[i].name;
    byId("pair-head-second").textContent = clusters[j].name;
    const seen = new Set(pair.terms.filter((t) => t.column !== null).map((t) => columns[t.column].name));
    const rows = data.profile
      .map((line) => ({ line, gap: Math.abs(line.standing[i] - line.standing[j]) }))
      .filter(({ line, gap }) => gap >= LEAST_GAP && line.texts[i] !== line.texts[j])
      .sort((a, b) => b.gap - a.gap)
      .filter(({ line }) => !seen.has(line.column) && seen.add(line.column)).slice(0, 6)
      .map(({ line }) => {
        const row = document.createElement("tr");
        const head = make("th", line.name);
        head.scope = "row";
        row.append(head, make("td", line.texts[i]), make("td", line.texts[j]));
        return row;
      });
    byId("pair-table").querySelector("tbody").replaceChildren(...rows);
    byId("pair-table").hidden = rows.length === 0;
  }

  // ---- choosing a cluster, copying -----------------------------------------------------------------------------------
  function choose(label) {
    state.chosen = state.chosen === label ? null : label;
    document.querySelector(".cards").classList.toggle("has-choice", state.chosen !== null);
    document.querySelectorAll(".card").forEach((card) => {
      const isChosen = +card.dataset.cluster === state.chosen;
      card.classList.toggle("is-chosen", isChosen);
      card.querySelector(".card-button").setAttribute("aria-pressed", String(isChosen));
    });
    byId("show-all").hidden = state.chosen === null;
    drawScatter();
    drawSilhouette();
  }

  async function copy(button) {
    const code = byId(button.dataset.target);
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      const selection = window.getSelection();
      selection.selectAllChildren(code);
      document.execCommand("copy");
      selection.removeAllRanges();
    }
    button.textContent = "Copied";
    byId("copied").textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; byId("copied").textContent = ""; }, 1500);
  }

  function listen() {
    document.querySelectorAll(".card").forEach((card) => card.addEventListener("click", (event) => {
      // Marking text with the mouse is not a click on the card.
      if (event.target.closest("button") || !String(window.getSelection())) choose(+card.dataset.cluster);
    }));
    ["x-feature", "y-feature", "show-areas"].forEach((id) => byId(id).addEventListener("change", drawScatter));
    byId("swap").addEventListener("click", () => {
      const [x, y] = [byId("x-feature"), byId("y-feature")];
      [x.value, y.value] = [y.value, x.value];
      drawScatter();
    });
    byId("show-all").addEventListener("click", () => choose(state.chosen));
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && state.chosen !== null) choose(state.chosen); });
    ["pair-first", "pair-second"].forEach((id) => byId(id) && byId(id).addEventListener("change", drawPair));
    document.querySelectorAll(".copy").forEach((button) => button.addEventListener("click", () => copy(button)));
    const resize = () => document.querySelectorAll(".js-plotly-plot").forEach((chart) => Plotly.Plots.resize(chart));
    window.addEventListener("beforeprint", resize);
    window.addEventListener("afterprint", resize);
  }

  drawScatter();
  drawSilhouette();
  drawPair();
  drawScores();
  listen();
  document.documentElement.dataset.ready = "yes";
})();
