"""For a browser or a report: the front as plots, and the table; one file without scripts or references."""

from __future__ import annotations

from fabricgen.export.drawings import svg
from fabricgen.export.drawings.svg import escape_text
from fabricgen.size.plot import panels
from fabricgen.size.reports._words import (
    axes_words,
    beside,
    columns,
    counted,
    head,
    heading,
    reckoning,
    typical,
    unknown,
    value,
    why_beaten,
)
from fabricgen.size.search import Found

GREY = "Blue: the front, numbered as below. Grey: beaten, at what each costs at least where it is not listed."
STYLE = (
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em;color:#000;background:#fff}table{border-collapse:collapse}"
    "th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid #bbb;vertical-align:top}"
    "th:nth-child(2),td:nth-child(2),.l{text-align:left}.w{color:#555}svg{margin:0 1em 1em 0;vertical-align:top}"
)


def report(found: Found, *, every: bool) -> bytes:
    """The page; with `every` also what is beaten, and why."""
    title = escape_text(heading(found))
    axes = columns(found)
    heads = "".join(f"<th>{escape_text(head(axis))}{'*' * (axis in found.axes)}</th>" for axis in axes)
    told = (counted(found), "; ".join(axes_words(found)), *typical(found, every=every), *unknown(found))
    body = [f"<h1>{title}</h1>", f"<p>{'. '.join(map(escape_text, told))}. {GREY}</p>", *panels(found)]
    body += [f"<table><tr><th></th><th>candidate</th>{heads}<th class='l'>beside it</th></tr>"]
    for number, one in enumerate(found.front, 1):
        cells = "".join(f"<td>{escape_text(value(one, axis))}</td>" for axis in axes)
        more = "<br>".join(map(escape_text, beside(one, found)))
        body.append(f"<tr><td>{number}</td><td>{escape_text(one.name)}</td>{cells}<td class='l'>{more}</td></tr>")
    for one in found.beaten if every else ():
        cells = "".join(f"<td>{escape_text(value(one, axis))}</td>" for axis in axes)
        why = escape_text(why_beaten(one, found))
        body.append(f"<tr class='w'><td></td><td>{escape_text(one.name)}</td>{cells}<td class='l'>{why}</td></tr>")
    body.append("</table>")
    body += [f"<p>{'<br>'.join(escape_text(f'{kind}: ' + '; '.join(items)) for kind, items in reckoning(found))}</p>"]
    reasons = "".join(f"<tr><td>{count:,}</td><td>{escape_text(why)}</td></tr>" for why, count in found.reasons)
    body += [f"<table><tr><th>shapes</th><th>excluded</th></tr>{reasons}</table>"] if reasons else []
    style = f"<style>{svg.STYLE}{STYLE}</style>"
    page = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>{style}"
    return f"{page}</head><body>{''.join(body)}</body></html>\n".encode()
