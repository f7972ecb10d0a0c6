"""The laboratory as one HTML page that needs nothing else."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template

import numpy as np

from sciql.laboratory.charts import colour, lines, png, shaded, strips
from sciql.laboratory.clips import Clip, can_be_drawn, painted, typical_clips
from sciql.laboratory.figures import Laboratory, PairSupport, percent
from sciql.plots.exhibits import inline
from sciql.plots.house import spoken
from sciql.plots.pages import base_style, style_colours

PICTURE = 300  # pixels of a clip's side
MOST_CLIPS = 32
"""Styles whose clips are drawn: a joint criterion may have many more than anybody looks at."""


def page(laboratories: Sequence[Laboratory]) -> str:
    """All criteria, one after the other."""
    episodes = laboratories[0].episodes
    names = [spoken(one.criterion.name) for one in laboratories]
    links = "".join(f"<a href='#part{number}'>{escape(name)}</a>" for number, name in enumerate(names))
    template = Template((files("sciql.laboratory") / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(f"Labels of {episodes.name}: {', '.join(names)}"),
        base=base_style(),
        colours=style_colours(),
        heading=escape(names[0] if len(names) == 1 else "Labels") + f" in {escape(episodes.name)}",
        about=f"{episodes.count:,} episodes, {episodes.steps:,} steps, and what the labelling function makes of them.",
        contents=f"<nav>{links}</nav>" if len(names) > 1 else "",
        sections="\n".join(_criterion(number, one, len(names) > 1) for number, one in enumerate(laboratories)),
    )


def _criterion(number: int, laboratory: Laboratory, titled: bool) -> str:
    title = f"<h2>{escape(spoken(laboratory.criterion.name))}</h2>" if titled else ""
    return f"<section id='part{number}'>{title}{''.join(_parts(laboratory))}</section>"


def _parts(laboratory: Laboratory) -> Iterator[str]:
    """Everything about one criterion, from the whole to the details."""
    yield _headline(laboratory)
    yield _findings(laboratory)
    yield f"<h3>How often each style occurs</h3>{_shares(laboratory)}"
    for pair in laboratory.pairs:
        yield f"<h3>{escape(pair.names[0])} and {escape(pair.names[1])} together</h3>{_pair(pair)}"
    yield f"<h3>What a window does</h3>{_windows(laboratory)}"
    yield f"<h3>Within episodes</h3>{_within(laboratory)}"
    yield f"<h3>Which style leads to which</h3>{_moves(laboratory)}"
    if can_be_drawn(laboratory.episodes):
        yield f"<h3>Typical clips</h3>{_clips(laboratory)}"


def _headline(laboratory: Laboratory) -> str:
    report = laboratory.report
    facts = [
        (f"{100 * report.flicker:.1f} %", "of the steps change the label"),
        (f"{report.mean_run:,.1f}", "steps a label lasts"),
        (f"{laboratory.changes:,.1f}", "changes an episode"),
        (f"{laboratory.styles_an_episode:.1f}", "styles an episode"),
    ]
    return (
        f"<dl class='scores'>{''.join(f'<div><dt>{word}</dt><dd>{figure}</dd></div>' for figure, word in facts)}</dl>"
    )


def _findings(laboratory: Laboratory) -> str:
    found = list(laboratory.findings())
    if not found:
        return "<div class='findings none'><p>Every style occurs, and nothing is odd.</p></div>"
    return f"<div class='findings'><ul>{''.join(f'<li>{escape(one)}</li>' for one in found)}</ul></div>"


def _shares(laboratory: Laboratory) -> str:
    most = max(style.share for style in laboratory.report.styles)
    rows = []
    for index, style in enumerate(laboratory.report.styles):
        shade = colour(laboratory.criterion, index)
        name = escape(style.style) + ("" if style.promptable else " <span class='unasked'>(cannot be asked for)</span>")
        bar = f"<div style='width: {100 * style.share / most:.1f}%; background: {shade}'></div>"
        rows.append(
            f"<tr><th scope='row'>{_key(shade)}{name}</th><td class='bar'>{bar}</td><td>{percent(style.share)}</td>"
            f"<td>{100 * style.episode_mean:.1f} ± {100 * style.episode_std:.1f}</td></tr>"
        )
    head = "<tr><th>style</th><th>share of steps</th><th></th><th>an episode, %</th></tr>"
    return f"<div class='wide'><table class='shares'><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"


def _pair(pair: PairSupport) -> str:
    words = np.vectorize(percent, otypes=[object])(pair.shares)
    caption = "<p>Share of all steps; – is never.</p>"
    return shaded(pair.names[0], pair.rows, pair.columns, pair.shares, words) + caption


def _windows(laboratory: Laboratory) -> str:
    radii = [one.radius for one in laboratory.windows]
    flicker = [100 * one.flicker for one in laboratory.windows]
    shares = [
        (name, colour(laboratory.criterion, index), [100 * one.shares[index] for one in laboratory.windows])
        for index, name in enumerate(laboratory.criterion.styles)
    ]
    charts = [
        (lines([("flicker", "var(--ink)", flicker)], radii, "flicker by window"), "Steps that change the label"),
        (lines(shares, radii, "shares by window"), "Share of each style"),
    ]
    drawn = "".join(f"<figure>{chart}<figcaption>{word}</figcaption></figure>" for chart, word in charts)
    return (
        f"<div class='charts'>{drawn}</div><p>A majority vote of radius w gives a step the label that most of the "
        f"2w - 1 steps around it bear. This criterion has {_own_window(laboratory)}.</p>"
    )


def _own_window(laboratory: Laboratory) -> str:
    parts = laboratory.criterion.parts or (laboratory.criterion,)
    windows = [str(part.window) for part in parts]
    return f"windows of {' and '.join(windows)}" if len(windows) > 1 else f"a window of {windows[0]}"


def _within(laboratory: Laboratory) -> str:
    picture, count = strips(laboratory.criterion, laboratory.episodes, laboratory.labels)
    caption = (
        f"{count} episodes, from their first step on the left to their last; "
        f"{100 * laboratory.constant:.0f} % of all episodes keep to one style."
    )
    return (
        f"<figure><img class='strips' src='{picture}' alt='labels of {count} episodes'>"
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _moves(laboratory: Laboratory) -> str:
    """Two tables, of the styles that occur."""
    alive = laboratory.alive
    names = [laboratory.brief(index) for index in alive]
    moves, later = laboratory.moves[np.ix_(alive, alive)], laboratory.later[np.ix_(alive, alive)]
    counts = np.vectorize(lambda count: f"{count:,}" if count else "–", otypes=[object])(moves)
    shares = np.vectorize(percent, otypes=[object])(later)
    at_once = shaded("from", names, names, moves / np.maximum(moves.sum(axis=1, keepdims=True), 1), counts)
    return (
        f"<p>How often a step of one style is followed at once by a step of another:</p>{at_once}"
        "<p>Of the episodes that show a style, how many show another one later on:</p>"
        f"{shaded('first', names, names, later, shares)}"
    )


def _clips(laboratory: Laboratory) -> str:
    shown = laboratory.alive[:MOST_CLIPS]
    drawn = "".join(f"<div>{_clip_title(laboratory, style)}{_three(laboratory, style)}</div>" for style in shown)
    left = len(laboratory.alive) - len(shown)
    return f"<div class='clips'>{drawn}</div>" + (f"<p>… and {left} more styles.</p>" if left else "")


def _clip_title(laboratory: Laboratory, style: int) -> str:
    return f"<h4>{_key(colour(laboratory.criterion, style))}{escape(laboratory.criterion.styles[style])}</h4>"


def _three(laboratory: Laboratory, style: int) -> str:
    starts = laboratory.episodes.starts
    clips = typical_clips(laboratory.labels, starts, style)
    return f"<div class='three'>{''.join(_clip(laboratory, clip, int(starts[clip.episode])) for clip in clips)}</div>"


def _clip(laboratory: Laboratory, clip: Clip, start: int) -> str:
    from PIL.Image import fromarray

    frames = painted(laboratory.criterion, laboratory.episodes, laboratory.labels, clip, PICTURE)
    images = "".join(
        f"<img src='{inline(png(fromarray(frame).quantize(64)), 'image/png')}' alt=''>" for frame in frames
    )
    caption = f"episode {clip.episode}, steps {clip.first - start} to {clip.end - start - 1}"
    return f"<figure><div class='film'>{images}</div><figcaption>{caption}</figcaption></figure>"


def _key(shade: str) -> str:
    return f"<span class='key' style='background: {shade}'></span>"
