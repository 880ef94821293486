# Two images from one lock: `service` is the system under test, `generator` is Locust with the workload.
# Only what each of them runs is copied; .dockerignore keeps everything else out of the build.
FROM python:3.13.14-slim-trixie AS interpreter

FROM interpreter AS dependencies
# one dependency has no wheel for machines other than x86-64
RUN test "$(uname -m)" = x86_64 \
    || { apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev; }
COPY requirements.lock .
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock

FROM interpreter AS base
RUN useradd --system --uid 10001 --no-create-home hotboard
COPY --from=dependencies /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app

FROM base AS service
COPY target_service target_service
RUN mkdir /ledgers && chown hotboard /ledgers
USER hotboard
EXPOSE 8000
CMD ["python", "-m", "target_service"]

FROM base AS generator
COPY pyproject.toml .
COPY workload workload
COPY locustfiles locustfiles
COPY reports reports
RUN mkdir reports/runs && chown hotboard reports/runs
# the plots of a report are drawn by a library that keeps a cache
ENV MPLCONFIGDIR=/tmp
USER hotboard
EXPOSE 5557 8089 9646
CMD ["python", "-m", "locust", "-f", "locustfiles/locustfile.py"]
