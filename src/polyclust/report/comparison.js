(function () {
  "use strict";
  const { methods } = JSON.parse(document.getElementById("report-data").textContent);
  const font = { family: getComputedStyle(document.body).fontFamily, size: 13, color: "#1b2430" };
  const settings = { displaylogo: false, responsive: true, displayModeBar: false };
  const layout = (x, y, dtick) => ({
    font, paper_bgcolor: "#fff", plot_bgcolor: "#fff", margin: { l: 60, r: 16, t: 12, b: 56 }, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    xaxis: { title: { text: x }, ...(dtick ? { dtick } : {}), gridcolor: "#eef1f4", zeroline: false, automargin: true }, yaxis: { title: { text: y }, gridcolor: "#e6eaee", zeroline: false, automargin: true },
  });
  const line = (m) => ({ color: m.colour, width: m.is_own ? 3 : 1.6, dash: m.is_own ? "solid" : "dot" });
  Plotly.newPlot("scores", methods.map((m) => ({
    type: "scatter", mode: "lines+markers", name: m.name, x: m.points.map((p) => p.n_clusters), y: m.points.map((p) => p.score), line: line(m), marker: { color: m.colour, size: m.is_own ? 9 : 6 },
    hovertemplate: "%{x} clusters: %{y:.4f}",
  })), layout("number of clusters", "silhouette", 1), settings);
  Plotly.newPlot("lengths", methods.map((m) => ({
    type: "scatter", mode: "markers", name: m.name, x: m.points.map((p) => p.clauses), y: m.points.map((p) => p.score), text: m.points.map((p) => `${p.n_clusters} clusters, fidelity ${p.fidelity_text}`),
    marker: { color: m.colour, symbol: m.is_own ? "diamond" : "circle", size: m.points.map((p) => 5 + 9 * Math.max(0, 2 * p.fidelity - 1)), line: { color: "#fff", width: 1 } },
    hovertemplate: "%{text}<br>%{x} clauses, score %{y:.4f}",
  })), layout("clauses in all rules together", "silhouette"), settings);
  document.documentElement.dataset.ready = "yes";
})();
