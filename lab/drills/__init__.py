"""Drills: a live load, faults at set times, then the proof that nothing accepted was lost."""
