"""The kinds of panel, each with all a reader needs: unit, description, legend, tooltip."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Final

from grafana_foundation_sdk.builders import bargauge, common, heatmap, stat, table, timeseries
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.common import (
    BarGaugeDisplayMode,
    BarGaugeNamePlacement,
    BarGaugeValueMode,
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    GraphThresholdsStyleMode,
    LegendDisplayMode,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardFieldConfigSourceOverrides,
    DataTransformerConfig,
    FieldColorModeId,
    FieldConfigSource,
    Panel,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from dashboards.grafana.datasource import prometheus
from dashboards.grafana.fields import Field, field_config, field_thresholds, override
from dashboards.grafana.query import Query, target

BAR_PIXELS: Final = 32
# thirteen bars of that height fit
BARS_HEIGHT: Final = 16
TEXT_PIXELS: Final = 12


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, the query that fills it and how its numbers are read."""

    heading: str
    expr: str
    field: Field


@dataclass(frozen=True)
class Words:
    """A panel's title, and the sentence behind the i in its corner."""

    title: str
    description: str


def _finish(
    built: Builder[Panel],
    words: Words,
    field: Field,
    queries: Sequence[Query],
    *,
    color: FieldColorModeId,
    form: PromQueryFormat = PromQueryFormat.TIME_SERIES,
    overrides: Sequence[DashboardFieldConfigSourceOverrides] = (),
) -> Panel:
    panel = built.build()
    panel.title, panel.description = words.title, words.description
    panel.datasource = prometheus()
    panel.targets = [
        target(query, ref_id, form) for query, ref_id in zip(queries, ascii_uppercase, strict=False)
    ]
    custom = panel.field_config.defaults.custom if panel.field_config else None
    panel.field_config = FieldConfigSource(
        defaults=field_config(field, color, custom), overrides=list(overrides)
    )
    return panel


def number(words: Words, field: Field, *queries: Query) -> Panel:
    """Show the newest value of each query, large."""
    built = (
        stat.Panel()
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.VALUE if field.steps else BigValueColorMode.NONE)
    )
    return _finish(built, words, field, queries, color=FieldColorModeId.THRESHOLDS)


def name(words: Words, field: Field, query: Query) -> Panel:
    """Show the name of the query's series, large; its value says nothing."""
    built = (
        stat.Panel()
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.NONE)
        .text_mode(BigValueTextMode.NAME)
    )
    return _finish(built, words, field, [query], color=FieldColorModeId.THRESHOLDS)


def lines(words: Words, field: Field, *queries: Query, stacked: bool = False) -> Panel:
    """Draw each series over time; where the field has steps, they are lines to stay below."""
    built = (
        timeseries.Panel()
        .legend(common.VizLegendOptions().show_legend(True).display_mode(LegendDisplayMode.LIST))
        .tooltip(
            common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING)
        )
        # a stack is areas alone: a line of nothing would lie on top of all others
        .line_width(0 if stacked else 1)
        .fill_opacity(60 if stacked else 0)
    )
    if stacked:
        built = built.stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("A"))
    if field.steps:
        style = common.GraphThresholdsStyleConfig().mode(GraphThresholdsStyleMode.DASHED)
        built = built.thresholds_style(style)
        field = replace(field, base="transparent")
    return _finish(built, words, field, queries, color=FieldColorModeId.PALETTE_CLASSIC)


def bars(words: Words, field: Field, query: Query, *, reference: str) -> Panel:
    """Draw one bar for each series, in the query's order; the reference bar is grey."""
    built = (
        bargauge.Panel()
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .orientation(VizOrientation.HORIZONTAL)
        .display_mode(BarGaugeDisplayMode.BASIC)
        .value_mode(BarGaugeValueMode.COLOR)
        # beside its bar a long name is cut
        .name_placement(BarGaugeNamePlacement.TOP)
        .show_unfilled(True)
        # one of two bars is no larger than one of thirteen, and neither is its name
        .max_viz_height(BAR_PIXELS)
        .text(common.VizTextDisplayOptions().title_size(TEXT_PIXELS).value_size(TEXT_PIXELS))
    )
    grey = override(reference, color={"mode": "fixed", "fixedColor": "gray"})
    return _finish(
        built, words, field, [query], color=FieldColorModeId.THRESHOLDS, overrides=[grey]
    )


def heat(words: Words, field: Field, query: Query) -> Panel:
    """Draw the buckets of a histogram over time."""
    built = (
        heatmap.Panel()
        .calculate(False)
        .y_axis(heatmap.YAxisConfig().unit("s"))
        .show_legend()
        .tooltip(heatmap.HeatmapTooltip().mode(TooltipDisplayMode.SINGLE).y_histogram(True))
    )
    return _finish(
        built,
        words,
        field,
        [query],
        color=FieldColorModeId.PALETTE_CLASSIC,
        form=PromQueryFormat.HEATMAP,
    )


def rows(words: Words, label: str, columns: Sequence[Column], *, sort_by: str) -> Panel:
    """List one row for each value of a label, with the newest value of every column's query."""
    values = [f"Value #{ref_id}" for ref_id, _ in zip(ascii_uppercase, columns, strict=False)]
    headings = [column.heading for column in columns]
    built = (
        table.Panel()
        .sort_by([common.TableSortByFieldState().display_name(sort_by).desc(True)])
        .transformations(
            [
                DataTransformerConfig(id_val="merge", options={}),
                DataTransformerConfig(
                    id_val="organize",
                    options={
                        "excludeByName": {"Time": True},
                        "indexByName": {name: place for place, name in enumerate([label, *values])},
                        "renameByName": dict(zip(values, headings, strict=True)),
                    },
                ),
            ]
        )
    )
    return _finish(
        built,
        words,
        Field("short"),
        [Query(column.expr, f"{{{{{label}}}}}", instant=True) for column in columns],
        color=FieldColorModeId.THRESHOLDS,
        form=PromQueryFormat.TABLE,
        overrides=[_column(column) for column in columns],
    )


def _column(column: Column) -> DashboardFieldConfigSourceOverrides:
    field = column.field
    properties: dict[str, object] = {"unit": field.unit, "min": field.min}
    if field.max is not None:
        properties["max"] = field.max
    if field.decimals is not None:
        properties["decimals"] = field.decimals
    if field.steps:
        properties["thresholds"] = field_thresholds(field)
        properties["custom.cellOptions"] = {"type": "color-text"}
    return override(column.heading, **properties)
