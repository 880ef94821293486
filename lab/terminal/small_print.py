"""What every report with figures says about them."""


def measured_here(ledger: str) -> list[str]:
    """Tell measured figures from projected ones."""
    return [
        f"Local figures: this machine and a synthetic workload, LEDGER={ledger}; not a capacity.",
        "Projected figures: from the scenario assumptions, not measured.",
    ]
