"""What every dashboard must be so that Grafana takes it and a reader understands it."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from grafana_foundation_sdk.models import units

from dashboards.grafana.datasource import GRAFANA_UID, PROMETHEUS_UID
from dashboards.grafana.page import TAG

PANEL_TYPES = {"stat", "timeseries", "bargauge", "heatmap", "table"}
BUILT_IN = {"__interval", "__rate_interval", "__range"}

Document = dict[str, Any]
Documents = dict[str, Document]


def panels(document: Document) -> list[Document]:
    """Pick the panels that show something."""
    return [panel for panel in document["panels"] if panel["type"] != "row"]


def datasources(node: object) -> Iterator[object]:
    """Find every reference to a data source, however deep."""
    if isinstance(node, dict):
        if "datasource" in node:
            yield node["datasource"]
        for value in node.values():
            yield from datasources(value)
    elif isinstance(node, list):
        for value in node:
            yield from datasources(value)


def test_classic_model(documents: Documents) -> None:
    """File provisioning refuses the second model, and an export's placeholders find no source."""
    for name, document in documents.items():
        assert document["schemaVersion"] == 42, name
        assert set() == {"elements", "layout", "apiVersion", "spec", "dashboard", "__inputs"} & set(
            document
        ), name
        assert "${DS_" not in json.dumps(document), name


def test_every_data_source_is_a_provisioned_one(documents: Documents) -> None:
    """Panels, targets and annotations name the one Prometheus, or Grafana's own store."""
    allowed = (
        {"type": "prometheus", "uid": PROMETHEUS_UID},
        {"type": "grafana", "uid": GRAFANA_UID},
    )
    for name, document in documents.items():
        strangers = [source for source in datasources(document) if source not in allowed]

        assert [] == strangers, name


def test_every_panel_and_target_names_its_data_source(documents: Documents) -> None:
    """Nothing depends on which source happens to be the default."""
    for document in documents.values():
        for panel in panels(document):
            assert all("datasource" in part for part in (panel, *panel["targets"])), panel["title"]


def test_dashboards_can_be_told_apart(documents: Documents) -> None:
    """Uids fit Grafana's rule, and no uid or title is used twice."""
    uids = [document["uid"] for document in documents.values()]
    titles = [document["title"] for document in documents.values()]

    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", uid) for uid in uids)
    assert len(set(uids)) == len(uids)
    assert len(set(titles)) == len(titles)


def test_panels_and_targets_can_be_told_apart(documents: Documents) -> None:
    """Panel ids are unique in a dashboard, refIds in a panel, titles in a dashboard."""
    for name, document in documents.items():
        ids = [panel["id"] for panel in document["panels"]]
        titles = [panel["title"] for panel in document["panels"] if panel["type"] != "row"]

        assert len(set(ids)) == len(ids), name
        assert len(set(titles)) == len(titles), name
        for panel in panels(document):
            refs = [target["refId"] for target in panel["targets"]]
            assert len(set(refs)) == len(refs) > 0, panel["title"]


def test_panels_lie_on_the_grid_and_not_on_each_other(documents: Documents) -> None:
    """Every panel is inside the 24 columns, and no two share a cell."""
    for document in documents.values():
        places = [(panel["title"], panel["gridPos"]) for panel in document["panels"]]
        for title, place in places:
            assert 0 <= place["x"] < place["x"] + place["w"] <= 24, title
        for (one, a), (other, b) in combinations(places, 2):
            apart = (
                a["x"] + a["w"] <= b["x"]
                or b["x"] + b["w"] <= a["x"]
                or a["y"] + a["h"] <= b["y"]
                or b["y"] + b["h"] <= a["y"]
            )
            assert apart, (one, other)


def test_every_panel_explains_itself(documents: Documents) -> None:
    """Each has a title, a one-sentence description, a known unit and words for no data."""
    known = {value for name, value in vars(units).items() if name[0].isupper()}
    for document in documents.values():
        assert document["description"]
        for panel in panels(document):
            field = panel["fieldConfig"]["defaults"]
            described = panel["description"]
            assert panel["title"]
            assert re.fullmatch(r"[A-Z].*[^.]\.", described), described
            assert ". " not in described, described
            assert field["unit"] in known, panel["title"]
            assert field["noValue"], panel["title"]
            for override in panel["fieldConfig"]["overrides"]:
                for item in override["properties"]:
                    assert item["id"] != "unit" or item["value"] in known, panel["title"]


def test_panel_types_are_those_grafana_still_has(documents: Documents) -> None:
    """Angular panels are gone since Grafana 12; only these five are used."""
    used = {panel["type"] for document in documents.values() for panel in panels(document)}

    assert PANEL_TYPES >= used


def test_panels_do_not_keep_the_builders_blind_defaults(documents: Documents) -> None:
    """Lines have a legend and a tooltip for all series; numbers show the last value there is."""
    for document in documents.values():
        for panel in panels(document):
            options = panel["options"]
            if panel["type"] == "timeseries":
                assert options["legend"]["showLegend"], panel["title"]
                assert {"mode": "multi", "sort": "desc"} == options["tooltip"], panel["title"]
            if panel["type"] in {"stat", "bargauge"}:
                assert options["reduceOptions"]["calcs"] == ["lastNotNull"], panel["title"]


