"""`explain`: why a text gets its label, and the words that decide."""

import os

import click

from ...common.errors import USAGE, AppError
from ...common.input_streams import UTF8, open_binary
from ...common.options import json_option, section
from ...common.paths import Reads, Writes
from ...common.printing import check_one_form, note, print_json
from ...common.progress import Stages
from ...common.sections import tell
from ..data.text_lines import max_line, too_long
from ._options import command, number_option, rows_shown


@command(
    'explain "what a waste of money"',
    "explain reviews.safetensors - < review.txt",
    "explain reviews.safetensors -n 30 --plot words.png",
)
@click.argument("arguments", metavar="[MODEL] [TEXT]", nargs=-1, type=Reads())
@section(
    "Output",
    number_option(
        "Number of terms to list: the largest contributions in TEXT, or the top words of each label. With "
        "TEXT, the default is 8 unless -v is given."
    ),
    click.option(
        "--label",
        help="Explain the score of this label.  [default: with two labels the second, otherwise the "
        "predicted one]",
    ),
    click.option(
        "-o", "--plot", type=Writes("plot"), help="Without TEXT, also draw a bar chart (.png, .svg or .pdf)."
    ),
    click.option("--csv", is_flag=True, help="Without TEXT, print a CSV table of label, word and weight."),
    json_option,
)
def explain(arguments, number, label, stage, verbose, **forms):
    """Show the deciding words of TEXT, or the top words of MODEL.

    The score is the sum of an intercept and the contributions of the terms. A term is a word, or several
    words in a row if the model was trained with --ngrams. Colours, or one to three plus or minus signs, mark
    the words of TEXT by their contributions. Without TEXT, `explain` lists the words with the largest weights
    for each label. For a kernel machine, a contribution is what the score loses without the term, and there
    are no weights to list.

    TEXT is one argument, the name of a file that contains it, or - for stdin. MODEL is a file that `train`
    wrote. The default is `english`, the model of reviews that comes with fastsvm.
    """
    model, text = _model_and_text(arguments)
    check_one_form(forms["json"], forms["csv"])
    if text is None and label is not None:
        raise AppError("--label needs a TEXT; give one", USAGE)
    if text is not None and (forms["plot"] or forms["csv"]):
        raise AppError("--plot and --csv show the top words of MODEL; leave out TEXT", USAGE)
    from ..jobs.text_explanation import TextExplainer
    from ..measures import prediction
    from ..output import explanation_output

    if text == "-" or (text and os.path.isfile(text)):
        text = _read_text(text, max_line())
    with stage:
        with stage("load"):
            model = prediction.load_text_model(model)
        if text is None:
            _show_words(model, number, stage, **forms)
            return
        with stage("explain"):
            found = TextExplainer(model).explain(text, label)
    number = rows_shown(number, 8, verbose or forms["json"])
    if forms["json"]:
        print_json(explanation_output.explanation_record(found, number))
    else:
        explanation_output.print_explanation(text, found, number)


def _model_and_text(arguments: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Tell MODEL and TEXT apart; one argument alone is MODEL if it is the name of a model."""
    from ..measures.prediction import SHIPPED_NAME, is_model_file

    n = len(arguments)
    if n > 2:
        raise AppError(f"{n} arguments, where MODEL and TEXT are expected; put TEXT in quotes", USAGE)
    if n == 1:
        [one] = arguments
        return (one, None) if one == SHIPPED_NAME or is_model_file(one) else (None, one)
    if n == 2 and is_model_file(arguments[1]):
        raise AppError(f"{arguments[1]} is a model; give MODEL first, and TEXT second", USAGE)
    return arguments or (None, None)


def _show_words(model, number: int, stage: Stages, *, plot: str | None, csv: bool, json: bool) -> None:
    from ..measures.term_effects import check_linear, top_words
    from ..output import top_words_output

    check_linear(model, "a list of top words")
    words = top_words(model, number)
    if plot:
        with stage("plot"):
            top_words_output.plot_top_words(words, plot)
    if csv:
        top_words_output.print_top_words_csv(words)
    else:
        shown = [top_words_output.top_words_section(words)]
        tell(json, top_words_output.top_words_record(words), shown)


def _read_text(path: str, limit: int) -> str:
    name = "<stdin>" if path == "-" else path
    with open_binary(path, UTF8) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise AppError(f"{name}: {too_long(limit)}; give a shorter text")
    text = content.decode("utf-8-sig", errors="replace")
    if path != "-":
        note(f"{name}: the whole file is taken as one text")
    if "\ufffd" in text and "\ufffd".encode() not in content:
        note(f"{name}: bytes that are not UTF-8 were replaced")
    return text.rstrip("\r\n")
