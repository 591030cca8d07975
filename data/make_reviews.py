"""Make reviews.txt: invented product reviews, from a small grammar and a seed.

A review is a few sentences for its label, some that tell nothing, and often one that speaks against it;
some are lukewarm, some are sarcastic, and a few carry the wrong label. Word counts tell the label of about
nine reviews in ten, as with real ones.

    python data/make_reviews.py            write reviews.txt beside this script
    python data/make_reviews.py --check    only compare it with what would be written
"""

import argparse
import random
import re
import sys
from pathlib import Path

TARGET = Path(__file__).with_name("reviews.txt")
N_REVIEWS = 2000

# Sentences for every domain. A name in braces is replaced by one of its alternatives, and so on; those
# that come first are the most frequent.
COMMON = {
    "start": """
        i bought this {item} for {someone} . | we have had this {item} for {while} now . |
        this {item} replaced {old} . | i ordered the {item} {when} . | this is my {nth} {item} . |
        i needed a {item} {purpose} . | the {item} arrived {when} . |
        after {while} of use , here is what i think of this {item} . |
        my {person} picked out this {item} . | i do not usually write reviews , but here we go . |
        i read a lot of reviews before choosing this {item} . | a {item} is a {item} , you might think .
    """,
    "someone": """
        my {person} | myself | the house | our flat | a friend | my {person} 's birthday | the holidays
    """,
    "person": "husband | wife | mother | son | daughter | father | sister | brother | neighbour | aunt",
    "while": """
        two weeks | a month | three months | half a year | a few days | almost a year | a whole summer
    """,
    "old": """
        my old one | the older model | the one i grew up with | the one my parents had |
        the cheaper one next to it
    """,
    "when": """
        last week | in march | on a monday | a month ago | just before the weekend | in the spring |
        two days after i ordered it
    """,
    "nth": "second | third | first | fourth",
    "purpose": "for the weekend | for a small space | for daily use | for guests | in a hurry | for work",
    # What a satisfied customer says.
    "good": """
        it is {very} {nice} . | it is {nice} and {nice} . | {praise} . | {praise} . |
        {praise} , and {praise} . | the {part} is {nice} . |
        the {part} feels {nice} and the {part} is {nice} . | i {love} it . | i {love} the {part} . |
        my {person} {loves} it . | what a {nice} {item} . | it works {well} . |
        so far it has been {nice} . | i have not had a single problem with it . |
        there is nothing i would change . | the {part} is not {nasty} at all . |
        i thought it would be {nasty} , and it is not . | unlike {old} , it is {nice} . |
        it does {everything} . | {service_good} .
    """,
    "nice": """
        great | excellent | well made | good | perfect | lovely | reliable | wonderful | beautiful |
        clever | superb | nice | fantastic | charming | delightful | brilliant | splendid | outstanding
    """,
    "very": "really | so | absolutely | simply | just | truly | surprisingly | quite",
    "love": "love | like | enjoy | adore | recommend | admire | praise | treasure",
    "loves": "loves | adores | enjoys | swears by | is delighted with | is fond of",
    "well": """
        well | perfectly | beautifully | like a charm | every time | flawlessly | better than i expected
    """,
    "everything": """
        exactly what it should | everything i need | more than it promises | its job quietly and well
    """,
    "service_good": """
        it arrived early and carefully packed | the seller answered within an hour |
        it was worth every penny | the price is more than fair | the instructions are clear |
        it was ready in five minutes
    """,
    # What a customer says who is not.
    "bad": """
        it is {very} {nasty} . | it is {nasty} and {nasty} . | {blame} . | {blame} . |
        {blame} , and {blame} . | the {part} is {nasty} . |
        the {part} feels {nasty} and the {part} is {nasty} . | i {hate} it . | i {dislike} the {part} . |
        my {person} {hates} it . | what a {nasty} {item} . | it {fails} . | so far it has been {nasty} . |
        i have had one problem after another with it . | there is nothing i would keep . |
        the {part} is not {nice} at all . | i thought it would be {nice} , and it is not . |
        unlike {old} , it is {nasty} . | it does {nothing} . | {service_bad} .
    """,
    "nasty": """
        disappointing | poor | bad | useless | awful | terrible | badly made | annoying | ugly | dreadful |
        mediocre | horrible | pointless | careless | hopeless | dismal | unpleasant | overrated
    """,
    "hate": "regret | dislike | returned | hate | can't stand | gave up on | complained about | sent back",
    "dislike": "dislike | hate | don't like | can't stand | don't trust | was disappointed by",
    "hates": "hates | refuses to touch | returned | dislikes | is disappointed with | complains about",
    "fails": """
        broke after {while} | stopped working after {while} | fell apart in my hands |
        never worked properly | failed on the first day | works only when it feels like it
    """,
    "nothing": "nothing it promises | half of what it should | less than the one it replaced | nothing well",
    "service_bad": """
        it arrived late and the box was crushed | the seller never answered | it was a waste of money |
        it is far too expensive for what it is | the instructions make no sense | two screws were missing
    """,
    # What tells nothing.
    "plain": """
        {fact} . | {fact} . | {fact} . | it comes in {colour} and {colour} . | mine is {colour} . |
        i use it {often} . | my {person} has the same one in {colour} . |
        they also sell one with another {part} . | it took a while to arrive . |
        the picture shows it in {colour} , mine came in {colour} . | i paid the usual price .
    """,
    "colour": "black | white | green | dark blue | grey | red | yellow | a sandy brown",
    "often": "every day | twice a week | on sundays | now and then | most mornings | when friends come over",
    # What others think, which says little about the reviewer.
    "hearsay": """
        my {person} {loves} the same one . | my {person} {hates} the same one . |
        everybody else says it is {nice} . | some reviews here call it {nasty} . | {old} was {nice} . |
        {old} was {nasty} . | i know people who {love} this brand . |
        i know people who {hate} this brand .
    """,
    # What weighs little against the verdict.
    "minor_good": """
        the {part} is {nice} , i admit . | to be fair , {praise} . | now and then {praise} . |
        at first i thought it was {nice} . | it looks {nice} in the picture . |
        {praise} , so much is true .
    """,
    "minor_bad": """
        the {part} is {nasty} , i admit . | to be fair , {blame} . | now and then {blame} . |
        at first i thought it was {nasty} . | it looks {nasty} in the picture . |
        {blame} , so much is true .
    """,
    # Both at once, the verdict last.
    "although_good": """
        {blame} , but {praise} . | although {blame} , {praise} . |
        the {part} is {nasty} , but the rest is {nice} . |
        i wanted to say it is {nasty} , but it turned out {nice} . | what surprised me is that {blame} . |
        it may look {nasty} , yet i {love} it .
    """,
    "although_bad": """
        {praise} , but {blame} . | although {praise} , {blame} . |
        the {part} is {nice} , but the rest is {nasty} . |
        i wanted to say it is {nice} , but it turned out {nasty} . | what surprised me is that {praise} . |
        it may look {nice} , yet i {hate} it .
    """,
    "sarcasm": """
        {nice} , if you like {nasty} things . | what a {nice} way to lose an afternoon . |
        a {nice} {item} , for the bin . | {praise} , they said . i laughed . |
        i would {love} to meet whoever called this {nice} . | perfect for somebody i do not like .
    """,
    "end_good": """
        i would buy it again . | highly recommended . | five stars . | i can only recommend it . |
        thank you ! | a happy customer . | i have already ordered a second one . |
        you will not regret it . | all in all , a {nice} {item} .
    """,
    "end_bad": """
        i would not buy it again . | not recommended . | one star . | i can't recommend it . |
        i want my money back . | save your money . | mine went back to the shop . | you will regret it . |
        all in all , a {nasty} {item} .
    """,
    "end_plain": "that is all . | make of that what you will . | we will see . | your mileage may vary .",
}