def test_heat_is_coloured_and_shares_are_not(documents: Documents) -> None:
    """A third of the load is hot among twelve keys and level among three."""
    coloured = {
        panel["title"]: len(panel["fieldConfig"]["defaults"]["thresholds"]["steps"]) > 1
        for document in documents.values()
        for panel in panels(document)
    }

    assert coloured["Its heat"]
    assert coloured["Heat: share over fair share"]
    for title in ("Hottest write share", "Effective keys", "Naive: share against fair share"):
        assert not coloured[title]


def test_stacks_have_no_line_on_top_for_what_is_nothing(documents: Documents) -> None:
    """A stack is areas alone: what is 0 has none."""
    for document in documents.values():
        for panel in panels(document):
            custom = panel["fieldConfig"]["defaults"].get("custom", {})
            if custom.get("stacking", {}).get("mode") == "normal":
                assert 0 == custom["lineWidth"], panel["title"]
                assert all(target["expr"].endswith("> 0") for target in panel["targets"])


def test_both_modes_are_drawn_on_one_scale(documents: Documents) -> None:
    """No two panels over time show one thing in two modes, each with an axis of its own."""
    document = documents["naive-against-partitioned.json"]
    titles = [panel["title"] for panel in panels(document) if panel["type"] == "timeseries"]

    assert ["Hits per key", "p99 by operation", "Answers by operation"] == titles


def test_shares_have_the_whole_as_their_end(documents: Documents) -> None:
    """A fraction starts at 0 and names its largest value, so that the data check can hold it."""
    for document in documents.values():
        for panel in panels(document):
            field = panel["fieldConfig"]["defaults"]
            if field["unit"] == "percentunit":
                assert field["min"] == 0, panel["title"]
                assert field["max"] >= 1, panel["title"]


def test_every_variable_is_declared_and_used(documents: Documents) -> None:
    """A query or title uses no variable that is not at the top, and nothing stands there unused."""
    for name, document in documents.items():
        declared = {variable["name"] for variable in document["templating"].get("list", [])}
        texts = [panel["title"] for panel in panels(document)]
        texts += [target["expr"] for panel in panels(document) for target in panel["targets"]]
        used = {found for text in texts for found in re.findall(r"\$\{?(\w+)", text)}

        assert declared == used - BUILT_IN, name


def test_variables_start_at_one_of_their_choices(documents: Documents) -> None:
    """The value a page opens with is one a reader can come back to."""
    for document in documents.values():
        for variable in document["templating"].get("list", []):
            if variable["type"] == "query":
                continue
            values = [option["value"] for option in variable["options"]]
            assert variable["current"]["value"] in values
            assert ",".join(values) == variable["query"]


def test_a_run_is_chosen_by_name_and_the_newest_at_first(documents: Documents) -> None:
    """Every dashboard about runs has such a variable, whose recorded series also knows `newest`."""
    chosen = {
        name: [
            (variable["name"], variable["query"]["query"], variable["current"]["value"])
            for variable in document["templating"].get("list", [])
            if variable["type"] == "query"
        ]
        for name, document in documents.items()
    }
    series = "choice:loadgen_measured_start:seconds"
    one = [("run", f"label_values({series}{{}}, choice)", "newest")]

    assert chosen == {
        "hot-keys.json": one,
        "generator.json": one,
        "drills.json": one,
        "odometer.json": one,
        # members are counted and swept between runs as well
        "achievements.json": [],
        "naive-against-partitioned.json": [
            (mode, f'label_values({series}{{mode="{mode}"}}, choice)', "newest")
            for mode in ("naive", "partitioned")
        ],
    }


def test_windows_follow_the_page(documents: Documents) -> None:
    """Rates use $__rate_interval, totals in view $__range; no window is a fixed number."""
    for document in documents.values():
        for panel in panels(document):
            for target in panel["targets"]:
                expr = target["expr"]
                widths = re.findall(r"\[([^\]]*)\]", expr)
                assert {"$__rate_interval", "$__range", "$__range:"} >= set(widths), expr
                assert widths.count("$__rate_interval") == expr.count("rate("), expr


def test_targets_are_asked_once(documents: Documents) -> None:
    """Each is a range or an instant query; tables, numbers and sorted bars are instant."""
    for document in documents.values():
        for panel in panels(document):
            for target in panel["targets"]:
                assert target["instant"] != target["range"], panel["title"]
                if panel["type"] in {"table", "bargauge", "stat"}:
                    assert target["instant"], panel["title"]


def test_dashboards_are_live_and_not_edited_in_the_browser(documents: Documents) -> None:
    """They refresh every 5 s, one of the choices, and are read-only."""
    for name, document in documents.items():
        assert document["refresh"] == "5s", name
        assert document["refresh"] in document["timepicker"]["refresh_intervals"], name
        assert document["editable"] is False, name


def test_dashboards_link_to_each_other(documents: Documents) -> None:
    """Each has the tag and a link to all that have it, keeping the time range."""
    for name, document in documents.items():
        assert [TAG] == document["tags"], name
        (link,) = document["links"]
        assert ("dashboards", [TAG], True) == (link["type"], link["tags"], link["keepTime"]), name


def test_runs_are_shown_on_every_dashboard(documents: Documents) -> None:
    """Annotations of runs are found by the tag, the hot-key alert in Prometheus."""
    for name, document in documents.items():
        runs, alert = document["annotations"]["list"]
        assert {"limit": 100, "matchAny": False, "tags": [TAG], "type": "tags"} == runs["target"], (
            name
        )
        assert 'alertname="HotKey"' in alert["expr"], name
