// Sphinx takes the best word of a page for its score, and sorts equals by title. Here each word of the query that is
// in the title counts, and pages with a task come before those that list everything.
var Scorer = {
  score: ([page, title, , , score]) => {
    const words = new URLSearchParams(location.search).get("q").toLowerCase().match(/\w{3,}/g) ?? [];
    const inTitle = words.filter((word) => title.toLowerCase().includes(word)).length;
    return score + 10 * inTitle + 5 * page.startsWith("start/") + 4 * page.startsWith("guide/") + 6 * /^(faq|install)$/.test(page);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
