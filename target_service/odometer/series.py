"""The odometer's measurements."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from target_service.metrics import ONE_FOR_ALL


class OdometerSeries:
    """What becomes of deliveries, where totals are read, and whether the numbers agree."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.deliveries = Counter(
            "odometer_deliveries_total",
            "Deliveries of races by what became of them; rejected: over the stream, and no race.",
            ("outcome",),
            registry=registry,
        )
        self.reads = Counter(
            "odometer_reads_total",
            "Answered reads of a community total by where it came from; "
            "cache: this worker's copy, without any read.",
            ("source",),
            registry=registry,
        )
        self.as_of = Gauge(
            "odometer_total_as_of_timestamp_seconds",
            "When the totals that Redis has were read from the ledger; 0 when none can change.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )
        self.drift = Gauge(
            "odometer_drift",
            "How far totals and contributions are from the lake, in units; 0 is the promise.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )
