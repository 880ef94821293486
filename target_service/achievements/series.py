"""What the achievements count, as Prometheus series."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from target_service.metrics import ONE_FOR_ALL


class AchievementSeries:
    """Recounts, unlocks and sweeps; not there without a ledger."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.recounts = Counter(
            "achievements_recounts_total",
            "Members recounted, by who asked: a page of theirs, or a sweep.",
            ("source",),
            registry=registry,
        )
        for source in ("achievements", "pending", "sweep"):
            self.recounts.labels(source)
        self.unlocks = Counter(
            "achievements_unlocks_total",
            "Levels unlocked, whoever found them.",
            registry=registry,
        )
        self.sweep_last_success = Gauge(
            "achievements_sweep_last_success_timestamp_seconds",
            "When a sweep last came to its end; 0 when none ever has.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )
        self.sweep_members = Counter(
            "achievements_sweep_members_total",
            "Members that sweeps looked at: they had moved, had not, or their recount failed.",
            ("outcome",),
            registry=registry,
        )
        for outcome in ("changed", "unchanged", "failed"):
            self.sweep_members.labels(outcome)
