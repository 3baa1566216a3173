// Look rows and columns up, filter tables, and name what the pointer is on in a picture. Names are put into the page
// as text alone. Everything that is computed comes with the page.
"use strict";

const LISTED = 12; // names that a search lists
const COMPARED = 2; // axes on which the nearest ones are shown
const ALIKE = 0.001; // a difference of distances that is none
const LEAST = 0.01; // share of a component that is told
const NEAR = 0.03; // of the width of a picture, from a pointer to a point
const PLENTY = 8; // rows of a table, from which on it has a filter

const read = (script) => JSON.parse(script.textContent);
const lookups = [...document.querySelectorAll("script.lookup")].map(read);
for (const lookup of lookups) {
  lookup.lower = lookup.names.map((name) => name.toLowerCase());
  lookup.place = new Map(lookup.at.map((number, i) => [number, i]));
}

function element(tag, { text, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

// --- What is told of a row or a column ---

const known = (value) => value !== null && value !== undefined;

function written(measure, value) {
  if (!measure.share) return value.toFixed(2);
  return value > 0 && value < 0.005 ? "<1%" : value < 1 && value >= 0.995 ? ">99%" : `${Math.round(100 * value)}%`;
}

function valueOf(measure, i) {
  if (!known(measure.v[i])) return "";
  const text = written(measure, measure.v[i]);
  if (!measure.lo || !known(measure.lo[i])) return text;
  return `${text} [${written(measure, measure.lo[i])}, ${written(measure, measure.hi[i])}]`;
}

// The measures of one: all positions, or the components that it has, the largest first; coordinates have signs.
function told(lookup, i) {
  if (!lookup.components) return lookup.measures;
  const own = lookup.measures.filter((each) => known(each.v[i]) && (!each.share || each.v[i] >= LEAST));
  return own.sort((one, other) => Math.abs(other.v[i]) - Math.abs(one.v[i]));
}

function rangeOf(measure) {
  if (measure.share) return [0, 1];
  const low = measure.lo || measure.v;
  const high = measure.hi || measure.v;
  const least = (values, start, better) => values.reduce((a, b) => (known(b) && better(b, a) ? b : a), start);
  measure.range = measure.range || [least(low, Infinity, (b, a) => b < a), least(high, -Infinity, (b, a) => b > a)];
  return measure.range;
}

function track(measure, i) {
  const [least, most] = rangeOf(measure);
  const percent = (value) => `${most > least ? (100 * (value - least)) / (most - least) : 50}%`;
  const made = element("span", { className: "track", ariaHidden: "true" });
  if (measure.lo && known(measure.lo[i])) {
    const band = element("i");
    band.style.left = percent(measure.lo[i]);
    band.style.right = `calc(100% - ${percent(measure.hi[i])})`;
    made.append(band);
  }
  const mark = element("b");
  mark.style.left = percent(measure.v[i]);
  made.append(mark);
  return made;
}

function nameButton(lookup, i, note) {
  const button = element("button", { type: "button", className: "name", text: lookup.names[i] });
  if (note) button.append(" ", element("small", { text: note }));
  button.addEventListener("click", () => show(lookup, i));
  return button;
}

const cells = (...contents) => element("tr", {}, ...contents.map((content) => element("td", {}, content)));

function where(lookup, i) {
  const rows = told(lookup, i).filter((measure) => known(measure.v[i]));
  if (!rows.length) return element("p", { text: "less than 1 % in every component" });
  const lines = rows.map((measure) => cells(measure.name, track(measure, i), valueOf(measure, i)));
  return element("table", {}, element("tbody", {}, ...lines));
}

function neighbours(lookup, i) {
  if (!lookup.near[i].length) return [];
  const near = lookup.near[i].filter((j) => j >= 0);
  if (!near.length) return [element("p", { text: `none is near: no other ${lookup.kind} rises and falls with it` })];
  const first = told(lookup, i).slice(0, lookup.components ? 1 : COMPARED);
  const lines = near.map((j, place) => {
    const compared = first.flatMap((measure) => [track(measure, j), valueOf(measure, j)]);
    return cells(nameButton(lookup, j), lookup.distances[i][place].toFixed(3), ...compared);
  });
  const titles = [`nearest ${lookup.kind}s`, lookup.distance, ...first.flatMap(({ name }) => [name, ""])];
  const head = element("tr", {}, ...titles.map((text) => element("th", { text })));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
  const range = Math.abs(lookup.distances[i][near.length - 1] - lookup.distances[i][0]);
  const isFull = near.length === lookup.near[i].length && near.length < lookup.total - 1; // there may be others
  const alike = near.length > 1 && isFull && range < ALIKE;
  return [table, ...(alike ? [element("p", { text: "all of these are as near, and there may be more" })] : [])];
}

function show(lookup, i) {
  const card = document.querySelector(".card");
  const group = lookup.groups && lookup.groups[i] ? `, ${lookup.groups[i]}` : "";
  const title = element("h3", { text: `${lookup.kind} ${lookup.names[i]}${group}` });
  card.replaceChildren(title, where(lookup, i), ...neighbours(lookup, i));
  card.hidden = false;
  document.querySelector(".hits").replaceChildren();
}

// --- Search ---

function matches(words) {
  const found = [];
  for (const lookup of lookups) {
    lookup.lower.forEach((name, i) => {
      const at = name.indexOf(words);
      if (at >= 0) found.push([name === words ? -1 : at, lookup, i]);
    });
  }
  return found.sort((one, other) => one[0] - other[0]);
}

function search(box, hits) {
  const words = box.value.trim().toLowerCase();
  const found = words ? matches(words) : [];
  const items = found
    .slice(0, LISTED)
    .map(([, lookup, i]) => element("li", {}, nameButton(lookup, i, lookups.length > 1 ? lookup.kind : "")));
  if (found.length > LISTED) items.push(element("li", { text: `and ${found.length - LISTED} more` }));
  if (words && !found.length) {
    const all = lookups.every(({ names, total }) => names.length === total);
    const those = all ? "none" : "none of those that can be looked up";
    items.push(element("li", { text: `${those} has such a name` }));
  }
  hits.replaceChildren(...items);
  return found;
}

function startSearch() {
  const panel = document.querySelector(".search");
  if (!panel) return;
  const [box, hits] = [panel.querySelector("input"), panel.querySelector(".hits")];
  box.addEventListener("input", () => search(box, hits));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const found = search(box, hits);
    if (found.length) show(found[0][1], found[0][2]);
  });
  panel.hidden = false;
}

