// Sorts a table by the column whose button is pressed, and opens the part that a link leads to. Nothing is fetched.
document.querySelectorAll("th button").forEach((button) => button.addEventListener("click", () => {
  const head = button.closest("th"), body = head.closest("table").tBodies[0], column = head.cellIndex;
  const falls = head.getAttribute("aria-sort") === "ascending" || (!head.hasAttribute("aria-sort") && head.dataset.first === "falls");
  const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const number = (text) => (text === "" ? NaN : Number(text));
  const rows = Array.from(body.rows).sort((one, other) => {
    const [a, b] = [value(one), value(other)], [x, y] = [number(a), number(b)];
    if (head.dataset.first !== "falls") return (falls ? -1 : 1) * a.localeCompare(b);
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return falls ? y - x : x - y;
  });
  head.parentElement.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", falls ? "descending" : "ascending");
  body.append(...rows);
}));
document.querySelectorAll("[data-filter]").forEach((field) => {
  const rows = [...document.getElementById(field.dataset.filter).tBodies[0].rows];
  const said = document.querySelector(`[data-count="${field.dataset.filter}"]`);
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    rows.forEach((row) => { row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted); });
    said.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });
});
document.querySelector("[data-csv]")?.addEventListener("click", () => {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const tables = [...document.querySelectorAll("details[id^=m] table")];
  const heads = tables.length ? [...tables[0].tHead.rows[0].cells].map((head) => head.textContent.trim()) : [];
  const lines = [["Method", ...heads].map(quoted).join(",")];
  tables.forEach((table) => {
    const method = table.closest("details").dataset.method;
    [...table.tBodies[0].rows].forEach((row) =>
      lines.push([method, ...[...row.cells].map((cell) => cell.textContent)].map(quoted).join(",")));
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  link.download = "leaks.csv";
  link.click();
  URL.revokeObjectURL(link.href);
});
const open = () => {
  const there = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!there) return;
  for (let part = there.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  there.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", open);
open();
