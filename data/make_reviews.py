"""Make reviews.txt, and reviews_test.txt to test on: invented product reviews, from phrases and a seed.

A reviewer gives one to five stars, never three, and then speaks of one thing after another. Whoever gives
five or one praises or blames nearly all of them; whoever gives four or two does not. An adjective of praise
is found on either side: it is denied, expected and missed, said of another product or by another person.
Some reviewers mistype.

    python data/make_reviews.py            write both beside this script
    python data/make_reviews.py --check    only compare them with what would be written
"""

import argparse
import random
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
# The reviews of each file; all differ, and go on with the random numbers of the file before.
N_REVIEWS = {"reviews.txt": 2000, "reviews_test.txt": 400}
SEED = 6

STARS = {5: 0.35, 4: 0.17, 2: 0.17, 1: 0.31}  # how frequent they are
AGREES = {5: 0.95, 4: 0.78, 2: 0.78, 1: 0.95}  # how likely one thing gets what all of them together get
KINDS = {"clause": 0.6, "frame": 0.28, "contrast": 0.12}  # of sentences that praise or blame
BETWEEN = {"plain": 0.3, "elsewhere": 0.09, "": 0.61}  # of those that come before them
MORE = 0.72  # how likely another sentence follows
WRONG_LABEL = 0.02
TYPISTS, TYPOS = 0.3, 0.03  # share of the reviewers who mistype; of their words
STOPS = {".": 0.9, "!": 0.05, ", and": 0.05}
HASTY_STOPS = {".": 0.5, "!": 0.12, ", and": 0.13, ",": 0.09, "...": 0.06, "": 0.1}