# For each domain: what is sold, what it is made of, what is said for it and against it, and plain facts.
DOMAINS = {
    "kitchen": {
        "item": """
            kettle | saucepan | toaster | bread knife | frying pan | blender | teapot | mixing bowl |
            coffee grinder | wok
        """,
        "part": "handle | lid | base | rim | switch | finish | cable",
        "praise": """
            it cleans up with a quick rinse | it heats evenly | nothing sticks to it |
            it is quiet enough for early mornings | breakfast is ready in no time |
            it still looks new after a hundred dinners | it pours without a drop on the table
        """,
        "blame": """
            it drips all over the counter | everything sticks to it | the coating peels off |
            it smells of burnt plastic | it rusts after one wash | it gets too hot to touch |
            it wakes up the whole house
        """,
        "nice": "sturdy | handy | easy to clean | quiet | solid",
        "nasty": "flimsy | wobbly | noisy | greasy | cheaply made",
        "fact": """
            it holds about two litres | it lives next to the stove | it can go in the dishwasher |
            it fits in the cupboard | we are a household of five
        """,
    },
    "garden": {
        "item": """
            watering can | spade | garden hose | wheelbarrow | rake | bird feeder | lawn chair |
            pair of shears | planter
        """,
        "part": "handle | nozzle | blade | wheel | grip | paint | frame",
        "praise": """
            it glides through heavy soil | the roses have never looked better |
            it survived a wet winter outdoors | my back no longer aches afterwards |
            it stays sharp for weeks | the birds came on the first morning | it folds away in seconds
        """,
        "blame": """
            it leaks at every joint | it bent at the first stone | it rusted after one shower |
            it tips over in the slightest wind | the weeds are laughing at me | it kinks every few steps |
            it gave me blisters
        """,
        "nice": "sturdy | robust | sharp | light | weatherproof",
        "nasty": "flimsy | rusty | blunt | leaky | top-heavy",
        "fact": """
            it hangs in the shed | our garden is rather small | it weighs about as much as a cat |
            the soil here is clay | it stays outside all year
        """,
    },
    "audio": {
        "item": """
            pair of headphones | speaker | radio | record player | microphone | amplifier | alarm clock |
            soundbar
        """,
        "part": "cable | volume knob | display | cushion | plug | casing | remote",
        "praise": """
            the bass is warm and full | voices come through crisp and clear | the battery lasts for days |
            it paired with my phone at once | old records sound fresh again | it fills the whole room |
            i forget that i am wearing it
        """,
        "blame": """
            it hums and crackles | the sound is thin and tinny | the battery dies within an hour |
            it loses the connection all the time | voices sound as if from under water |
            it hisses even when nothing plays | it pinches my ears
        """,
        "nice": "clear | crisp | comfortable | well balanced | powerful",
        "nasty": "tinny | muffled | scratchy | distorted | uncomfortable",
        "fact": """
            it stands on the bookshelf | i mostly listen to the news | the cord is about a metre long |
            it runs on two batteries | there is a knob on each side
        """,
    },
    "toys": {
        "item": """
            puzzle | wooden train | kite | board game | stuffed bear | set of blocks | doll 's house |
            toy boat | marble run
        """,
        "part": "box | paint | wheels | string | stitching | booklet | figure",
        "praise": """
            the children play with it for hours | it survives being thrown down the stairs |
            everybody asks for another round | it makes a rainy day fly by |
            the colours are bright and cheerful | my niece takes it to bed |
            even the grandparents joined in
        """,
        "blame": """
            the pieces do not fit together | the children were bored after ten minutes |
            the paint comes off on little hands | a wheel fell off before lunch |
            half of the pieces were missing | it has sharp edges | it ended in tears
        """,
        "nice": "colourful | sturdy | fun | imaginative | cheerful",
        "nasty": "flimsy | boring | fragile | dull | badly painted",
        "fact": """
            it is meant for ages four and up | it has sixty pieces | we keep it under the sofa |
            there are three of us at home | it came in a round tin
        """,
    },
    "office": {
        "item": """
            desk lamp | stapler | office chair | fountain pen | notebook | keyboard | paper shredder |
            whiteboard | desk
        """,
        "part": "lid | switch | hinge | seat | cover | button | foot",
        "praise": """
            it has not jammed once | it writes without a scratch | my back feels better after a long day |
            the light is soft on the eyes | it keeps my desk tidy | assembly took five minutes |
            all my colleagues want one
        """,
        "blame": """
            it jams on every second page | the ink blots and smears | it squeaks whenever i move |
            it flickers until my head hurts | it sinks slowly during meetings |
            the letters wore off in a week | the drawer does not close
        """,
        "nice": "practical | comfortable | smooth | tidy | sturdy",
        "nasty": "wobbly | scratchy | uncomfortable | squeaky | cheaply made",
        "fact": """
            it stands by the window | i work from home three days a week | the warranty is two years |
            my office is on the third floor | it needs a wall socket
        """,
    },
    "travel": {
        "item": """
            suitcase | backpack | tent | sleeping bag | water bottle | umbrella | travel pillow |
            rain jacket | torch
        """,
        "part": "zip | strap | handle | lining | pocket | seam | wheel",
        "praise": """
            it kept everything dry in a storm | it fits under any seat |
            it rolls over cobbles without a sound | it weighs next to nothing |
            there is a pocket for everything | i slept like a stone |
            it has crossed three borders without a scratch
        """,
        "blame": """
            it let the rain in within minutes | the zip burst at the airport |
            a strap tore on the first trip | a wheel came off at the station |
            it turned inside out in a breeze | i woke up cold and damp |
            it does not fit any overhead locker
        """,
        "nice": "roomy | light | waterproof | practical | tough",
        "nasty": "flimsy | leaky | heavy | cramped | cheaply made",
        "fact": """
            we took it to the coast | it has three pockets | it is packed in a small bag |
            there are two sizes | i travel about once a month
        """,
    },
    "sport": {
        "item": """
            pair of running shoes | yoga mat | bicycle pump | tennis racket | football | swimsuit | helmet |
            skipping rope
        """,
        "part": "sole | grip | strap | surface | valve | buckle | edge",
        "praise": """
            i ran my best time in years | it does not slip even when wet | it holds its air for weeks |
            i hardly notice it is there | it fits like a glove | my knees are grateful |
            it still looks new after a season
        """,
        "blame": """
            it gave me sore feet | it slides around on the floor | it loses air overnight |
            it stretched in the first wash | the seams came undone mid-game | it smells of rubber |
            it runs two sizes too small
        """,
        "nice": "comfortable | light | springy | durable | solid",
        "nasty": "uncomfortable | slippery | stiff | badly cut | flimsy",
        "fact": """
            i train three times a week | it comes with a small net | we play in the park |
            there are two sizes | i am a beginner
        """,
    },
    "books": {
        "item": """
            novel | cookbook | travel guide | mystery | biography | atlas | picture book |
            collection of stories | dictionary
        """,
        "part": "ending | plot | cover | print | first chapter | index | dialogue",
        "praise": """
            i could not put it down | the characters feel like old friends |
            it made me laugh out loud on the train | the last page left me smiling |
            every recipe worked the first time | i learned something on every page |
            i have lent it to everyone i know
        """,
        "blame": """
            i fell asleep three times | the story goes nowhere | it is full of misprints |
            pages came loose as i turned them | the characters talk like furniture |
            i guessed the end by page ten | it repeats itself for four hundred pages
        """,
        "nice": "gripping | witty | moving | charming | vivid",
        "nasty": "dull | tedious | predictable | long-winded | shallow",
        "fact": """
            it has about three hundred pages | i read it on the train | it is the second in a series |
            the author lives by the sea | the map is on the first page
        """,
        "fails": """
            lost me after two chapters | bored me to tears | fell short of its first page |
            never came to the point
        """,
        "well": """
            wonderfully | from the first page to the last | even on a second reading |
            better than i expected
        """,
    },
}


