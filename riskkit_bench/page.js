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
const open = () => {
  const there = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!there) return;
  for (let part = there.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  there.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", open);
open();
