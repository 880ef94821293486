"""The check's result in a few lines."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dashboards.datacheck.check import Report
from dashboards.datacheck.questions import Dashboard, Question


def summary(report: Report) -> str:
    """Say for each dashboard, then altogether, what was asked and what came back."""
    lines = [_dashboard(report, dashboard) for dashboard in report.dashboards]
    lines += [
        f"  WRONG {verdict.question.where}: {'; '.join(verdict.faults)}"
        for verdict in report.faulty
    ]
    lines += _counted("not asked, the other mode was not run", report.other_mode)
    lines += _counted("not asked, no target of theirs is scraped", report.no_target)
    empty = [verdict.question for verdict in report.verdicts if not verdict.values]
    lines += _counted("empty, what they show did not happen", [q for q in empty if q.may_be_empty])
    missing = sum(not question.may_be_empty for question in empty)
    lines.append(
        f"data check: {len(report.dashboards)} dashboards, "
        f"{sum(dashboard.panels for dashboard in report.dashboards)} panels, "
        f"{len(report.verdicts)} queries run in {' and '.join(sorted(report.modes)) or 'no mode'}, "
        f"{missing or 'none'} empty, {len(report.faulty) or 'none'} wrong"
    )
    return "\n".join(lines)


def _dashboard(report: Report, dashboard: Dashboard) -> str:
    verdicts = [one for one in report.verdicts if one.question.dashboard == dashboard.title]
    values = sum(verdict.values for verdict in verdicts)
    return f"{dashboard.title}: {dashboard.panels} panels, {len(verdicts)} queries, {values} values"


def _counted(what: str, questions: Sequence[Question]) -> Iterator[str]:
    for title, count in Counter(question.dashboard for question in questions).items():
        yield f"  {what}: {count} of {title}"
