// Pictures and rows are on the page already: the script hides, shows and reorders them.
{
  const form = document.getElementById("filters");
  const tiles = document.getElementById("tiles");
  const showing = document.getElementById("showing");

  const rows = document.querySelectorAll("#rows tbody tr");
  const rowOf = new Map([...rows].map((row) => [row.dataset.cell, row]));
  const cells = [...(tiles?.children ?? [])].map((tile) => ({
    tile,
    row: rowOf.get(tile.dataset.cell),
    number: Number(tile.dataset.cell),
    label: tile.dataset.label,
    score: tile.dataset.score === "" ? NaN : Number(tile.dataset.score),
    wrong: "wrong" in tile.dataset,
  }));

  const { from, to, wrong, undone, order } = form?.elements ?? {};

  const scoreAt = (slider) => {
    const { low, high } = slider.closest("fieldset").dataset;
    return Number(low) + (slider.valueAsNumber / 100) * (Number(high) - Number(low));
  };

  // At its end a slider keeps nothing back, infinite and missing scores neither.
  const scoreFilter = () => {
    const low = !from || from.value === from.min ? -Infinity : scoreAt(from);
    const high = !to || to.value === to.max ? Infinity : scoreAt(to);
    return low === -Infinity && high === Infinity ? () => true : (score) => score >= low && score <= high;
  };

  const tellScore = (slider, output) => {
    output.value = scoreAt(slider).toPrecision(3);
    slider.setAttribute("aria-valuetext", output.value);
  };

  const filter = () => {
    const labels = new Set([...form.querySelectorAll("[name=label]:checked")].map((box) => box.value));
    const inRange = scoreFilter();
    let count = 0;
    for (const cell of cells) {
      const looked = "verdict" in cell.tile.dataset;
      const wanted = (!wrong?.checked || cell.wrong) && (!undone?.checked || !looked);
      const keep = wanted && labels.has(cell.label) && inRange(cell.score);
      cell.tile.hidden = cell.row.hidden = !keep;
      count += keep;
    }
    const all = cells.length.toLocaleString("en");
    showing.textContent = `Showing ${count.toLocaleString("en")} of ${all} cells`;
    if (from) {
      tellScore(from, form.elements["from-text"]);
      tellScore(to, form.elements["to-text"]);
    }
  };

  // Cells without a score come last.
  const orders = {
    rising: (a, b) => isNaN(a.score) - isNaN(b.score) || a.score - b.score || a.number - b.number,
    falling: (a, b) => isNaN(a.score) - isNaN(b.score) || b.score - a.score || a.number - b.number,
    number: (a, b) => a.number - b.number,
  };

  const sort = () => {
    for (const { tile } of [...cells].sort(orders[order.value])) tiles.append(tile);
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      // One end of the range pushes the other.
      if (event.target === from && from.valueAsNumber > to.valueAsNumber) to.value = from.value;
      if (event.target === to && to.valueAsNumber < from.valueAsNumber) from.value = to.value;
      if (event.target === order) sort();
      filter();
    });
    for (const button of form.querySelectorAll("[data-check]")) {
      button.addEventListener("click", () => {
        const checked = button.dataset.check === "all";
        for (const box of form.querySelectorAll("[name=label]")) box.checked = checked;
        filter();
      });
    }
    filter();
  }
}
