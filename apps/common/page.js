"use strict";

// Tables of the class "sortable" get a button in each head. The key of a cell is its data-key or its text; an
// empty one comes last in both directions, and columns of the class "number" are compared as numbers.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const asText = new Intl.Collator(undefined, { numeric: true }).compare;
  const sort = (column, sign) => {
    const asNumber = heads[column].classList.contains("number");
    const compare = asNumber ? (a, b) => (a > b) - (a < b) : asText;
    const keyed = [...body.rows].map((row) => {
      const text = row.cells[column].dataset.key ?? row.cells[column].textContent;
      return { row, key: asNumber ? Number(text) : text, empty: text === "" };
    });
    keyed.sort((a, b) => a.empty - b.empty || sign * compare(a.key, b.key));
    for (const { row } of keyed) body.append(row);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      sort(column, order === "ascending" ? 1 : -1);
    });
  });
}