class Reviewer:
    """Invents one review after another.

    Only `random()` of the generator is used: it alone is promised to give the same numbers for a seed in
    every version of Python.
    """

    def __init__(self, seed=0):
        self.random = random.Random(seed).random

    def chance(self, probability):
        """Say yes with the given probability."""
        return self.random() < probability

    def pick(self, options):
        """Choose one option evenly."""
        return options[int(self.random() * len(options))]

    def pick_new(self, options):
        """Choose one option, the first ones more often, and one not yet used in this review if possible."""
        new = [option for option in options if option not in self.used] or options
        option = new[int(min(self.random(), self.random()) * len(new))]
        self.used.add(option)
        return option

    def write(self, text, grammar):
        """Replace every name in braces by one of its alternatives, and the names in that."""

        def alternative(match):
            return self.write(self.pick_new(grammar[match[1]]), grammar)

        return re.sub(r"\{(\w+)\}", alternative, text)

    def plan(self, label):
        """Choose the kinds of sentences of one review."""
        own, other = ("good", "bad") if label == "pos" else ("bad", "good")
        if self.chance(0.1):  # lukewarm
            kinds = ["plain", own, f"minor_{other}", f"although_{own}"]
        else:
            kinds = [own] * self.pick([2, 2, 3])
            kinds += [f"although_{own}"] * self.chance(0.3) + [f"minor_{other}"] * self.chance(0.2)
        kinds += ["plain"] * self.pick([0, 1, 1, 2]) + ["hearsay"] * self.chance(0.2)
        kinds += ["sarcasm"] * (own == "bad" and self.chance(0.15))
        kinds = [kind for _, kind in sorted((self.random(), kind) for kind in kinds)]
        start = ["start"] * self.chance(0.8)
        end = [f"end_{own}"] * self.chance(0.3) or ["end_plain"] * self.chance(0.1)
        return start + kinds + end

    def review(self):
        """Invent a review: its domain, its label and its text."""
        domain = self.pick(list(DOMAINS))
        label = "pos" if self.chance(0.52) else "neg"
        grammar = COMMON | DOMAINS[domain]
        for name in ("nice", "nasty"):  # the domain's own words first
            grammar[name] = f"{DOMAINS[domain][name]} | {COMMON[name]}"
        grammar = {name: options.split("|") for name, options in grammar.items()}
        grammar["item"] = [self.pick(grammar["item"])]  # one review, one thing
        self.used = set()
        text = " ".join(self.write(f"{{{kind}}}", grammar) for kind in self.plan(label))
        if self.chance(0.025):  # a slip of the mouse
            label = "neg" if label == "pos" else "pos"
        return domain, label, tokens(text)


def tokens(text):
    """Put spaces as the Penn treebank does, and choose between a and an."""
    text = re.sub(r"\ba (?=[aeiou])", "an ", text)
    text = re.sub(r"n't\b", " n't", text)
    return " ".join(text.split())


def corpus():
    """Write the whole file: one review a line, each different."""
    reviewer = Reviewer()
    reviews = {}
    while len(reviews) < N_REVIEWS:
        domain, label, text = reviewer.review()
        reviews.setdefault(text, (domain, label, f"{len(reviews):04}.txt"))
    return "".join(f"{' '.join(head)} {text}\n" for text, head in reviews.items())


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    text = corpus().encode()
    if not parser.parse_args().check:
        TARGET.write_bytes(text)
    elif TARGET.read_bytes() != text:
        sys.exit(f"{TARGET} is not what {Path(__file__).name} makes; run it without --check")


if __name__ == "__main__":
    main()