class Reviewer:
    """Invents one review after another.

    Only `random()` of the generator is used: it alone is promised to give the same numbers for a seed in
    every version of Python.
    """

    def __init__(self, phrases, seed):
        self.random = random.Random(seed).random
        self.phrases = phrases

    def chance(self, probability):
        """Say yes with the given probability."""
        return self.random() < probability

    def pick(self, options):
        """Choose one option evenly."""
        return options[int(self.random() * len(options))]

    def weighed(self, shares):
        """Choose a key of a dict by its share."""
        place = self.random() * sum(shares.values())
        *others, last = shares
        for key in others:
            place -= shares[key]
            if place < 0:
                return key
        return last

    def pick_new(self, name):
        """Choose a phrase, the first ones more often, and one not yet used in this review if possible."""
        options = self.grammar[name]
        new = [option for option in options if option not in self.used] or options
        option = new[int(self.random() * self.random() * len(new))]  # about as words are in any language
        self.used.add(option)
        return option

    def write(self, text, names=None):
        """Replace every name in braces: by what `names` gives it, or by one of its phrases."""

        def phrase(match):
            name = match[1]
            return names[name]() if names and name in names else self.write(self.pick_new(name), names)

        return re.sub(r"\{(\w+)\}", phrase, text)

    def clause(self, good, about_it=False):
        """Invent a clause of praise or blame; `about_it` leaves out what only the reviewer could say."""
        if self.chance(0.25):
            return self.frame(good)
        name = ("good" if good else "bad") + self.pick(("", "_of_all"))
        clause = self.pick_new(name)
        while about_it and not clause.startswith(("it ", "the ")):
            clause = self.pick(self.grammar[name])
        return self.write(clause)

    def frame(self, good):
        """Invent a clause around an adjective, which is one of praise or of blame in either."""
        return self.write(self.pick_new("frames"), self.sides(good))

    def sides(self, good):
        """Return what stands for the names of adjectives and clauses on the side taken, and on the other."""
        own, other = ("nice", "nasty") if good else ("nasty", "nice")
        return {
            "own": lambda: self.adjective(own),
            "other": lambda: self.adjective(other),
            "any": lambda: self.adjective(self.pick((own, other))),
            "own_clause": lambda: self.clause(good),
            "other_clause": lambda: self.clause(not good),
            "own_it": lambda: self.clause(good, about_it=True),
            "other_it": lambda: self.clause(not good, about_it=True),
        }

    def adjective(self, side):
        """Choose an adjective, one in three of them the domain's own."""
        return self.pick_new(side if self.chance(0.33) else f"{side}_of_all")

    def sentence(self, good):
        """Invent a sentence that praises or blames."""
        kind = self.weighed(KINDS)
        if kind == "contrast":
            return self.write(self.pick_new("contrasts"), self.sides(good))
        if not good and self.chance(0.04):
            return self.write("{irony}")
        return self.frame(good) if kind == "frame" else self.clause(good)

    def opinions(self, stars):
        """Say one thing after another: first what speaks for one side, then what speaks for the other."""
        own = stars > 3
        sides = [self.chance(AGREES[stars]) == own]
        while self.chance(MORE):
            sides.append(self.chance(AGREES[stars]) == own)
        sides.sort(reverse=self.chance(0.35) == own)
        sentences = []
        for i, good in enumerate(sides):
            between = self.weighed(BETWEEN)
            if between:
                sentences.append(self.write(self.pick_new(between), self.sides(good)))
            turn = i > 0 and good != sides[i - 1] and self.chance(0.6)
            sentences.append((self.pick_new("turn") + " " if turn else "") + self.sentence(good))
        return sentences

    def review(self):
        """Invent a review: its domain, its label and its text."""
        domain = self.pick([name for name in self.phrases if name != "everywhere"])
        stars = self.weighed(STARS)
        self.begin(domain)
        start = [self.write("{start}")] if self.chance(0.65) else []
        sentences = [*start, *self.opinions(stars), *self.end(stars)]
        text = tokens(self.mistype(" ".join(map(self.stopped, sentences))))
        label = (stars > 3) != self.chance(WRONG_LABEL)
        return domain, "pos" if label else "neg", re.sub(r"(?<![.?!])( , and| ,|)$", " .", text, count=1)

    def stopped(self, sentence):
        """End a sentence; the hasty ones run on."""
        sentence = sentence.removesuffix(" .")
        return sentence if sentence.endswith(("?", "!")) else f"{sentence} {self.weighed(self.stops)}"

    def begin(self, domain):
        """Take up one product and one temper."""
        own = self.phrases[domain]
        item = self.pick(own["item"])
        self.grammar = {**self.phrases["everywhere"], "thing": own["item"], "part2": own["part"], **own}
        self.grammar["item"] = [item]
        self.used = {item}
        self.stops = HASTY_STOPS if self.chance(0.25) else STOPS

    def end(self, stars):
        """Say what it comes to, if anything."""
        if self.chance(0.36):
            return []
        plain = self.chance(0.5 if stars in (2, 4) else 0.08)
        return [self.write("{end_plain}" if plain else "{end_good}" if stars > 3 else "{end_bad}")]

    def mistype(self, text):
        """Swap, drop or double a letter here and there, if this reviewer does that."""
        if not self.chance(TYPISTS):
            return text
        words = text.split(" ")
        for i, word in enumerate(words):
            if len(word) > 3 and word.isalpha() and self.chance(TYPOS):
                at = 1 + int(self.random() * (len(word) - 2))
                a, b = word[at], word[at + 1]
                words[i] = word[:at] + self.pick([b + a, a, b, a + a + b]) + word[at + 2 :]
        return " ".join(words)


def tokens(text):
    """Put spaces as the Penn treebank does, and choose between a and an."""
    text = re.sub(r"\ba a\b", "a", text)
    text = re.sub(r"\ba (?=[aeiou])", "an ", text)
    text = re.sub(r"n't\b", " n't", text)
    text = re.sub(r"(?<=\w)'s\b", " 's", text)
    return " ".join(text.split())


def read_phrases():
    """Return the phrases of every list of every domain."""
    sections = tomllib.loads((HERE / "review_phrases.toml").read_text(encoding="utf-8"))
    return {
        domain: {name: text.strip().splitlines() for name, text in lists.items()}
        for domain, lists in sections.items()
    }


def corpora():
    """Yield the name and the content of each file: one review a line."""
    reviewer = Reviewer(read_phrases(), SEED)
    reviews, first = {}, 0
    for name, n in N_REVIEWS.items():
        while len(reviews) < first + n:
            domain, label, text = reviewer.review()
            reviews.setdefault(text, (domain, label, f"{len(reviews):04}.txt"))
        lines = [f"{' '.join(head)} {text}\n" for text, head in reviews.items()]
        yield name, "".join(lines[first:]).encode()
        first += n


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    check = parser.parse_args().check
    for name, content in corpora():
        if not check:
            (HERE / name).write_bytes(content)
        elif (HERE / name).read_bytes() != content:
            sys.exit(f"{HERE / name} is not what {Path(__file__).name} makes; run it without --check")


if __name__ == "__main__":
    main()
