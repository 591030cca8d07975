"use strict";

// Tables of the class "sortable" get a button in each head. The key of a cell is its data-key or its text. Columns
// of the class "number" are compared by the first number; a cell without one comes last in both directions.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const asText = new Intl.Collator(undefined, { numeric: true }).compare;
  const sort = (column, sign) => {
    const asNumber = heads[column].classList.contains("number");
    const compare = asNumber ? (a, b) => (a > b) - (a < b) : asText;
    const keyed = [...body.rows].map((row) => {
      const text = row.cells[column].dataset.key ?? row.cells[column].textContent;
      const key = asNumber ? Number.parseFloat(text.replaceAll(/[,<>]/g, "")) : text;
      return { row, key, empty: asNumber ? Number.isNaN(key) : text === "" };
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

const byId = (name) => document.getElementById(name);
const rowOf = new Map([...document.querySelectorAll("#table-of-cells tbody tr")].map((row) => [row.cells[0].textContent, row]));

// Pictures and rows are on the page already: the script hides, shows and reorders them.
{
  const [form, tiles] = [byId("filters"), byId("tiles")];
  const cells = [...(tiles?.children ?? [])].map((tile) => ({
    tile,
    row: rowOf.get(tile.dataset.cell),
    number: Number(tile.dataset.cell),
    label: tile.dataset.label,
    score: Number(tile.dataset.score),
    wrong: "wrong" in tile.dataset,
  }));

  for (const { row, wrong } of cells) row.classList.toggle("mistake", wrong);
  const { from, to, wrong, undone, order } = form?.elements ?? {};

  // Returns the score at a slider, and shows it.
  const scoreAt = (slider) => {
    const { low, high } = slider.closest("fieldset").dataset;
    const score = Number(low) + (slider.valueAsNumber / 100) * (Number(high) - Number(low));
    form.elements[`${slider.name}-text`].value = score.toPrecision(3);
    slider.setAttribute("aria-valuetext", score.toPrecision(3));
    return score;
  };

  const filter = () => {
    const labels = new Set([...form.querySelectorAll("[name=label]:checked")].map((box) => box.value));
    const [low, high] = [scoreAt(from), scoreAt(to)];
    // At its end, a slider hides nothing, in spite of rounding.
    const inRange = (score) => (from.value === from.min || score >= low) && (to.value === to.max || score <= high);
    let count = 0;
    for (const cell of cells) {
      const looked = "verdict" in cell.tile.dataset;
      const wanted = (!wrong?.checked || cell.wrong) && (!undone?.checked || !looked);
      const keep = wanted && labels.has(cell.label) && inRange(cell.score);
      cell.tile.hidden = cell.row.hidden = !keep;
      count += keep;
    }
    const all = cells.length.toLocaleString("en");
    byId("showing").textContent = `Showing ${count.toLocaleString("en")} of ${all} cells`;
  };

  const sort = () => {
    // At first the cells are in the order of doubt.
    const byScore = (a, b) => b.score - a.score || a.number - b.number;
    const compare = { doubt: () => 0, falling: byScore, number: (a, b) => a.number - b.number }[order.value];
    tiles.append(...[...cells].sort(compare).map(({ tile }) => tile));
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

// People correct the labels of cells, by the menu or by keys. The count follows, and each step is saved.
{
  const [editing, tiles, menu] = [byId("editing"), byId("tiles"), byId("menu")];
  const { choices, more, palette } = JSON.parse(editing?.dataset.labels ?? '{"choices": []}');
  const undecided = choices.at(-1); // the last one, after all classes
  const figures = editing ? [...tiles.children] : [];
  const figureOf = new Map(figures.map((figure) => [figure.dataset.cell, figure]));
  const foundLabels = new Map(figures.map((figure) => [figure, choices[figure.dataset.label]]));
  // The label of each button of the menu; null is no cell.
  const labelOf = new Map([...(menu?.children ?? [])].map((item, k) => [item, choices[k] ?? null]));
  // The rows of the count: the choices and, at last, all.
  const rowsOfCount = document.querySelector("table.counts")?.tBodies[0].rows ?? [];
  const rowOfLabel = new Map([...rowsOfCount].map((row, k) => [choices[k], row]));

  // The label of each reviewed cell, by its number; null if it is not a cell.
  const verdicts = new Map();
  const past = []; // what was changed, to be undone

  const crop = (figure) => figure.querySelector(".crop");
  const foundLabel = (figure) => foundLabels.get(figure);
  const labelNow = (number, figure) => (verdicts.has(number) ? verdicts.get(number) : foundLabel(figure));
  const itemOf = (label) => [...labelOf].find(([, other]) => other === label)[0];
  const nameOf = (label) => itemOf(label).querySelector(".name").cloneNode(true);

  const verdictOn = (number, figure) => {
    if (!verdicts.has(number)) return null;
    if (verdicts.get(number) === null) return "rejected";
    return verdicts.get(number) === foundLabel(figure) ? "right" : "changed";
  };

  const show = (number) => {
    const figure = figureOf.get(number);
    const verdict = verdictOn(number, figure);
    const found = foundLabel(figure);
    const label = labelNow(number, figure);
    if (verdict) figure.dataset.verdict = verdict;
    else delete figure.dataset.verdict;
    figure.querySelector(".label").replaceChildren(nameOf(label));
    if (verdict && verdict !== "right") {
      const before = document.createElement("s");
      before.className = "before";
      before.append(found);
      figure.querySelector(".label").append(before);
    }
    const said = verdict === "right" ? `${found}, right` : verdict ? `${label ?? "not a cell"}, was ${found}` : found;
    crop(figure).setAttribute("aria-label", `Cell ${number}: ${said}`);
    rowOf.get(number).cells[2].replaceChildren(label ?? "not a cell");
  };

  // Wilson's bound of a share, in percent.
  const bound = (part, n, sign) => {
    const [share, z] = [part / n, 1.959964];
    const middle = share + (z * z) / (2 * n);
    const half = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
    return (100 * Math.min(1, Math.max(0, (middle + sign * half) / (1 + (z * z) / n)))).toFixed(1);
  };

  // A class that the model lacks gets a place in the menu, a key and a row of the count, like the others.
  // The same name has the same colour on other pages.
  const addClass = (label) => {
    let code = -1; // CRC-32
    for (const byte of new TextEncoder().encode(label.toUpperCase())) {
      code ^= byte;
      for (let bit = 0; bit < 8; bit += 1) code = (code >>> 1) ^ (code & 1 ? 0xedb88320 : 0);
    }
    const color = palette[(~code >>> 0) % palette.length];
    const key = choices.length < 10 ? choices.length : "";
    const copied = (element, before) => {
      const copy = element.cloneNode(true);
      copy.querySelector("bdi").textContent = label;
      copy.querySelector("rect").setAttribute("fill", color);
      for (const kbd of copy.querySelectorAll("kbd")) kbd.textContent = key;
      before.before(copy);
      return copy;
    };
    choices.splice(-1, 0, label);
    labelOf.set(copied(itemOf(undecided), itemOf(undecided)), label);
    if (key) copied(byId("key-0"), byId("new-class")).id = "";
    const row = copied(rowOfLabel.get(undecided), rowOfLabel.get(undecided));
    for (const cell of row.querySelectorAll("td.number")) cell.textContent = "";
    rowOfLabel.set(label, row);
    atFirst.set(label, 0);
    count();
  };

  // The differential: the cells that were found, after their labels were corrected.
  const cellsIn = (row) => Number(row.querySelector("td.number").textContent.replaceAll(",", ""));
  const atFirst = new Map([...rowOfLabel].map(([label, row]) => [label, cellsIn(row)]));
  const count = () => {
    const n = new Map(atFirst);
    const add = (label, k) => n.set(label, n.get(label) + k);
    for (const [number, label] of verdicts) {
      add(foundLabel(figureOf.get(number)), -1);
      if (label === null) add(undefined, -1);
      else add(label, 1);
    }
    const total = n.get(undefined);
    const most = Math.max(1, ...choices.map((label) => n.get(label)));
    for (const [label, row] of rowOfLabel) {
      const [cells, share, range] = row.querySelectorAll("td.number");
      const k = n.get(label);
      cells.textContent = k.toLocaleString("en");
      if (share) share.textContent = ((100 * k) / Math.max(total, 1)).toFixed(1);
      if (label === undefined) continue;
      row.querySelector(".bar rect").setAttribute("width", `${((100 * k) / most).toFixed(2)}%`);
      if (!range) continue;  // percentages would mislead
      // The undecided cells may be of any class.
      const possible = label === undecided ? k : k + n.get(undecided);
      range.textContent = total ? `${bound(k, total, -1)}-${bound(possible, total, 1)}` : "";
    }
  };

  const tell = () => {
    const kinds = { right: 0, changed: 0, rejected: 0 };
    for (const number of verdicts.keys()) kinds[verdictOn(number, figureOf.get(number))] += 1;
    const parts = Object.entries(kinds).filter(([, n]) => n).map(([kind, n]) => `${n} ${kind}`);
    const looked = `${verdicts.size} of ${figures.length} cells looked at`;
    byId("progress").textContent = [looked, parts.join(", ")].filter(Boolean).join(": ");
    byId("undo").disabled = !past.length;
    byId("forget").disabled = !verdicts.size;
    editing.querySelector(".next").hidden = !verdicts.size;
  };

  const complain = (problem) => {
    byId("trouble").hidden = false;
    byId("trouble").textContent = problem;
  };

  // What the program has saved, and its version.
  let [kept, version] = [new Map(), '"0"'];
  const read = async () => {
    const answer = await fetch("verdicts");
    kept = new Map(Object.entries(await answer.json()).filter(([number]) => figureOf.has(number)));
    for (const label of kept.values()) if (label !== null && !choices.includes(label)) addClass(label);
    version = answer.headers.get("ETag");
  };

  // Shows the saved labels, with those given here since this page last read or saved labels.
  const merge = async () => {
    const before = kept;
    await read();
    for (const number of figureOf.keys()) {
      if (verdicts.get(number) !== before.get(number)) continue;
      if (kept.has(number)) verdicts.set(number, kept.get(number));
      else verdicts.delete(number);
    }
    refresh([...figureOf.keys()]);
  };

  const first = editing ? merge().catch(() => {}) : null;
  let saving = null;
  let again = false;
  let told = false;
  const send = async () => {
    await first;
    const sent = new Map(verdicts);
    const content = JSON.stringify(Object.fromEntries(sent));
    const answer = await fetch("verdicts", { method: "PUT", body: content, headers: { "If-Match": version } });
    if (answer.status === 409) {
      await merge();
      complain("This page is also open in another tab. Its labels are shown here now, and your last ones are kept. Close one tab.");
      again = told = true;
    } else if (answer.ok) {
      [kept, version] = [sent, answer.headers.get("ETag")];
      byId("trouble").hidden = !told;
      told = false;
    } else complain(await answer.text());
  };
  const save = () => {
    again = saving !== null;
    saving ??= send()
      .catch(() => complain("The program that serves this page has ended. Start fastsvm-cells review again; earlier steps are saved."))
      .finally(() => {
        saving = null;
        if (again) save();
      });
  };

  const refresh = (numbers) => {
    numbers.forEach(show);
    count();
    tell();
  };

  const put = (number, label) => {
    if (label === undefined) verdicts.delete(number);
    else verdicts.set(number, label);
    refresh([number]);
    save();
  };

  const judge = (figure, label) => {
    const number = figure.dataset.cell;
    past.push([number, verdicts.get(number)]);
    put(number, label);
  };

  const undo = () => {
    if (!past.length) return;
    const [number, before] = past.pop();
    put(number, before);
    goTo(figureOf.get(number));
  };

  // Moving about: Tab reaches one picture, and arrow keys reach the others.
  const seen = () => [...tiles.children].filter((figure) => !figure.hidden);
  const setCurrent = (figure) => {
    for (const button of tiles.querySelectorAll('.crop[tabindex="0"]')) button.tabIndex = -1;
    if (figure) crop(figure).tabIndex = 0;
  };
  const goTo = (figure) => {
    setCurrent(figure);
    crop(figure).focus();
    figure.scrollIntoView({ block: "nearest" });
  };
  // The picture that Tab reaches, or the first one, that was not reviewed.
  const nextOne = () => {
    const all = seen();
    const current = all.find((figure) => crop(figure).tabIndex === 0);
    return [current, ...all].find((figure) => figure && !("verdict" in figure.dataset)) ?? all[0];
  };
  const moved = (figure, key) => {
    const all = seen();
    const at = all.indexOf(figure);
    const columns = Math.max(1, all.findIndex((other) => other.offsetTop > all[0].offsetTop));
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
    if (step) return all[at + step];
    return key === "Home" ? all[0] : key === "End" ? all.at(-1) : undefined;
  };

  const chosenBy = (key) => {
    if (key === "x") return null;
    if (key === "0") return choices.at(-1);
    const place = /^[1-9]$/.test(key) ? Number(key) - 1 : choices.length;
    return place < choices.length - 1 ? choices[place] : undefined;
  };

  // Keys outside the pictures concern a cell that was not reviewed. Elsewhere on the page, some of these keys
  // have another meaning.
  const onKey = (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select")) return;
    if (asked) return inMenu(event);
    const own = target.closest("#tiles figure");
    const figure = own ?? nextOne();
    if (!figure || (!own && target !== document.body && !/^[0-9a-z]$/.test(key))) return;
    const label = chosenBy(key);
    if (key === "u") undo();
    else if (key === "n") byId("new-class").elements.name.focus();
    else if (label !== undefined || key === " ") {
      judge(figure, label === undefined ? foundLabel(figure) : label);
      goTo(moved(figure, "ArrowRight") ?? figure);
    } else if (/^Arrow/.test(key) || (own && /^Home$|^End$/.test(key))) goTo((own && moved(own, key)) ?? figure);
    else return;
    event.preventDefault();
  };

  // The menu
  let asked = null;
  const zoom = new Image();
  const close = (back) => {
    if (!asked) return;
    const figure = asked;
    asked = null;
    menu.hidden = true;
    crop(figure).removeAttribute("aria-expanded");
    if (back) crop(figure).focus({ preventScroll: true });
  };
  const open = (figure) => {
    close(false);
    asked = figure;
    setCurrent(figure);
    crop(figure).setAttribute("aria-expanded", "true");
    const picture = figure.querySelector("img");
    zoom.src = picture.src;
    menu.prepend(zoom);
    const now = itemOf(labelNow(figure.dataset.cell, figure));
    for (const item of labelOf.keys()) item.setAttribute("aria-checked", String(item === now));
    menu.hidden = false;
    const place = crop(figure).getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const left = Math.max(8, Math.min(place.left, clientWidth - menu.offsetWidth - 8));
    const top = Math.max(8, Math.min(place.bottom + 4, clientHeight - menu.offsetHeight - 8));
    menu.style.left = `${left + scrollX}px`;
    menu.style.top = `${top + scrollY}px`;
    now.focus({ preventScroll: true });
  };
  const choose = (label) => {
    judge(asked, label);
    close(true);
  };
  const inMenu = (event) => {
    const items = [...menu.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const label = chosenBy(event.key);
    if (step) items.at((at + step) % items.length).focus();
    else if (label !== undefined) choose(label);
    else if (event.key === "Escape" || event.key === "Tab") close(true);
    else return;
    event.preventDefault();
  };

  if (editing) {
    editing.hidden = false;
    more.forEach(addClass);
    tell();
    setCurrent(seen()[0]);
    tiles.addEventListener("click", (event) => {
      const figure = event.target.closest(".crop")?.closest("figure");
      if (figure) open(figure);
    });
    addEventListener("keydown", onKey);
    tiles.addEventListener("focusin", (event) => setCurrent(event.target.closest("figure")));
    menu.addEventListener("click", (event) => {
      const label = labelOf.get(event.target.closest("button"));
      if (label !== undefined) choose(label);
    });
    byId("new-class").addEventListener("submit", (event) => {
      event.preventDefault();
      const { name } = event.target.elements;
      const isSame = (label) => label.toLowerCase() === name.value.trim().toLowerCase();
      if (name.value.trim() && !choices.some(isSame)) addClass(name.value.trim());
      name.value = "";
      goTo(nextOne());
    });
    byId("new-class").addEventListener("keydown", (event) => {
      if (event.key === "Escape") goTo(nextOne());
    });
    addEventListener("pointerdown", (event) => {
      if (asked && !menu.contains(event.target)) close(false);
    });
    byId("filters")?.addEventListener("input", () => {
      const current = tiles.querySelector('.crop[tabindex="0"]');
      if (!current || current.closest("figure").hidden) setCurrent(seen()[0]);
    });
    byId("undo").addEventListener("click", undo);
    byId("copy").addEventListener("click", async () => {
      await navigator.clipboard.writeText(editing.querySelector(".next code").textContent);
      byId("copy").textContent = "Copied";
    });
    byId("forget").addEventListener("click", () => {
      if (!confirm(`Forget your labels of ${verdicts.size} cells?`)) return;
      const numbers = [...verdicts.keys()];
      verdicts.clear();
      past.length = 0;
      refresh(numbers);
      save();
    });
  }
}
