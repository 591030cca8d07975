"""`words`: what a model listens to."""

import click

from ...common.options import json_option
from ...common.output import check_one_form, print_json, tidy_warnings
from ...common.progress import Stages
from ...common.tables import raw_csv_option
from ._options import command, number_option


@command("words reviews.safetensors -n 30", "words reviews.safetensors --plot words.png")
@click.argument("model", required=False)
@number_option("How many words for each label.")
@click.option("--plot", metavar="FILE.png", help="Draw a bar chart too (.png, .svg or .pdf).")
@click.option("--csv", is_flag=True, help="Print a CSV table: label, word, weight.")
@raw_csv_option
@json_option
def words(model, number, plot, csv, raw_csv, json, quiet, verbose):
    """Show the words of MODEL that speak most for each label.

    MODEL is a file that train wrote or, by default, `english`, a model of reviews that comes along.
    """
    check_one_form(json, csv)
    from ..jobs.trained import top_words
    from ..measures import prediction
    from ..output import tables

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("load"):
            sides = top_words(prediction.load_text_model(model), number)
        if plot:
            from ..output.plots import plot_top_words

            with stage("plot"):
                plot_top_words(sides, plot)
    if json:
        print_json(tables.words_record(sides))
    elif csv:
        tables.print_words_csv(sides, raw_csv)
    else:
        tables.print_sides(sides)