// --- Filters of tables ---

function startFilters() {
  for (const table of document.querySelectorAll("table.sortable")) {
    const count = table.tBodies[0].rows.length;
    if (count < PLENTY) continue;
    const box = element("input", { type: "search", placeholder: "words in a row" });
    const shown = element("span");
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        const text = Array.from(row.cells, (cell) => cell.textContent).join(" ").toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        left += !row.hidden;
      }
      shown.textContent = words.length ? ` ${left} of ${count}` : "";
    });
    table.parentNode.before(element("label", { className: "filter", text: "filter: " }, box, shown));
  }
}

// --- Names in pictures ---

// The panel that a pointer is in or, left of panels, that whose names are there.
function panelsAt(panels, x, y) {
  const within = panels.filter(({ box: [l, t, r, b] }) => x >= l && x <= r && y >= t && y <= b);
  if (within.length) return within;
  const right = panels.filter(({ box: [l, t, , b], ...along }) => !along.x && x < l && y >= t && y <= b);
  return right.sort((one, other) => one.box[0] - other.box[0]).slice(0, 1);
}

// The number of the row or column of V nearest to a pointer, undefined if none is near.
function numberAt(panel, x, y, ratio) {
  const line = panel.x || panel.y;
  const reach = panel.x && panel.y ? NEAR : line.length > 1 ? Math.abs(line[1] - line[0]) : 1;
  let [nearest, least] = [undefined, reach];
  panel.at.forEach((number, i) => {
    const across = panel.x ? panel.x[i] - x : 0;
    const down = panel.y ? (panel.y[i] - y) * (panel.x ? ratio : 1) : 0;
    const distance = Math.hypot(across, down);
    if (distance <= least) [nearest, least] = [number, distance];
  });
  return nearest;
}

function namesAt(image, panels, event) {
  const box = image.getBoundingClientRect();
  const padding = parseFloat(getComputedStyle(image).paddingLeft);
  const [wide, high] = [box.width - 2 * padding, box.height - 2 * padding];
  const [x, y] = [(event.clientX - box.left - padding) / wide, (event.clientY - box.top - padding) / high];
  const found = [];
  for (const panel of panelsAt(panels, x, y)) {
    const number = numberAt(panel, x, y, high / wide);
    const lookup = lookups.find((each) => each.kind === panel.kind) || lookups[0];
    const i = number === undefined || !lookup ? undefined : lookup.place.get(number);
    if (i !== undefined) found.push([panel.kind, lookup, i]);
  }
  return found;
}

function startHover(tip) {
  for (const script of document.querySelectorAll("script.places")) {
    const [figure, panels] = [script.parentNode, read(script)];
    const image = figure.querySelector("img");
    figure.classList.add("named");
    image.addEventListener("pointermove", (event) => {
      const found = namesAt(image, panels, event);
      tip.hidden = !found.length;
      tip.textContent = found
        .map(([kind, lookup, i]) => {
          const first = told(lookup, i)[0];
          return `${kind} ${lookup.names[i]}${first ? `\n${first.name}: ${valueOf(first, i)}` : ""}`;
        })
        .join("\n");
      const right = event.clientX > window.innerWidth / 2;
      tip.style.left = right ? "auto" : `${event.clientX + 14}px`;
      tip.style.right = right ? `${window.innerWidth - event.clientX + 14}px` : "auto";
      tip.style.top = `${event.clientY + 14}px`;
    });
    image.addEventListener("pointerleave", () => (tip.hidden = true));
    image.addEventListener("click", (event) => {
      const [found] = namesAt(image, panels, event);
      if (!found) return;
      show(found[1], found[2]);
      document.querySelector(".card").scrollIntoView({ block: "nearest" });
    });
  }
}

startSearch();
startFilters();
if (lookups.length) {
  const tip = element("div", { className: "tip", hidden: true });
  document.body.append(tip);
  startHover(tip);
}
