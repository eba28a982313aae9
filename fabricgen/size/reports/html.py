"""For a browser or a report: the front as plots, and the table; one file without scripts or references."""

from __future__ import annotations

from fabricgen.export.drawings import svg
from fabricgen.export.drawings.svg import escape_text
from fabricgen.size.plot import draw_panels
from fabricgen.size.reports._words import (
    describe_axes,
    describe_losses,
    describe_search,
    describe_stand,
    explain_beaten,
    explain_reference,
    explain_typical,
    format_value,
    list_columns,
    list_details,
    list_reckonings,
    list_unknown,
    name_candidate,
    name_column,
    summarize_counts,
)
from fabricgen.size.search import SearchResult

GREY = "Blue: the front, numbered as below. Grey: beaten, at what each costs at least where it is not listed."
STYLE = (
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em;color:#000;background:#fff}table{border-collapse:collapse}"
    "th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid #bbb;vertical-align:top}"
    "th:nth-child(2),td:nth-child(2),.l{text-align:left}.w{color:#555}svg{margin:0 1em 1em 0;vertical-align:top}"
)


def report(result: SearchResult, *, every: bool) -> bytes:
    """Return the page, as bytes; with `every` it has the beaten candidates as well, and what beats each."""
    title = escape_text(describe_search(result))
    axes = list_columns(result)
    heads = "".join(f"<th>{escape_text(name_column(axis))}{'*' * (axis in result.axes)}</th>" for axis in axes)
    facts = (
        summarize_counts(result),
        "; ".join(describe_axes(result)),
        explain_reference(result),
        *explain_typical(result, every=every),
        *list_unknown(result),
    )
    body = [f"<h1>{title}</h1>", f"<p>{'. '.join(map(escape_text, facts))}. {GREY}</p>", *draw_panels(result)]
    body += [f"<table><tr><th></th><th>candidate</th>{heads}<th class='l'>beside it</th></tr>"]
    for number, candidate in enumerate(result.list_shown(every=False), 1):
        cells = "".join(f"<td>{escape_text(format_value(candidate, axis))}</td>" for axis in axes)
        stand = describe_stand(candidate, result.rows, result.axes)
        texts = (stand, describe_losses(candidate), *candidate.figures.routing, *list_details(candidate, result))
        more = "<br>".join(map(escape_text, texts))
        place, name = number if number <= len(result.front) else "", escape_text(name_candidate(candidate, result))
        body.append(f"<tr><td>{place}</td><td>{name}</td>{cells}<td class='l'>{more}</td></tr>")
    for candidate in result.beaten if every else ():
        cells = "".join(f"<td>{escape_text(format_value(candidate, axis))}</td>" for axis in axes)
        why = escape_text(explain_beaten(candidate, result))
        body.append(
            f"<tr class='w'><td></td><td>{escape_text(candidate.name)}</td>{cells}<td class='l'>{why}</td></tr>"
        )
    body.append("</table>")
    body += [
        f"<p>{'<br>'.join(escape_text(f'{kind}: ' + '; '.join(texts)) for kind, texts in list_reckonings(result))}</p>"
    ]
    reasons = "".join(f"<tr><td>{count:,}</td><td>{escape_text(why)}</td></tr>" for why, count in result.reasons)
    body += [f"<table><tr><th>shapes</th><th>excluded</th></tr>{reasons}</table>"] if reasons else []
    style = f"<style>{svg.STYLE}{STYLE}</style>"
    page = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>{style}"
    return f"{page}</head><body>{''.join(body)}</body></html>\n".encode()
